# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Our NVML structs and constants held to NVIDIA's own nvml.h (PyPI: nvidia-nvml-dev), as a C compiler reads it."""

from __future__ import annotations

import ctypes
import subprocess
import sysconfig
from pathlib import Path

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia import nvml, nvml_fabric

HEADERS = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/**/include/nvml.h"))
pytestmark = pytest.mark.skipif(not HEADERS, reason="nvidia-nvml-dev is not installed: targets' Pythons have no packages")

STRUCTS = {
    # the type in nvml.h, and ours
    "nvmlPciInfo_t": nvml.PciInfo,
    "nvmlMemory_v2_t": nvml.Memory,
    "nvmlProcessInfo_t": nvml.ProcessInfo,
    "nvmlFieldValue_t": nvml.FieldValue,
    "nvmlValue_t": nvml.Value,
    "nvmlDeviceAttributes_t": nvml.DeviceAttributes,
    "nvmlGpuFabricInfo_v2_t": nvml.FabricInfoV2,
    "nvmlGpuFabricInfo_v3_t": nvml.FabricInfoV3,
}

VERSIONS = {
    "nvmlMemory_v2": nvml.struct_version(nvml.Memory, 2),
    "nvmlGpuFabricInfo_v2": nvml.struct_version(nvml.FabricInfoV2, 2),
    "nvmlGpuFabricInfo_v3": nvml.struct_version(nvml.FabricInfoV3, 3),
}

NUMBERS = {
    "NVML_FI_DEV_GET_GPU_RECOVERY_ACTION": nvml.FIELD_RECOVERY_ACTION,
    "NVML_NVLINK_MAX_LINKS": nvml.NVLINK_MAX_LINKS,
    "NVML_NVLINK_DEVICE_TYPE_GPU": nvml.DEVICE_TYPE_GPU,
    "NVML_NVLINK_DEVICE_TYPE_SWITCH": nvml.DEVICE_TYPE_SWITCH,
    "NVML_AFFINITY_SCOPE_NODE": nvml.AFFINITY_SCOPE_NODE,
    "NVML_MEMORY_ERROR_TYPE_UNCORRECTED": nvml.UNCORRECTED,
    "NVML_VOLATILE_ECC": nvml.VOLATILE_COUNTER,
    "NVML_AGGREGATE_ECC": nvml.AGGREGATE_COUNTER,
    "(unsigned long long)NVML_VALUE_NOT_AVAILABLE": nvml.MEMORY_NOT_AVAILABLE,
    "NVML_SUCCESS": nvml.SUCCESS,
    "NVML_ERROR_INVALID_ARGUMENT": nvml.INVALID_ARGUMENT,
    "NVML_ERROR_NOT_SUPPORTED": nvml.NOT_SUPPORTED,
    "NVML_ERROR_NO_PERMISSION": nvml.NO_PERMISSION,
    "NVML_ERROR_INSUFFICIENT_SIZE": nvml.INSUFFICIENT_SIZE,
    "NVML_ERROR_DRIVER_NOT_LOADED": nvml.DRIVER_NOT_LOADED,
    "NVML_ERROR_LIBRARY_NOT_FOUND": nvml.LIBRARY_NOT_FOUND,
    "NVML_ERROR_FUNCTION_NOT_FOUND": nvml.FUNCTION_NOT_FOUND,
    "NVML_ERROR_GPU_IS_LOST": nvml.GPU_IS_LOST,
    "NVML_ERROR_RESET_REQUIRED": nvml.RESET_REQUIRED,
    "NVML_ERROR_LIB_RM_VERSION_MISMATCH": nvml.LIB_RM_VERSION_MISMATCH,
    "NVML_ERROR_ARGUMENT_VERSION_MISMATCH": nvml.ARGUMENT_VERSION_MISMATCH,
    "NVML_ERROR_DEPRECATED": nvml.DEPRECATED,
    "NVML_ERROR_UNKNOWN": nvml.UNKNOWN,
}

