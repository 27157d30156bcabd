# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""nvml.c held to NVIDIA's own nvml.h: the prototype of each function, the size and offsets of each struct."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

pytest.importorskip("yaml")

from tests.standin import load
from tests.standin.libraries import SOURCES, data


def header_folder():
    packages = Path(sysconfig.get_path("purelib"))
    return next((path.parent for path in sorted(packages.glob("nvidia/**/include/nvml.h"))), None)


FOLDER = header_folder()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="nvidia-nvml-dev is not installed")

STRUCTS = {
    "nvmlPciInfo_t": "busIdLegacy domain bus device pciDeviceId pciSubSystemId busId",
    "nvmlMemory_v2_t": "version total reserved free used",
    "nvmlProcessInfo_t": "pid usedGpuMemory gpuInstanceId computeInstanceId",
    "nvmlDeviceAttributes_t": "multiprocessorCount sharedCopyEngineCount sharedDecoderCount sharedEncoderCount"
    " sharedJpegCount sharedOfaCount gpuInstanceSliceCount computeInstanceSliceCount memorySizeMB",
    "nvmlFieldValue_t": "fieldId scopeId timestamp latencyUsec valueType nvmlReturn value",
    "nvmlGpuFabricInfo_v2_t": "version clusterUuid status cliqueId state healthMask",
    "nvmlGpuFabricInfo_v3_t": "version clusterUuid status cliqueId state healthMask healthSummary",
    "nvmlValue_t": "dVal uiVal ullVal",
}


def compile_c(folder, *arguments):
    done = subprocess.run(
        ["gcc", "-Wall", "-Wextra", "-Werror", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def layout(folder, header, *arguments):
    rows = [f'    printf("{struct} %zu\\n", sizeof({struct}));' for struct in STRUCTS]
    for struct, members in STRUCTS.items():
        for member in members.split():
            place = f"offsetof({struct}, {member}), sizeof((({struct} *)0)->{member})"
            rows.append(f'    printf("{struct}.{member} %zu %zu\\n", {place});')
    body = "\n".join(rows)
    includes = f"#include <stddef.h>\n#include <stdio.h>\n#include {header}\n"
    (folder / "layout.c").write_text(f"{includes}int main(void)\n{{\n{body}\n    return 0;\n}}\n")
    compile_c(folder, "layout.c", "-o", "layout", *arguments)
    return subprocess.run([folder / "layout"], capture_output=True, text=True, check=True).stdout.splitlines()


def test_layouts(tmp_path):
    real = layout(tmp_path, "<nvml.h>", f"-I{FOLDER}")
    ours = layout(tmp_path, '"nvml_abi.h"', f"-I{SOURCES}")
    assert ours == real
    assert len(real) > len(STRUCTS)


def test_prototypes(tmp_path):
    """The compiler refuses a definition that differs from its declaration in nvml.h."""
    (tmp_path / "host_data.h").write_text(data(load("b200-rental")))
    source = str(SOURCES / "nvml.c")
    # nvml.h marks functions as deprecated; to define one is no use of it
    arguments = ["-DHOLD_TO_NVML_H", f"-I{FOLDER}", "-include", "host_data.h", "-c", "-o", "nvml.o"]
    compile_c(tmp_path, *arguments, source)


def test_every_function_is_declared_there():
    text = (SOURCES / "nvml.c").read_text()
    ours = re.findall(r"^(?:nvmlReturn_t|const char \*)\s*(nvml\w+)\(", text, re.MULTILINE)
    declared = (FOLDER / "nvml.h").read_text()
    assert len(ours) > 40
    assert [name for name in ours if not re.search(rf"\b{name} *\(", declared)] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NVML_FI_DEV_GET_GPU_RECOVERY_ACTION", "230"),
        ("NVML_GPU_FABRIC_STATE_IN_PROGRESS", "2"),
        ("NVML_GPU_FABRIC_STATE_COMPLETED", "3"),
        ("NVML_GPU_FABRIC_HEALTH_SUMMARY_HEALTHY", "1"),
        ("NVML_DEVICE_ARCH_AMPERE", "7"),
        ("NVML_DEVICE_ARCH_HOPPER", "9"),
        ("NVML_DEVICE_ARCH_BLACKWELL", "10"),
    ],
)
def test_numbers(name, value):
    assert re.search(rf"^#define {name} +{value}\b", (FOLDER / "nvml.h").read_text(), re.MULTILINE)
