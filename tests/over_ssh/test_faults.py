# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One of each kind of broken nvidia-smi, through SSH: bounded time, the right state, and ssh ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.over_ssh.controller import Controller, Results, lab, look, topology

HOST = "b200-rental"
PYTHON = "/opt/faults/python"
TIMEOUT = 3
# One start of ansible-playbook, a connection and a module on a machine that is busy with other tests.
ALLOWANCE = 15

# A fault is a copy of the recorded tool with its outputs, and what is done to it: a row of shell.
FAULTS = {
    "hangs": 'for answer in smi/*; do touch "$answer/hang"; done',
    "ignores-sigterm": 'for answer in smi/*; do touch "$answer/hang" "$answer/ignore-term"; done',
    "leaves-a-child": 'for answer in smi/*; do touch "$answer/orphan"; done',
    "err-cells": "sed -i 's#<total>183359 MiB</total>#<total>ERR!</total>#' 'smi/-q -x/stdout'",
    "half-an-xml": "truncate -s $(($(stat -c %s 'smi/-q -x/stdout') / 2)) 'smi/-q -x/stdout'",
    "floods": "echo 100 >'smi/-q -x/flood-mib'",
    "latin-1": "sed -i 's#<product_name>NVIDIA B200#&\\xe9#' 'smi/-q -x/stdout'",
}


@pytest.fixture(scope="module")
def faults(inventory: str) -> str:
    """The folder of the broken tools, on the host."""
    assert HOST in inventory
    folder = "/opt/faults"
    for name, change in FAULTS.items():
        copy = f"mkdir -p {folder}/{name} && cd {folder}/{name} && cp -a /opt/recorded/bin /opt/recorded/smi ."
        run_on_host(f"{copy} && {change}")
    # The flood is 100 MiB; who would hold it all has no room for it.
    run_on_host(f"printf '#!/bin/sh\\nulimit -v 200000; exec python3 \"$@\"\\n' >{PYTHON}; chmod 755 {PYTHON}")
    return folder


def run_on_host(command: str) -> str:
    done = lab("ssh", HOST, command)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def survey(controller: Controller, executable: str, **variables: str) -> dict[str, Any]:
    """Look at the host through this nvidia-smi, by an ssh that shares no connection and so has to end itself."""
    alone = Controller(controller.folder, controller.inventory, {"ANSIBLE_SSH_ARGS": "-o ControlMaster=no -o ControlPath=none"})
    task = look(readers=["nvidia_smi"], executable=executable, timeout=TIMEOUT, deadline=4 * TIMEOUT)
    task["vars"] = variables
    started = time.monotonic()
    facts = topology(alone.results(HOST, {"look": task})[HOST]["look"])
    assert time.monotonic() - started < TIMEOUT + ALLOWANCE
    return facts


@pytest.fixture
def facts(request: pytest.FixtureRequest, faults: str, controller: Controller) -> dict[str, Any]:
    return survey(controller, f"{faults}/{request.param}/bin/nvidia-smi", ansible_python_interpreter=PYTHON)


def reasons(facts: dict[str, Any]) -> set[tuple[str, str]]:
    return {(problem["source"], problem["code"]) for problem in facts["problems"]}


@pytest.mark.parametrize("facts", ["hangs", "ignores-sigterm"], indirect=True)
def test_tool_that_does_not_end_is_unresponsive(facts: dict[str, Any]) -> None:
    assert facts["state"] == "unresponsive"
    # The bus needs no driver call.
    assert facts["pci_gpu_count"] == 8


@pytest.mark.parametrize("facts", ["leaves-a-child"], indirect=True)
def test_tool_whose_child_keeps_the_pipe_open_has_still_answered(facts: dict[str, Any], looks: Results) -> None:
    assert facts == topology(looks[HOST]["nvidia_smi"])


@pytest.mark.parametrize("facts", ["err-cells"], indirect=True)
def test_error_cells_of_a_tool_that_exits_0_are_unknown(facts: dict[str, Any]) -> None:
    assert facts["state"] == "degraded"
    assert [gpu["memory_total_mib"] for gpu in facts["gpus"]] == [None] * 7
    assert {problem["subject"] for problem in facts["problems"]} == {f"GPU {index}" for index in range(7)}
    assert not any("memory_total_mib" in gpu["not_supported"] for gpu in facts["gpus"])


@pytest.mark.parametrize("facts", ["half-an-xml", "floods"], indirect=True)
def test_broken_log_costs_its_own_fields_and_the_good_state(facts: dict[str, Any], looks: Results) -> None:
    whole = topology(looks[HOST]["nvidia_smi"])
    assert facts["state"] == "degraded"
    assert "nvidia-smi -q -x" in {source for source, unused in reasons(facts)}
    assert [gpu["memory_total_mib"] for gpu in facts["gpus"]] == [None] * 7
    for key in ("uuid", "compute_capability", "nvlink"):
        assert [gpu[key] for gpu in facts["gpus"]] == [gpu[key] for gpu in whole["gpus"]]
    assert facts["links"] == whole["links"]


@pytest.mark.parametrize("facts", ["latin-1"], indirect=True)
def test_text_that_is_no_utf_8_is_no_fault(facts: dict[str, Any], looks: Results) -> None:
    whole = topology(looks[HOST]["nvidia_smi"])
    assert facts["state"] == "ok"
    assert [gpu["name"].startswith("NVIDIA B200") for gpu in facts["gpus"]] == [True] * 7
    assert [gpu["memory_total_mib"] for gpu in facts["gpus"]] == [gpu["memory_total_mib"] for gpu in whole["gpus"]]


@pytest.fixture
def unkillable() -> Iterator[str]:
    """A nvidia-smi that ends in the kernel's hands: its program lies on a file system that never answers."""
    folder = "/opt/faults/unkillable"
    source = Path(__file__).with_name("hanging_mount.py").read_text()
    run_on_host(f"mkdir -p {folder}/mount && cat >{folder}/mount.py <<'EOF'\n{source}\nEOF")
    tool = f"#!/bin/sh\\nexec cat {folder}/mount/answer\\n"
    run_on_host(f"printf '{tool}' >{folder}/nvidia-smi; chmod 755 {folder}/nvidia-smi")
    pid = run_on_host(f"setsid python3 {folder}/mount.py {folder}/mount >{folder}/out 2>&1 & echo $!")
    run_on_host(f"until grep -q hanging {folder}/out; do sleep 0.1; done")
    yield f"{folder}/nvidia-smi"
    run_on_host(f"kill {pid}; umount -l {folder}/mount")


@pytest.mark.parametrize("user", ["root", "recon"])
def test_tool_that_cannot_be_killed_is_left_behind(user: str, unkillable: str, controller: Controller) -> None:
    facts = survey(controller, unkillable, ansible_user=user)
    assert facts["state"] == "unresponsive"
    # They were asked to die, and are still there: the fault was real.
    states = run_on_host("grep -h -A3 '^Name:.cat$' /proc/[0-9]*/status | grep '^State:'")
    assert states.count("D (disk sleep)") == 4
