# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia import state
from ansible_collections.inference.recon.plugins.module_utils._nvidia.smi_text import answer_in, nvml_version_in, split_lost
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Fault

ANSWERS = [
    # (what nvidia-smi says, how the driver answered): driver-failures 02-08
    ("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.124\n", state.MISMATCH),
    ("Failed to initialize NVML: Unknown Error\n", state.REFUSED),
    ("Failed to initialize NVML: Insufficient Permissions\n", state.REFUSED),
    ("Failed to initialize NVML: Function Not Found\n", state.FAILED),
    ("Failed to initialize NVML: Driver Not Loaded\n", state.NO_DRIVER),
    ("Failed to initialize NVML: GPU access blocked by the operating system\n", state.FAILED),
    ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that…\n", state.NO_DRIVER),
    ("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.\n", state.NO_LIBRARY),
    ("No devices were found\n", state.NO_DEVICES),
    ("Unable to determine the device handle for GPU0000:07:00.0: Unknown Error\n", None),
    ("[Unknown Error]", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "answer"), ANSWERS)
def test_answers(text, answer):
    assert answer_in(text) == answer


VERSIONS = [
    ("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.124\n", "570.124"),
    ("NVML library version: 580.126.20\n", "580.126.20"),
    ("NVML version        : 590.48\n", None),
    ("NVML library version: soon\n", None),
]


@pytest.mark.parametrize(("text", "version"), VERSIONS)
def test_nvml_versions(text, version):
    assert nvml_version_in(text) == version


LOST = [
    # (line, bus id, fault): driver-failures 11, 12, 14; a lost GPU as nvidia-smi words it
    ("Unable to determine the device handle for GPU0000:07:00.0: Unknown Error", "0000:07:00.0", "unreadable"),
    ("Unable to determine the device handle for GPU 0000:09:00.0: Unknown Error", "0000:09:00.0", "unreadable"),
    ("Unable to determine the device handle for GPU 000:BA:80.0: Unknown Error", None, "unreadable"),
    (
        "Unable to determine the device handle for GPU 0000:41:00.0: GPU is lost.  Reboot the system to recover this GPU",
        "0000:41:00.0",
        "gpu_lost",
    ),
]


@pytest.mark.parametrize(("line", "bus", "code"), LOST)
def test_lost_gpus(line, bus, code):
    rest, rows = split_lost("before\n" + line + "\nafter")
    assert rest == "before\nafter"
    assert [(row.index, row.cells, row.faults) for row in rows] == [
        (None, {"pci_bus_id": (bus, "")} if bus else {}, (Fault(code, line),))
    ]


def test_nothing_lost():
    assert split_lost("GPU0\t X \n") == ("GPU0\t X ", [])
