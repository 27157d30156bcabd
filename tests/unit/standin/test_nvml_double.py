# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The NVML double as NVIDIA's own client reads it: every recorded host says what its host.yml says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("yaml")
pytest.importorskip("pynvml")

from tests.standin import load, names, recorded

READER = Path(__file__).with_name("read_nvml.py")
MIB = 1 << 20
NOT_SUPPORTED, VERSION_MISMATCH = {"error": 3}, {"error": 25}
# nvml.h, written out here: what libraries.py knows is under test
ARCHITECTURES = {"Ampere": 7, "Hopper": 9, "Blackwell": 10}
STATES = {"Not Supported": 0, "In Progress": 2, "Completed": 3}
LEVELS = {"PIX": 10, "PHB": 30, "NODE": 40, "SYS": 50}

HOSTS = [name for name in names() if load(name).driver and load(name).fault("nvmlInit_v2") is None]


def read(name, changes=None):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(recorded(name, changes) / "lib")}
    done = subprocess.run([sys.executable, READER], env=environment, capture_output=True, timeout=60, check=True)
    return json.loads(done.stdout)


def words(cpus):
    numbers = set()
    for part in cpus.split(","):
        ends = [int(end) for end in part.split("-")]
        numbers.update(range(ends[0], ends[-1] + 1))
    return [sum(1 << cpu - first for cpu in numbers if first <= cpu < first + 64) for first in range(0, 1024, 64)]


def expected_memory(host, index, gpu):
    if host.fault("nvmlDeviceGetMemoryInfo_v2", index):
        return {"error": host.fault("nvmlDeviceGetMemoryInfo_v2", index)}
    row = {key: gpu.memory[key] * MIB for key in ("total", "reserved", "used")}
    return {**row, "free": row["total"] - row["reserved"] - row["used"]}


def expected_fabric(host, gpu, version):
    if gpu.fabric is None:
        return NOT_SUPPORTED
    if version == 3 and host.driver["version"] < "580":
        return VERSION_MISMATCH
    summary = {"N/A": 0, "Healthy": 1}[gpu.fabric.get("health", "N/A")] if version == 3 else None
    state = STATES[gpu.fabric["state"]]
    return {"state": state, "status": 0, "clique": 0, "cluster": "0" * 32, "summary": summary}


def expected_links(host, index, gpu):
    if not gpu.nvlinks:
        return {"found": [], **NOT_SUPPORTED}
    if host.nvlink == "switch":
        found = ["down" if link in gpu.nvlinks_down else "switch" for link in range(gpu.nvlinks)]
    else:
        bridge = next(row for row in host.nvlink if index in row["pair"])
        peer = host.gpus[sum(bridge["pair"]) - index]
        found = [f"0000{peer.bus.upper()}"] * bridge["links"]
    return {"found": found, "error": 2}  # no link beyond the last


def expected_processes(host, index):
    return [[row["pid"], row["gpus"][index] * MIB, row["name"]] for row in host.processes if index in row["gpus"]]


@pytest.mark.parametrize("name", HOSTS)
def test_host_reads_as_described(name):
    host, answer = load(name), read(name)
    major, minor = host.driver["cuda"].split(".")
    assert answer["driver"] == host.driver["version"]
    assert answer["nvml"] == f"{major}.{host.driver['version']}"
    assert answer["cuda"] == int(major) * 1000 + int(minor) * 10
    assert len(answer["gpus"]) == len(host.gpus)


@pytest.mark.parametrize(("name", "index"), [(name, index) for name in HOSTS for index in range(len(load(name).gpus))])
def test_gpu_reads_as_described(name, index, answers):
    host = load(name)
    gpu, answer = host.gpus[index], answers(name)["gpus"][index]
    domain, bus, device = (int(part, 16) for part in gpu.bus.split(".")[0].split(":"))
    ids = [int(gpu.device_id + "10de", 16), int(gpu.subsystem_id, 16)]
    has_ecc = {None: NOT_SUPPORTED, False: [0, 0], True: [1, 1]}[None if gpu.ecc is None else bool(gpu.ecc)]
    errors = [gpu.ecc["volatile"], gpu.ecc["aggregate"]] if gpu.ecc else [NOT_SUPPORTED] * 2
    assert answer == {
        "uuid": gpu.uuid,
        "name": gpu.name,
        "architecture": ARCHITECTURES[gpu.architecture],
        "capability": [int(part) for part in gpu.compute.split(".")],
        "bus": [f"0000{gpu.bus.upper()}", gpu.bus.upper(), domain, bus, device, *ids],
        "minor": gpu.minor,
        "memory": expected_memory(host, index, gpu),
        "nodes": [1 << gpu.numa, 0],
        "node": NOT_SUPPORTED,
        "cpus": words(host.numa[gpu.numa]),
        "generations": [gpu.pcie["generation_max"], gpu.pcie["generation_current"]],
        "widths": [gpu.pcie["width_max"], gpu.pcie["width_current"]],
        "limit": gpu.power["limit"] * 1000,
        "default": gpu.power["default"] * 1000,
        "constraints": [gpu.power["min"] * 1000, gpu.power["max"] * 1000],
        "persistence": int(gpu.persistence),
        "mig_mode": NOT_SUPPORTED if gpu.mig is None else [int(gpu.mig)] * 2,
        "mig": [[row["uuid"], f"{gpu.name} MIG {row['profile']}", row["memory"]] for row in gpu.mig_devices],
        "ecc": has_ecc,
        "errors": errors,
        "remapped": [0, 0, 0, 0],
        "recovery": {"return": 0, "type": 1, "value": 0},
        "fabric_v2": expected_fabric(host, gpu, 2),
        "fabric_v3": expected_fabric(host, gpu, 3),
        "links": expected_links(host, index, gpu),
        "compute": expected_processes(host, index),
        "graphics": [],
        "mps": [],
    }


