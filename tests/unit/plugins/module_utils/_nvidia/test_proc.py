# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kernel side in /proc. The texts are those of the driver's README, chapter 'The /proc interface', and of real hosts."""

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.proc import (
    Grant,
    Module,
    parse_information,
    parse_version,
    read_grant,
    read_module,
)

OPEN = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.126.20  Release Build  (dvs-builder@U22-I3-B15-4-5)  "
    "Tue Jan 13 10:11:12 UTC 2026\nGCC version:  gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2~24.04)\n"
)
ARM = "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  570.133.20  Release Build  (x@y)  Fri Mar 14 2025\n"
PROPRIETARY = (
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n"
    "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n"
)

VERSIONS = [
    (OPEN, "580.126.20", "open"),
    (ARM, "570.133.20", "open"),
    (PROPRIETARY, "535.183.01", "proprietary"),
    (PROPRIETARY.replace("535.183.01", "590.48"), "590.48", "proprietary"),
    ("NVRM version: something else\n", None, None),
    ("", None, None),
    ("GCC version:  gcc version 12.2.0\n", None, None),
]


@pytest.mark.parametrize(("text", "version", "flavor"), VERSIONS)
def test_version(text, version, flavor):
    assert parse_version(text) == (version, flavor)


LOADED = "nvidia_uvm 2011136 0 - Live 0x0000000000000000 (O)\nnvidia 104009728 1 nvidia_uvm, Live 0x0000000000000000 (O)\n"

MODULES = [
    # what lies in /proc, and what is known of the module then
    (
        {"/proc/modules": LOADED, "/proc/driver/nvidia/version": OPEN},
        Module(True, "580.126.20", "open", False),
    ),
    ({"/proc/modules": "nouveau 1 0 - Live 0x0\n"}, Module(False, nouveau=True)),
    ({"/proc/modules": "xfs 1 0 - Live 0x0\n"}, Module(False, nouveau=False)),
    ({"/proc/modules": LOADED}, Module(True, nouveau=False)),
    ({"/proc/modules": LOADED, "/proc/driver/nvidia/version": "?"}, Module(True, None, None, False)),
    ({"/proc/driver/nvidia/version": OPEN}, Module(True, "580.126.20", "open", False)),
    ({"/proc/uptime": "1 1"}, Module(False, nouveau=False)),
    ({}, Module(None)),
]


@pytest.mark.parametrize(("files", "module"), MODULES)
def test_module(tree, files, module):
    assert read_module(tree.lay(files)) == module


def test_module_that_cannot_be_read(tree):
    tree.lay({"/proc/modules": "xfs 1 0 - Live 0x0\n"}, {"/proc/driver/nvidia/version": "nowhere"})
    assert read_module(tree) == Module(None, nouveau=False)


INFORMATION = "Model: \t\t NVIDIA B200\nBus Location: \t 0000:1b:00.0\nDevice Minor: \t %s\nGPU Excluded:\t No\n"


def test_information():
    assert parse_information(INFORMATION % "3") == {
        "Model": "NVIDIA B200",
        "Bus Location": "0000:1b:00.0",
        "Device Minor": "3",
        "GPU Excluded": "No",
    }


GRANTS = [
    # (files, what was granted)
    (
        {"/proc/driver/nvidia/gpus/0000:1B:00.0/information": INFORMATION % "0", "/dev/nvidia0": ""},
        Grant({"0000:1b:00.0": True}),
    ),
    ({"/proc/driver/nvidia/gpus/0000:1b:00.0/information": INFORMATION % "1"}, Grant({"0000:1b:00.0": False})),
    ({"/proc/driver/nvidia/gpus/0000:1b:00.0/information": INFORMATION % "?"}, Grant({"0000:1b:00.0": None})),
    ({"/proc/driver/nvidia/gpus/0000:1b:00.0/registry": ""}, Grant({"0000:1b:00.0": None})),
    ({"/proc/uptime": ""}, None),
]


@pytest.mark.parametrize(("files", "grant"), GRANTS)
def test_grant(tree, files, grant):
    assert read_grant(tree.lay(files)) == grant
