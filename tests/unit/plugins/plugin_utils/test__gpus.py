# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import (
    Container,
    Cuda,
    Ecc,
    Fabric,
    Fault,
    Gpu,
    MigDevice,
    Nvlink,
    Pcie,
    Process,
    RemappedRows,
)
from ansible_collections.inference.recon.plugins.plugin_utils._gpus import Use, describe_uses

from tests.unit.plugins.plugin_utils.stories import b200, pro6000

SERVER = Process(7, "python3", "compute", 900, unit="sglang.service", user="svc")
INSIDE = Process(7, "python3", "compute", 900, container=Container("docker", "engine"))
CASES = [
    (pro6000(0), Use("free", "free", "97887 MiB each", "healthy, CUDA works, PCIe 5 x16")),
    (b200(0), Use("free", "free", "183359 MiB each", "healthy, CUDA works, fabric up, PCIe 5 x16")),
    (
        replace(pro6000(0), cuda=Cuda(), pcie=Pcie(5, 1, 16, 8)),
        Use("free", "free", "97887 MiB each", "healthy, CUDA not tried, PCIe 5 x8 OF x16"),
    ),
    (
        replace(pro6000(0), memory_used_mib=900, processes=(SERVER, INSIDE)),
        Use("busy", "BUSY", "900 of 97887 MiB", "sglang.service  pid 7  user svc  and 1 more"),
    ),
    (
        replace(pro6000(0), memory_used_mib=900, processes=(INSIDE,)),
        Use("busy", "BUSY", "900 of 97887 MiB", "container engine  pid 7"),
    ),
    (replace(pro6000(0), processes=None), Use("unknown", "?", "97887 MiB", "whether it is in use: ?")),
    (replace(pro6000(0), memory_used_mib=None), Use("unknown", "?", "97887 MiB", "whether it is in use: ?")),
    (
        replace(pro6000(0), cuda=Cuda(usable=False, error="802 CUDA_ERROR_SYSTEM_NOT_READY")),
        Use("fault", "BROKEN", "97887 MiB", "CUDA fails: 802 CUDA_ERROR_SYSTEM_NOT_READY"),
    ),
    (
        Gpu(index=0, state="lost", faults=(Fault("gpu_lost", "GPU is lost"),)),
        Use("fault", "LOST", "? MiB", "gpu_lost: GPU is lost"),
    ),
    (Gpu(index=0), Use("unknown", "?", "? MiB", "cannot be asked")),
    (
        replace(b200(0), fabric=Fabric("in_progress")),
        Use("fault", "FABRIC", "183359 MiB", "fabric not up (in_progress); CUDA fails until it is"),
    ),
    (
        replace(b200(0), fabric=Fabric("completed", "insufficient_resources", "healthy")),
        Use("fault", "FABRIC", "183359 MiB", "fabric not up (insufficient_resources); CUDA fails until it is"),
    ),
    (
        replace(b200(0), fabric=Fabric("completed", "success", "unhealthy")),
        Use("fault", "FABRIC", "183359 MiB", "fabric not up (unhealthy); CUDA fails until it is"),
    ),
    (
        replace(b200(0), fabric=Fabric("in_progress"), cuda=Cuda(usable=False, error="802 CUDA_ERROR_SYSTEM_NOT_READY")),
        Use("fault", "FABRIC", "183359 MiB", "fabric not up (in_progress); CUDA fails: 802 CUDA_ERROR_SYSTEM_NOT_READY"),
    ),
    (
        replace(b200(0), fabric=Fabric("completed", "success", "limited_capacity")),
        Use("free", "free", "183359 MiB each", "healthy, CUDA works, fabric limited_capacity, PCIe 5 x16"),
    ),
    (replace(b200(0), fabric=Fabric()), Use("free", "free", "183359 MiB each", "health ?, CUDA works, fabric ?, PCIe 5 x16")),
    (
        replace(b200(0), fabric=Fabric("completed", "success")),
        Use("free", "free", "183359 MiB each", "health ?, CUDA works, fabric ?, PCIe 5 x16"),
    ),
    (
        replace(b200(0), fabric=Fabric("completed", "success"), not_supported=("fabric.health",)),
        Use("free", "free", "183359 MiB each", "healthy, CUDA works, fabric up, PCIe 5 x16"),
    ),
    (
        replace(b200(0), nvlink=Nvlink(17, 18)),
        Use("free", "free", "183359 MiB each", "NVLINKS 17 OF 18, CUDA works, fabric up, PCIe 5 x16"),
    ),
    (replace(pro6000(0), ecc=Ecc()), Use("free", "free", "97887 MiB each", "health ?, CUDA works, PCIe 5 x16")),
    (
        replace(pro6000(0), ecc=Ecc(True, 3, 3), remapped_rows=RemappedRows(True, True)),
        Use(
            "free",
            "free",
            "97887 MiB each",
            "UNCORRECTED ECC ERRORS: 3, ROW REMAPPING FAILED, ROW REMAPPING WAITS FOR A RESET, CUDA works, PCIe 5 x16",
        ),
    ),
    (
        replace(pro6000(0), mig_mode="enabled", mig_devices=(MigDevice("MIG-1", "1g.24gb", 24000),)),
        Use("free", "free", "97887 MiB each", "healthy, CUDA works, MIG on, 1 slices, PCIe 5 x16"),
    ),
    (
        replace(pro6000(0), mig_mode="enabled", mig_devices=(), memory_used_mib=None),
        Use("unknown", "?", "97887 MiB", "whether it is in use: ?, MIG on, 0 slices"),
    ),
]


@pytest.mark.parametrize(("gpu", "use"), CASES)
def test_use(gpu: Gpu, use: Use) -> None:
    assert describe_uses([gpu], [])[0][1] == use


@pytest.mark.parametrize("subject", ["GPU 0", "GPU-pro-0", "GPU at 0000:01:00.0"])
def test_hidden_owner_is_never_free(subject: str) -> None:
    gpu = replace(pro6000(0), memory_used_mib=56077, pci_bus_id="0000:01:00.0")
    ((unused, use),) = describe_uses([gpu], [Problem("nvml", "owner_hidden", "", subject)])
    assert use == Use("busy", "BUSY", "56077 of 97887 MiB", "owner ? (not visible from here)")


def test_another_gpus_hidden_owner_is_not_this_ones() -> None:
    uses = describe_uses([pro6000(1), pro6000(11)], [Problem("nvml", "owner_hidden", "", "GPU 1")])
    assert [use.kind for unused, use in uses] == ["busy", "free"]
