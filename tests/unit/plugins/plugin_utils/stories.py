# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosts of the stories, as facts: what a survey of each would bring."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any, Callable

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem, facts
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import (
    Cuda,
    Driver,
    Ecc,
    Fabric,
    Fault,
    Gpu,
    Libcuda,
    Link,
    Pcie,
    Process,
    RemappedRows,
    Topology,
)

DRIVER = Driver("580.126.20", "13.0", "13.580.126.20", "580.126.20", "open", nouveau_loaded=False, reboot_pending=False)
NO_DRIVER = Driver(nouveau_loaded=False, reboot_pending=False)
PCIE5 = Pcie(5, 1, 16, 16)
FABRIC_UP = Fabric("completed", "success", "healthy", 0, "00000000-0000-0000-0000-000000000000")


def by_socket(a: int, b: int) -> str:
    """Two sockets of four cards."""
    return "NODE" if a // 4 == b // 4 else "SYS"


def links(count: int, path_of: str | Callable[[int, int], str]) -> list[Link]:
    """One row per pair; one path for all, or a function of the pair."""
    rows = []
    for a, b in combinations(range(count), 2):
        path = path_of if isinstance(path_of, str) else path_of(a, b)
        rows.append(Link(a, b, path, int(path[2:]) if path.startswith("NV") else 0))
    return rows


def b200(index: int) -> Gpu:
    return Gpu(
        index=index,
        uuid=f"GPU-b200-{index}",
        name="NVIDIA B200",
        product="b200",
        memory_total_mib=183359,
        memory_used_mib=4,
        pcie=PCIE5,
        ecc=Ecc(enabled=True, volatile_uncorrected=0, aggregate_uncorrected=0),
        remapped_rows=RemappedRows(pending=False, failure=False),
        recovery_action="none",
        fabric=FABRIC_UP,
        cuda=Cuda(usable=True),
        processes=(),
        state="ok",
    )


def pro6000(index: int) -> Gpu:
    return Gpu(
        index=index,
        uuid=f"GPU-pro-{index}",
        name="NVIDIA RTX PRO 6000 Blackwell Server Edition",
        product="rtx_pro_6000_server",
        memory_total_mib=97887,
        memory_used_mib=2,
        pcie=PCIE5,
        cuda=Cuda(usable=True),
        processes=(),
        state="ok",
        ecc=Ecc(enabled=True, volatile_uncorrected=0, aggregate_uncorrected=0),
        remapped_rows=RemappedRows(pending=False, failure=False),
        recovery_action="none",
        not_supported=("fabric.clique_id", "fabric.cluster_uuid", "fabric.health", "fabric.state", "fabric.status"),
    )


def a6000(index: int) -> Gpu:
    return replace(
        pro6000(index), uuid=f"GPU-a6000-{index}", name="NVIDIA RTX A6000", product="rtx_a6000", memory_total_mib=49140
    )


def topology(gpus: list[Gpu], paths: list[Link], interconnect: str | None, **changes: Any) -> Topology:
    """A host where all is well but for what is changed."""
    count = len(gpus)
    well = Topology("nvml", "ok", DRIVER, Libcuda(), count, count, gpus, paths, interconnect, [])
    return replace(well, **changes)


def host_facts(what: Topology, *problems: Problem) -> dict[str, Any]:
    """The key ansible_facts of the module's result."""
    return facts("nvidia_topology", what, problems)


def kpro6() -> dict[str, Any]:
    server = Process(47028, "python", "compute", 56068, "ddtree-qwen.service", "systemd", "root")
    busy = replace(pro6000(0), memory_used_mib=56077, processes=(server,), cuda=Cuda())
    return host_facts(topology([busy, *map(pro6000, range(1, 8))], links(8, by_socket), "pcie"))


def dflash_train() -> dict[str, Any]:
    hidden = replace(pro6000(0), memory_used_mib=56077, cuda=Cuda())
    problem = Problem("nvml", "owner_hidden", "56077 MiB in use and no process to be seen", "GPU 0")
    return host_facts(topology([hidden, *map(pro6000, range(1, 8))], links(8, by_socket), "pcie"), problem)


def b200_rental() -> dict[str, Any]:
    cards = list(map(b200, range(7)))
    return host_facts(topology(cards, links(7, "NV18"), "nvlink_mesh", pci_gpu_count=8))


def hgx_off_mesh() -> dict[str, Any]:
    cards = [replace(b200(index), uuid=f"GPU-hgx-{index}") for index in range(8)]
    paths = links(8, lambda a, b: "SYS" if 5 in (a, b) else "NV18")
    return host_facts(topology(cards, paths, "nvlink_partial"))


def a6000_lost() -> dict[str, Any]:
    lost = replace(a6000(1), cuda=Cuda(usable=False, error="719 CUDA_ERROR_LAUNCH_FAILED"))
    return host_facts(topology([a6000(0), lost], links(2, "NV4"), "nvlink_mesh"))


def degraded() -> dict[str, Any]:
    lost = Gpu(index=1, uuid="GPU-a6000-1", pci_bus_id="0000:41:00.0", state="lost", faults=(Fault("gpu_lost", "GPU is lost"),))
    return host_facts(topology([a6000(0), lost], [], None, state="degraded"))


def mismatch() -> dict[str, Any]:
    driver = Driver("570.172.08", None, None, "570.133.20", "open", nouveau_loaded=False, reboot_pending=True)
    return host_facts(
        topology([], [], None, source="pci", state="driver_library_mismatch", driver=driver, pci_gpu_count=8, granted_gpu_count=8)
    )


def no_gpu() -> dict[str, Any]:
    return host_facts(topology([], [], None, source=None, state="no_gpu", driver=NO_DRIVER))
