# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded hosts as a person sees them, and the README's sample, which is true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.inference.recon.plugins.plugin_utils._fleet import Host, read_host
from ansible_collections.inference.recon.plugins.plugin_utils._report import console

ROOT = Path(__file__).resolve().parents[5]
RECORDED = sorted(path.parents[1].name for path in (ROOT / "tests" / "hosts").glob("*/expected/nvidia_topology.json"))
CHANGED_KEY = {
    "ansible_host": "203.0.113.7",
    "ansible_port": 36472,
    "ansible_user": "root",
    "survey": {"unreachable": True, "msg": "WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!"},
}

GPU_LINES = {
    # What the issue and the corpus tell of each host, as lines that must be there.
    "b200-rental": [
        "b200-rental  ok           7x B200: 7 free",
        "  links    NV18 between every pair",
        "  driver   580.126.20 open, CUDA 13.0",
        "  granted  7 of the 8 GPUs on the bus; the others are not for this host",
    ],
    "kpro6": [
        "kpro6        ok           8x RTX PRO 6000 Blackwell Server: 7 free, 1 busy",
        "  GPU 0    BUSY   56077 of 97887 MiB   ddtree-qwen.service  pid 47028  user root  in container 105",
    ],
    "hidden-owner": ["  GPU 0    BUSY   30512 of 97887 MiB   owner ? (not visible from here)"],
    "hgx-b200": ["hgx-b200     ok           8x B200: 8 free", "  links    NV18 between every pair"],
    "hgx-b200-off-mesh": ["  links    GPU 5 OFF THE MESH (NODE/SYS to all others), NV18 between the others"],
    "hgx-b200-fabric": ["  GPU 3    FABRIC 183359 MiB           fabric not up (in_progress); CUDA fails until it is"],
    "no-gpu": ["no-gpu       no_gpu       no NVIDIA GPU on this machine"],
}


def recorded(name: str, *, computed: bool = False) -> Host:
    """Return a recorded host; `computed`: as if its idle GPUs had been asked to compute."""
    facts: dict[str, Any] = json.loads((ROOT / "tests" / "hosts" / name / "expected" / "nvidia_topology.json").read_text())
    for problem in facts["problems"]:
        problem.setdefault("message", "")  # its words are not promised
    for gpu in facts["gpus"]:
        if computed and gpu["processes"] == []:
            gpu["cuda"]["usable"] = True
    return read_host(name, {"ansible_facts": {"nvidia_topology": facts}}, "")


def lines(*hosts: Host) -> list[str]:
    return [line.text for line in console.render(hosts)]


@pytest.mark.parametrize("name", RECORDED)
def test_every_recorded_host_is_shown(name: str) -> None:
    host = recorded(name)
    shown = lines(host)
    assert host.failure is None
    assert [line for line in shown if len(line) > 100] == []
    assert [line for line in GPU_LINES.get(name, []) if line not in shown] == []


def test_readme_sample() -> None:
    sample = (ROOT / "README.md").read_text().split("```")[3].strip().splitlines()
    names = ["b200-rental", "kpro6"]
    hosts = [*(recorded(name, computed=True) for name in names), read_host("old-rental", CHANGED_KEY, "survey")]
    assert sample == lines(*hosts)