WORDS = [
    # (a number of nvml.h, what it is called here)
    ("NVML_TOPOLOGY_INTERNAL", nvml.TOPOLOGY_LEVELS, "PIX"),
    ("NVML_TOPOLOGY_SINGLE", nvml.TOPOLOGY_LEVELS, "PIX"),
    ("NVML_TOPOLOGY_MULTIPLE", nvml.TOPOLOGY_LEVELS, "PXB"),
    ("NVML_TOPOLOGY_HOSTBRIDGE", nvml.TOPOLOGY_LEVELS, "PHB"),
    ("NVML_TOPOLOGY_NODE", nvml.TOPOLOGY_LEVELS, "NODE"),
    ("NVML_TOPOLOGY_SYSTEM", nvml.TOPOLOGY_LEVELS, "SYS"),
    ("NVML_GPU_FABRIC_STATE_NOT_SUPPORTED", nvml.FABRIC_STATES, "not_supported"),
    ("NVML_GPU_FABRIC_STATE_NOT_STARTED", nvml.FABRIC_STATES, "not_started"),
    ("NVML_GPU_FABRIC_STATE_IN_PROGRESS", nvml.FABRIC_STATES, "in_progress"),
    ("NVML_GPU_FABRIC_STATE_COMPLETED", nvml.FABRIC_STATES, "completed"),
    ("NVML_GPU_FABRIC_HEALTH_SUMMARY_NOT_SUPPORTED", nvml.FABRIC_SUMMARIES, "N/A"),
    ("NVML_GPU_FABRIC_HEALTH_SUMMARY_HEALTHY", nvml.FABRIC_SUMMARIES, "Healthy"),
    ("NVML_GPU_FABRIC_HEALTH_SUMMARY_UNHEALTHY", nvml.FABRIC_SUMMARIES, "Unhealthy"),
    ("NVML_GPU_FABRIC_HEALTH_SUMMARY_LIMITED_CAPACITY", nvml.FABRIC_SUMMARIES, "Limited Capacity"),
    ("NVML_GPU_RECOVERY_ACTION_NONE", nvml.RECOVERY_ACTIONS, "none"),
    ("NVML_GPU_RECOVERY_ACTION_GPU_RESET", nvml.RECOVERY_ACTIONS, "gpu_reset"),
    ("NVML_GPU_RECOVERY_ACTION_NODE_REBOOT", nvml.RECOVERY_ACTIONS, "node_reboot"),
    ("NVML_GPU_RECOVERY_ACTION_DRAIN_P2P", nvml.RECOVERY_ACTIONS, "drain_p2p"),
    ("NVML_GPU_RECOVERY_ACTION_DRAIN_AND_RESET", nvml.RECOVERY_ACTIONS, "drain_and_reset"),
    ("NVML_GPU_RECOVERY_ACTION_RECOVER_IMEX_DOMAIN", nvml.RECOVERY_ACTIONS, "recover_imex_domain"),
    ("NVML_GPU_RECOVERY_ACTION_BUS_RESET", nvml.RECOVERY_ACTIONS, "bus_reset"),
    ("NVML_GPU_RECOVERY_ACTION_SYSTEM_REBOOT", nvml.RECOVERY_ACTIONS, "system_reboot"),
    ("NVML_DEVICE_ARCH_KEPLER", nvml.ARCHITECTURES, "kepler"),
    ("NVML_DEVICE_ARCH_MAXWELL", nvml.ARCHITECTURES, "maxwell"),
    ("NVML_DEVICE_ARCH_PASCAL", nvml.ARCHITECTURES, "pascal"),
    ("NVML_DEVICE_ARCH_VOLTA", nvml.ARCHITECTURES, "volta"),
    ("NVML_DEVICE_ARCH_TURING", nvml.ARCHITECTURES, "turing"),
    ("NVML_DEVICE_ARCH_AMPERE", nvml.ARCHITECTURES, "ampere"),
    ("NVML_DEVICE_ARCH_ADA", nvml.ARCHITECTURES, "ada_lovelace"),
    ("NVML_DEVICE_ARCH_HOPPER", nvml.ARCHITECTURES, "hopper"),
    ("NVML_DEVICE_ARCH_BLACKWELL", nvml.ARCHITECTURES, "blackwell"),
    ("NVML_DEVICE_ARCH_RUBIN", nvml.ARCHITECTURES, "rubin"),
]

