# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The recorded machines, each on a lab host, over SSH: what the module says against what their stories tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.lab.hosts import RECORDINGS
from tests.over_ssh.controller import Results, topology

EXPECTED = sorted(RECORDINGS.glob("*/expected/nvidia_topology.json"))


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda file: file.parts[-3])
def test_facts_are_those_of_the_recorded_host(expected: Path, looks: Results) -> None:
    facts = topology(looks[expected.parts[-3]]["first"])
    # The wording of a problem is no contract.
    problems = [{key: value for key, value in problem.items() if key != "message"} for problem in facts["problems"]]
    assert {**facts, "problems": problems} == json.loads(expected.read_text())


def test_every_recorded_host_has_expected_facts() -> None:
    assert {file.parts[-3] for file in EXPECTED} == {file.parent.name for file in RECORDINGS.glob("*/host.yml")}


def column(facts: dict[str, Any], key: str) -> list[Any]:
    return [gpu[key] for gpu in facts["gpus"]]


def test_rental_of_seven_b200_is_whole(looks: Results) -> None:
    facts = topology(looks["b200-rental"]["first"])
    assert (facts["state"], facts["granted_gpu_count"], facts["pci_gpu_count"]) == ("ok", 7, 8)
    assert facts["driver"]["version"] == "580.126.20"
    assert column(facts, "name") == ["NVIDIA B200"] * 7
    assert column(facts, "product") == ["b200"] * 7
    assert column(facts, "memory_total_mib") == [183359] * 7
    assert {(link["path"], link["nvlinks"]) for link in facts["links"]} == {("NV18", 18)}
    assert len(facts["links"]) == 7 * 6 // 2
    assert facts["interconnect"] == "nvlink_mesh"


@pytest.mark.parametrize("name", ["kpro6", "dflash-train"])
def test_busy_machine_says_who_holds_gpu_0(name: str, looks: Results) -> None:
    facts = topology(looks[name]["first"])
    assert (facts["state"], facts["interconnect"]) == ("ok", "pcie")
    assert column(facts, "product") == ["rtx_pro_6000_server"] * 8
    assert column(facts, "memory_total_mib") == [97887] * 8
    assert column(facts, "memory_used_mib")[0] == 56077
    (process,) = facts["gpus"][0]["processes"]
    assert (process["pid"], process["unit"], process["user"]) == (47028, "ddtree-qwen.service", "root")
    assert [gpu["processes"] for gpu in facts["gpus"][1:]] == [[]] * 7


def test_unit_of_the_process_is_the_one_systemd_runs(looks: Results, controller: Any) -> None:
    ask = {"ansible.builtin.command": "systemctl show -P MainPID ddtree-qwen.service"}
    said = controller.results("dflash-train", {"ask": ask})["dflash-train"]["ask"]["stdout"]
    assert int(said) == topology(looks["dflash-train"]["first"])["gpus"][0]["processes"][0]["pid"]


def test_machine_and_its_container_have_the_same_gpus(looks: Results) -> None:
    machine, container = (column(topology(looks[name]["first"]), "uuid") for name in ("kpro6", "dflash-train"))
    assert machine == container
    assert len(set(machine)) == 8


def test_lost_gpu_is_named_by_the_cuda_check(looks: Results) -> None:
    listed, tried = (topology(looks["a6000-lost"][task]) for task in ("first", "cuda"))
    assert (listed["state"], column(listed, "product")) == ("ok", ["rtx_a6000"] * 2)
    assert [gpu["cuda"]["usable"] for gpu in tried["gpus"]] == [True, False]
    assert tried["state"] == "degraded"
    assert [gpu["state"] == "ok" for gpu in tried["gpus"]] == [True, False]
    assert [fault["code"] for fault in tried["gpus"][1]["faults"]] == ["cuda_error"]


def test_cuda_check_finds_every_gpu_of_healthy_hosts_usable(looks: Results) -> None:
    for name in ("b200-rental", "kpro6", "hgx-b200"):
        assert all(gpu["cuda"] == {"usable": True, "error": None} for gpu in topology(looks[name]["cuda"])["gpus"]), name
