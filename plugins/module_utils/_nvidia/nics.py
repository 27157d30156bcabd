# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The InfiniBand devices and how near each GPU is to them, from sysfs: what `topo -m` prints, without nvidia-smi."""

from typing import List, Optional

from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia.numbers import whole_or_none
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import DEVICES, common_path, infiniband
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Gpu, Nic

SOURCE = "/sys/class/infiniband"


def read_nics(root: Root, gpus: List[Gpu]) -> Optional[List[Nic]]:
    """Return the NICs in the order of their names, or None where sysfs is hidden."""
    devices = infiniband(root)
    if devices is None:
        return None
    order = sorted(devices, key=lambda name: (name.rstrip("0123456789"), len(name), name))
    places = {str(gpu.index): _place(root, gpu) for gpu in gpus if gpu.index is not None}
    found = []
    for number, device in enumerate(order):
        nic = _Place(root, devices[device])
        found.append(
            Nic("NIC%d" % number, device, {index: None if gpu is None else gpu.path_to(nic) for index, gpu in places.items()})
        )
    return found


def _place(root: Root, gpu: Gpu) -> Optional[_Place]:
    return _Place(root, root.real(DEVICES, gpu.pci_bus_id)) if gpu.pci_bus_id else None


class _Place:
    """Where a device sits: its real path in /sys/devices and its NUMA node, -1 where the firmware names none."""

    def __init__(self, root: Root, path: str) -> None:
        self._path = path
        numa = root.read_real(path + "/numa_node")
        self._numa = -1 if numa == "-1" else whole_or_none(numa)

    def path_to(self, other: _Place) -> Optional[str]:
        return common_path(self._path, other._path, self._shares_node(other))

    def _shares_node(self, other: _Place) -> Optional[bool]:
        nodes = {self._numa, other._numa}
        return None if None in nodes or (-1 in nodes and len(nodes) > 1) else len(nodes) == 1