MASK = "NVML_GPU_FABRIC_HEALTH_MASK_"
HEALTH_BITS = [
    # (element of nvidia-smi -q -x, name in nvml.h, words for its values)
    ("bandwidth", "DEGRADED_BW", {"NOT_SUPPORTED": "N/A", "TRUE": "Degraded", "FALSE": "Full"}),
    ("route_recovery_in_progress", "ROUTE_RECOVERY", {"NOT_SUPPORTED": "N/A", "TRUE": "True", "FALSE": "False"}),
    ("route_unhealthy", "ROUTE_UNHEALTHY", {"NOT_SUPPORTED": "N/A", "TRUE": "True", "FALSE": "False"}),
    ("access_timeout_recovery", "ACCESS_TIMEOUT_RECOVERY", {"NOT_SUPPORTED": "N/A", "TRUE": "True", "FALSE": "False"}),
]


@pytest.fixture(scope="module")
def header(tmp_path_factory):
    """Ask the compiler for the values of expressions: a function from expressions to numbers."""
    folder = tmp_path_factory.mktemp("header")

    def ask(expressions):
        lines = ['  printf("%%llu\\n", (unsigned long long)(%s));' % expression for expression in expressions]
        program = "#include <stddef.h>\n#include <stdio.h>\n#include <nvml.h>\nint main(void) {\n%s\n}\n" % "\n".join(lines)
        (folder / "ask.c").write_text(program)
        subprocess.run(["gcc", "-w", "-I", str(HEADERS[-1].parent), "ask.c", "-o", "ask"], cwd=str(folder), check=True)
        printed = subprocess.run([str(folder / "ask")], stdout=subprocess.PIPE, check=True).stdout
        return dict(zip(expressions, map(int, printed.split())))

    return ask


def test_layouts(header):
    ours = {}
    for name, struct in STRUCTS.items():
        ours["sizeof(%s)" % name] = ctypes.sizeof(struct)
        for field in struct._fields_:
            ours["offsetof(%s, %s)" % (name, field[0])] = getattr(struct, field[0]).offset
            ours["sizeof(((%s *)0)->%s)" % (name, field[0])] = getattr(struct, field[0]).size
    assert ours == header(list(ours))


def test_numbers(header):
    expected = dict(NUMBERS, **VERSIONS)
    assert header(list(expected)) == expected


def test_words(header):
    numbers = header([name for name, unused, unused in WORDS])
    assert [(name, words.get(numbers[name])) for name, words, unused in WORDS] == [(name, word) for name, unused, word in WORDS]
    for table in (nvml.TOPOLOGY_LEVELS, nvml.FABRIC_STATES, nvml.FABRIC_SUMMARIES, nvml.RECOVERY_ACTIONS, nvml.ARCHITECTURES):
        assert len(table) == len([words for unused, words, unused in WORDS if words is table])


def test_errors(header):
    """Every error is called as nvml.h calls it, and none that it has is missing."""
    names = {"NVML_SUCCESS": "success"}
    for line in HEADERS[-1].read_text().splitlines():
        word = line.split()[:1]
        if word and word[0].startswith("NVML_ERROR_") and "=" in line:
            names[word[0]] = word[0][len("NVML_ERROR_") :].lower()
    numbers = header(list(names))
    assert {numbers[name]: word for name, word in names.items()} == nvml.ERRORS


def test_health_mask(header):
    expected = []
    for element, name, words in HEALTH_BITS:
        numbers = header([MASK + "SHIFT_" + name, MASK + "WIDTH_" + name] + [MASK + name + "_" + value for value in words])
        assert numbers[MASK + "WIDTH_" + name] == 3
        expected.append(
            (
                element,
                numbers[MASK + "SHIFT_" + name],
                {numbers[MASK + name + "_" + value]: word for value, word in words.items()},
            )
        )
    assert list(nvml_fabric._BITS) == expected
    name = "INCORRECT_CONFIGURATION"
    numbers = header([MASK + "SHIFT_" + name, MASK + "WIDTH_" + name, MASK + name + "_NOT_SUPPORTED", MASK + name + "_NONE"])
    assert list(numbers.values()) == [nvml_fabric._CONFIGURATION_SHIFT, 0xF, 0, 1]
