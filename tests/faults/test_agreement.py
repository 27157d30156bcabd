# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""Both readers on every recorded host: against each other and, whole, against what its story tells."""

import json
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from tests.faults.look import READERS, flat, look
from tests.standin import names, recorded
from tests.standin.host import HOSTS

ONE_READER = {
    # Key, and the hosts where the readers may part: what only NVML tells (RETURN).
    "source": "*",
    "driver.nvml_version": "*",
    "gpus.*.mig_devices.*.uuid": "h200-mig",
    "gpus.*.mig_devices.*.profile": "h200-mig",
    "gpus.*.nvlink.links_total": "hgx-b200-off-mesh",  # nvidia-smi prints no links while all are down
}

SMI_HAS = {
    # Where nvidia-smi has another value than null.
    ("mismatch", "driver.nvml_version"): "580.126",
}

SMI_SAYS = {
    # The problems of nvidia-smi that NVML does not have.
    "h200-mig": {("nvidia_smi", "hidden", "GPU 0")},
    "hgx-b200-off-mesh": {("nvidia_smi", "hidden", "GPU 5")},
}


@lru_cache(maxsize=None)
def facts_of(name: str, reader: str) -> dict[str, Any]:
    return look(recorded(name), (reader,))


def leaves(facts: dict[str, Any]) -> dict[str, Any]:
    """Return all but the problems, whose sources name their reader."""
    return flat({key: value for key, value in facts.items() if key != "problems"})


def reasons(facts: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {(row["source"], row["code"], row["subject"]) for row in facts["problems"]}


def of_reader(rows: set[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """Return rows as NVML's, whichever reader wrote them."""
    return {("nvml" if source in ("nvidia_smi", "nvidia-smi") else source, code, subject) for source, code, subject in rows}


def may_differ(name: str, key: str) -> bool:
    return any(fnmatch(key, pattern) and fnmatch(name, hosts) for pattern, hosts in ONE_READER.items())


@pytest.mark.parametrize("name", names())
def test_readers_agree(name: str) -> None:
    nvml, smi = (leaves(facts_of(name, reader)) for reader in READERS)
    differing = {key: (nvml.get(key, "absent"), smi.get(key, "absent")) for key in nvml if nvml.get(key) != smi.get(key)}
    assert set(nvml) == set(smi)
    assert {key: pair for key, pair in differing.items() if not may_differ(name, key)} == {}
    # What only NVML can tell is unknown without it, never another value.
    told = {key: pair[1] for key, pair in differing.items() if key != "source" and pair[1] is not None}
    assert told == {key: value for (host, key), value in SMI_HAS.items() if host == name}


def one(row: dict[str, Any]) -> dict[str, Any]:
    return {"gpus": {1: row}}


def refused(call: str, error: int) -> dict[str, Any]:
    return {"faults": {"nvml": [{"call": call, "gpu": 1, "error": error}]}}


VARIANTS = {
    # What is the matter with GPU 1: (host, changes, the host's state)
    "resources": ("hgx-b200", one({"fabric": {"status": "Insufficient Resources"}}), "ok"),
    "not-ready": ("hgx-b200", one({"fabric": {"status": "Not Ready"}}), "ok"),
    "unknown-status": ("hgx-b200", one({"fabric": {"status": "Unknown Error"}}), "degraded"),
    "not-started": ("hgx-b200", one({"fabric": {"state": "Not Started", "health": "N/A"}}), "ok"),
    "unhealthy": ("hgx-b200", one({"fabric": {"health": "Unhealthy"}}), "ok"),
    "limited": ("hgx-b200", one({"fabric": {"health": "Limited Capacity"}}), "ok"),
    "link-down": ("hgx-b200", one({"nvlinks_down": [17]}), "ok"),
    "ecc-errors": ("kpro6", one({"ecc": {"volatile": 3, "aggregate": 9}}), "ok"),
    "ecc-off": ("kpro6", one({"ecc": {}}), "ok"),
    "remapping": ("kpro6", one({"remapped": {"pending": True, "failure": True}}), "ok"),
    "recovery": ("kpro6", one({"recovery": "Drain and Reset"}), "degraded"),
    "no-persistence": ("kpro6", one({"persistence": False}), "ok"),
    "memory-lost": ("kpro6", refused("nvmlDeviceGetMemoryInfo_v2", 15), "degraded"),
    "memory-not-permitted": ("kpro6", refused("nvmlDeviceGetMemoryInfo_v2", 4), "degraded"),
    "name-unknown": ("kpro6", refused("nvmlDeviceGetName", 999), "degraded"),
    "processes-not-permitted": ("kpro6", refused("nvmlDeviceGetComputeRunningProcesses_v3", 4), "ok"),
}


@pytest.mark.parametrize(("name", "changes", "state"), VARIANTS.values(), ids=VARIANTS)
def test_readers_agree_on_what_is_the_matter(name: str, changes: dict[str, Any], state: str) -> None:
    tree = recorded(name, changes)
    nvml, smi = (look(tree, (reader,)) for reader in READERS)
    assert (nvml["state"], smi["state"]) == (state, state)
    ours, theirs = leaves(nvml), leaves(smi)
    differing = {key for key in {*ours, *theirs} if ours.get(key, "absent") != theirs.get(key, "absent")}
    # A fault carries its reader's own words.
    assert {key for key in differing if not fnmatch(key, "gpus.*.faults.*.message")} == {"source", "driver.nvml_version"}


@pytest.mark.parametrize("name", names())
def test_readers_have_the_same_problems(name: str) -> None:
    nvml, smi = (reasons(facts_of(name, reader)) for reader in READERS)
    says = SMI_SAYS.get(name, set())
    assert says <= smi
    assert of_reader(smi) == of_reader(nvml | says)


@pytest.mark.parametrize("name", names())
def test_nvml_tells_the_story(name: str) -> None:
    assert told(facts_of(name, "nvml"), recorded(name)) == story(name)


@pytest.mark.parametrize("name", names())
def test_nvidia_smi_tells_the_story_but_for_what_only_nvml_knows(name: str) -> None:
    seen, expected = told(facts_of(name, "nvidia_smi"), recorded(name)), story(name)
    assert set(leaves(seen)) == set(leaves(expected))
    for key, value in leaves(expected).items():
        if not may_differ(name, key):
            assert (key, leaves(seen)[key]) == (key, value)


def story(name: str) -> dict[str, Any]:
    return json.loads((HOSTS / name / "expected/nvidia_topology.json").read_text(encoding="utf-8"))


def told(facts: dict[str, Any], tree: Path) -> dict[str, Any]:
    """Return facts as a story writes them: paths as on the host, problems without their wording."""
    problems = [{key: value for key, value in row.items() if key != "message"} for row in facts["problems"]]
    path = facts["libcuda"]["path"]
    on_host = path and "/" + str(Path(path).relative_to(tree.resolve()))
    return {**facts, "problems": problems, "libcuda": {**facts["libcuda"], "path": on_host}}
