# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From cells to a GPU: its state, its faults, what it does not support, and a problem for each other null."""

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.assemble import IDLE_MIB, gpu_of, is_idle
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import (
    HIDDEN,
    LOST,
    MISSING,
    NOT_IN_FORMAT,
    NOT_PERMITTED,
    NOT_SUPPORTED,
    RESET_REQUIRED,
    UNREADABLE,
    Row,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import Card
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Fault, Gpu, Process

CELLS = {
    "uuid": ("GPU-0", ""),
    "name": ("NVIDIA B200", ""),
    "pci_bus_id": ("0000:1b:00.0", ""),
    "memory_total_mib": (183359, ""),
    "memory_used_mib": (4, ""),
    "memory_free_mib": (182628, ""),
    "numa_affinity": ("0", ""),
    "fabric.state": ("completed", ""),
    "recovery_action": ("none", ""),
    "processes": ([], ""),
}


def built(tree, changes=(), faults=()):
    return gpu_of(tree, Row(0, dict(CELLS, **dict(changes)), faults), "nvml", {})


def test_a_healthy_one(tree):
    gpu, problems = built(tree)
    assert (gpu.index, gpu.state, gpu.faults, gpu.product) == (0, "ok", (), "b200")
    assert (gpu.memory_used_mib, gpu.fabric.state, gpu.numa_node) == (4, "completed", 0)
    assert gpu.not_supported == ()
    assert problems == []


STATES = [
    # a field, what its cell says, the state that makes, and the faults
    ("memory_used_mib", (None, "%s: GPU is lost" % LOST), "lost", ["gpu_lost"]),
    ("memory_used_mib", (None, "%s: ERR!" % UNREADABLE), "error", ["unreadable"]),
    ("memory_used_mib", (None, "%s: GPU requires reset" % RESET_REQUIRED), "reset_required", ["reset_required"]),
    ("memory_used_mib", (None, MISSING), "unknown", []),
    ("fabric.state", (None, MISSING), "unknown", []),
    ("fabric.state", (None, NOT_SUPPORTED), "ok", []),
    ("fabric.state", (None, NOT_PERMITTED), "ok", []),
    ("recovery_action", (None, "%s: too old" % NOT_IN_FORMAT), "ok", []),
    ("recovery_action", ("gpu_reset", ""), "reset_required", ["recovery_action"]),
    ("recovery_action", ("drain_and_reset", ""), "reset_required", ["recovery_action"]),
    ("uuid", (None, NOT_SUPPORTED), "unknown", []),
    ("uuid", (None, NOT_PERMITTED), "unknown", []),
    ("memory_total_mib", (None, NOT_SUPPORTED), "unknown", []),
]


@pytest.mark.parametrize(("field", "cell", "state", "faults"), STATES)
def test_states(tree, field, cell, state, faults):
    gpu, problems = built(tree, {field: cell})
    assert (gpu.state, [fault.code for fault in gpu.faults]) == (state, faults)
    asked_to_explain = cell[0] is None and cell[1] != NOT_SUPPORTED
    assert [problem.subject for problem in problems] == ["GPU 0"] * asked_to_explain
    assert (field in gpu.not_supported) == (cell[1] == NOT_SUPPORTED)


def test_the_worst_fault_decides(tree):
    faults = (Fault("gpu_lost", "x"),)
    assert built(tree, {"recovery_action": ("gpu_reset", "")}, faults)[0].state == "lost"


def test_a_handle_that_could_not_be_had(tree):
    gpu, problems = gpu_of(tree, Row(3, {}, (Fault("gpu_lost", "words"),)), "nvml", {})
    assert (gpu.index, gpu.state, gpu.uuid, gpu.memory_used_mib, gpu.processes) == (3, "lost", None, None, None)
    assert {problem.subject for problem in problems} <= {"GPU 3"}


MIG = [
    # what N/A means with MIG on and off: hidden, or not there
    ("enabled", (), ["memory_used_mib"]),
    ("disabled", ("memory_used_mib",), []),
    (None, ("memory_used_mib",), []),
]


@pytest.mark.parametrize(("mode", "not_supported", "hidden"), MIG)
def test_mig(tree, mode, not_supported, hidden):
    gpu, problems = built(tree, {"mig_mode": (mode, ""), "memory_used_mib": (None, NOT_SUPPORTED)})
    assert gpu.memory_used_mib is None
    assert gpu.not_supported == not_supported
    assert [problem.message.split()[0] for problem in problems if problem.code == HIDDEN] == hidden


MIG_DEVICES = [
    # (MIG devices, what is not told of them)
    ([], None),
    ([{"uuid": "MIG-0", "profile": "1g.18gb", "memory_mib": 16384}], None),
    ([{"uuid": None, "profile": None, "memory_mib": 16384}], "does not tell uuid, profile of the MIG devices"),
    ([{"uuid": "MIG-0", "profile": "1g.18gb", "memory_mib": None}], "does not tell memory_mib of the MIG devices"),
]


@pytest.mark.parametrize(("devices", "message"), MIG_DEVICES)
def test_mig_devices(tree, devices, message):
    gpu, problems = built(tree, {"mig_devices": (devices, "")})
    assert [device.memory_mib for device in gpu.mig_devices] == [device["memory_mib"] for device in devices]
    assert [(problem.code, problem.message) for problem in problems] == ([(HIDDEN, message)] if message else [])


def test_a_card_without_a_name_is_known_by_its_place_on_the_bus(tree):
    cards = {"0000:1b:00.0": Card("0000:1b:00.0", "2bb5", "nvidia", 0)}
    row = Row(0, dict(CELLS, name=(None, "%s: ERR!" % UNREADABLE)))
    assert gpu_of(tree, row, "nvml", cards)[0].product == "rtx_pro_6000_server"
    assert gpu_of(tree, row, "nvml", {})[0].product is None


NUMA = [("0", 0), ("1", 1), ("0-1", None), ("0,3-9", None), (None, None)]


@pytest.mark.parametrize(("affinity", "node"), NUMA)
def test_numa_node(tree, affinity, node):
    gpu, unused = built(tree, {"numa_affinity": (affinity, "" if affinity else NOT_SUPPORTED)})
    assert (gpu.numa_affinity, gpu.numa_node) == (affinity, node)


def test_an_owner_that_is_hidden(tree):
    gpu, problems = built(tree, {"memory_used_mib": (56077, "")})
    assert gpu.processes == ()
    assert [(problem.code, problem.subject) for problem in problems] == [("owner_hidden", "GPU 0")]
    assert "56077 MiB" in problems[0].message


PROCESS = Process(1, "x", "compute", 8)
IDLE = [
    (Gpu(processes=(), memory_used_mib=0), True),
    (Gpu(processes=(), memory_used_mib=IDLE_MIB), True),
    (Gpu(processes=(), memory_used_mib=56077), False),
    (Gpu(processes=(PROCESS,), memory_used_mib=0), False),
    (Gpu(processes=(), memory_used_mib=None), False),
    (Gpu(processes=None, memory_used_mib=0), False),
]


@pytest.mark.parametrize(("gpu", "idle"), IDLE)
def test_idle(gpu, idle):
    assert is_idle(gpu) == idle