@pytest.fixture(scope="module")
def answers():
    kept = {}

    def answer(name):
        if name not in kept:
            kept[name] = read(name)
        return kept[name]

    return answer


@pytest.mark.parametrize(
    ("name", "pair", "path"),
    [("kpro6", (0, 3), "NODE"), ("kpro6", (3, 4), "SYS"), ("hgx-b200", (0, 1), "NODE"), ("hidden-owner", (0, 1), "PHB")],
)
def test_common_ancestor(name, pair, path, answers):
    levels = answers(name)["levels"]
    assert levels[pair[0]][pair[1]] == levels[pair[1]][pair[0]] == LEVELS[path]
    assert levels[pair[0]][pair[0]] == 0


def test_a_sick_gpu_says_so():
    """What no recorded host has: every number of it other than on a healthy one."""
    sick = {
        "ecc": {"volatile": 3, "aggregate": 41},
        "remapped": {"pending": True, "failure": True},
        "recovery": "Drain and Reset",
        "persistence": False,
        "nvlinks_down": [4],
        "fabric": {
            "status": "Insufficient Resources",
            "health": "Unhealthy",
            "clique_id": 7,
            "cluster_uuid": "00112233-4455-6677-8899-aabbccddeeff",
        },
    }
    graphics = {"pid": 9, "type": "C+G", "name": "/usr/bin/x", "gpus": {2: None}, "command": ["x"], "cgroup": "0::/"}
    mps = {**graphics, "pid": 10, "type": "M", "gpus": {2: 512}}
    gpu = read("hgx-b200", {"gpus": {2: sick}, "processes": [graphics, mps]})["gpus"][2]
    fabric = {"state": 3, "status": 23, "clique": 7, "cluster": "00112233445566778899aabbccddeeff"}
    assert gpu["errors"] == [3, 41]
    assert gpu["remapped"] == [0, 0, 1, 1]
    assert gpu["recovery"] == {"return": 0, "type": 1, "value": 4}
    assert gpu["persistence"] == 0
    assert gpu["links"]["found"] == ["switch"] * 4 + ["down"] + ["switch"] * 13
    assert gpu["fabric_v2"] == {**fabric, "summary": None}
    assert gpu["fabric_v3"] == {**fabric, "summary": 2}
    assert gpu["compute"] == gpu["graphics"] == [[9, None, "/usr/bin/x"]]
    assert gpu["mps"] == [[10, 512 * MIB, "/usr/bin/x"]]


@pytest.mark.parametrize("error", [4, 9, 18, 999])
def test_init_refuses(error):
    assert read("kpro6", {"faults": {"nvml": [{"call": "nvmlInit_v2", "error": error}]}}) == {"error": error}


def test_mismatch_is_refused():
    assert read("mismatch") == {"error": 18}


def test_one_call_fails_on_one_gpu_only():
    fault = {"call": "nvmlDeviceGetMemoryInfo_v2", "gpu": 1, "error": 15}
    gpus = read("a6000-lost", {"faults": {"nvml": [fault]}})["gpus"]
    assert "total" in gpus[0]["memory"]
    assert gpus[1]["memory"] == {"error": 15}


def test_an_absent_call_is_not_found():
    gpu = read("a6000-lost", {"faults": {"absent": ["nvmlDeviceGetGpuFabricInfoV"]}})["gpus"][0]
    assert gpu["fabric_v2"] == {"error": 13}


def test_init_hangs_until_it_is_killed():
    hang = {"faults": {"nvml": [{"call": "nvmlInit_v2", "error": "hang"}]}}
    environment = {**os.environ, "LD_LIBRARY_PATH": str(recorded("kpro6", hang) / "lib")}
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run([sys.executable, READER], env=environment, capture_output=True, timeout=2, check=True)
