# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""What is said of a host's GPUs. The field names are the keys of the facts; units stand in the names."""

from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple


class ParseError(ValueError):
    """A text is not what its format promises. `line` quotes the offending one."""

    def __init__(self, why: str, line: str = "") -> None:
        super().__init__("%s: %r" % (why, line[:120]) if line else why)


@dataclass(frozen=True)
class Driver:
    version: Optional[str] = None
    cuda_version: Optional[str] = None
    nvml_version: Optional[str] = None
    module_version: Optional[str] = None
    module_flavor: Optional[str] = None
    nouveau_loaded: Optional[bool] = None
    reboot_pending: Optional[bool] = None


@dataclass(frozen=True)
class Libcuda:
    path: Optional[str] = None
    version: Optional[str] = None
    compat: Optional[bool] = None


@dataclass(frozen=True)
class Pcie:
    generation_max: Optional[int] = None
    generation_current: Optional[int] = None
    width_max: Optional[int] = None
    width_current: Optional[int] = None


@dataclass(frozen=True)
class Power:
    limit_watts: Optional[int] = None
    default_watts: Optional[int] = None
    min_watts: Optional[int] = None
    max_watts: Optional[int] = None


@dataclass(frozen=True)
class Ecc:
    enabled: Optional[bool] = None
    volatile_uncorrected: Optional[int] = None
    aggregate_uncorrected: Optional[int] = None


@dataclass(frozen=True)
class RemappedRows:
    pending: Optional[bool] = None
    failure: Optional[bool] = None


@dataclass(frozen=True)
class Fabric:
    state: Optional[str] = None
    status: Optional[str] = None
    health: Optional[str] = None
    clique_id: Optional[int] = None
    cluster_uuid: Optional[str] = None


@dataclass(frozen=True)
class Nvlink:
    links_active: Optional[int] = None
    links_total: Optional[int] = None


@dataclass(frozen=True)
class Cuda:
    usable: Optional[bool] = None
    error: Optional[str] = None


@dataclass(frozen=True)
class MigDevice:
    uuid: Optional[str]
    profile: Optional[str]
    memory_mib: Optional[int]


@dataclass(frozen=True)
class Container:
    engine: str
    name: Optional[str]
    image: Optional[str] = None


@dataclass(frozen=True)
class Process:
    pid: int
    name: Optional[str]
    type: Optional[str]
    memory_mib: Optional[int]
    unit: Optional[str] = None
    unit_manager: Optional[str] = None
    user: Optional[str] = None
    container: Optional[Container] = None


@dataclass(frozen=True)
class Fault:
    code: str
    message: str


@dataclass(frozen=True)
class Gpu:
    index: Optional[int] = None
    uuid: Optional[str] = None
    name: Optional[str] = None
    product: Optional[str] = None
    architecture: Optional[str] = None
    compute_capability: Optional[str] = None
    pci_bus_id: Optional[str] = None
    pci_device_id: Optional[str] = None
    minor_number: Optional[int] = None
    memory_total_mib: Optional[int] = None
    memory_used_mib: Optional[int] = None
    memory_free_mib: Optional[int] = None
    numa_node: Optional[int] = None
    numa_affinity: Optional[str] = None
    gpu_numa_id: Optional[int] = None
    cpu_affinity: Optional[str] = None
    pcie: Pcie = field(default_factory=Pcie)
    power: Power = field(default_factory=Power)
    persistence_mode: Optional[str] = None
    mig_mode: Optional[str] = None
    mig_devices: Optional[Tuple[MigDevice, ...]] = None
    ecc: Ecc = field(default_factory=Ecc)
    remapped_rows: RemappedRows = field(default_factory=RemappedRows)
    recovery_action: Optional[str] = None
    fabric: Fabric = field(default_factory=Fabric)
    nvlink: Nvlink = field(default_factory=Nvlink)
    cuda: Cuda = field(default_factory=Cuda)
    processes: Optional[Tuple[Process, ...]] = None
    state: str = "unknown"
    faults: Tuple[Fault, ...] = ()
    not_supported: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Link:
    """One unordered pair of GPUs, by index, a < b."""

    a: int
    b: int
    path: Optional[str]
    nvlinks: Optional[int]


@dataclass(frozen=True)
class Nic:
    name: str
    device: Optional[str]
    paths: Dict[str, Optional[str]]


@dataclass(frozen=True)
class Topology:
    source: Optional[str]
    state: str
    driver: Driver
    libcuda: Libcuda
    pci_gpu_count: Optional[int]
    granted_gpu_count: Optional[int]
    gpus: List[Gpu]
    links: Optional[List[Link]]
    interconnect: Optional[str]
    nics: Optional[List[Nic]]
