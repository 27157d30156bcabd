# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""NVIDIA's cards on the PCI bus, from sysfs, which no container namespaces and no driver call slows.

https://docs.kernel.org/PCI/sysfs-pci.html
"""

import os
import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia.numbers import whole_or_none

DEVICES = "/sys/bus/pci/devices"
_VENDOR = "0x10de"
_ID = re.compile("0x[0-9a-f]{4,6}")
_BUS_ID = re.compile("([0-9A-Fa-f]{4,8}):([0-9A-Fa-f]{2}):([01][0-9A-Fa-f])[.]([0-7])")
_DISPLAY = ("0x0300", "0x0302")  # VGA compatible and 3D controller: https://pci-ids.ucw.cz/read/PD/03


@dataclass(frozen=True)
class Card:
    """`driver` is the kernel driver bound to it, "" for none, None where sysfs does not tell.

    `unreadable` names the files that say nothing or nonsense.
    """

    bus_id: str
    device_id: Optional[str]
    driver: Optional[str]
    numa_node: Optional[int]
    unreadable: Tuple[str, ...] = ()


def read_cards(root: Root) -> Optional[List[Card]]:
    """Return the display controllers of NVIDIA on the bus by bus id, or None where sysfs is hidden or says nonsense."""
    names = root.names(DEVICES)
    if names is None:
        return None
    cards = []
    for name in names:
        vendor, kind = root.read(DEVICES, name, "vendor"), root.read(DEVICES, name, "class")
        if not _ID.fullmatch(vendor or "") or (vendor == _VENDOR and not _ID.fullmatch(kind or "")):
            return None
        if vendor == _VENDOR and (kind or "").startswith(_DISPLAY):
            cards.append(_read_card(root, name))
    return cards


def _read_card(root: Root, name: str) -> Card:
    device = root.read(DEVICES, name, "device")
    linked = root.exists(DEVICES, name, "driver")
    numa = root.read(DEVICES, name, "numa_node")
    device_id = device[2:] if device and _ID.fullmatch(device) else None
    numa_node = whole_or_none(numa)
    told = {"device": device_id is not None, "numa_node": numa_node is not None or numa == "-1"}  # -1: no affinity known
    return Card(
        bus_id=name.lower(),
        device_id=device_id,
        driver=root.link_name(DEVICES, name, "driver") if linked else "",
        numa_node=numa_node,
        unreadable=tuple(name for name, is_told in told.items() if not is_told),
    )


def normal_bus_id(text: str) -> str:
    """Return "0000:1b:00.0" for NVIDIA's "00000000:1B:00.0"; ValueError for another shape."""
    match = _BUS_ID.fullmatch(text.strip())
    if match is None:
        raise ValueError(text[:80])
    return "%04x:%02x:%02x.%x" % tuple(int(part, 16) for part in match.groups())


def infiniband(root: Root) -> Optional[Dict[str, str]]:
    """Return the PCI path of each InfiniBand device by name ("mlx5_0"), or None where sysfs is hidden."""
    names = root.names("/sys/class/infiniband")
    if names is None:
        return None if root.names("/sys/class") is None else {}  # a kernel without InfiniBand has no such class
    return {name: root.real("/sys/class/infiniband", name, "device") for name in names}


def common_path(a: str, b: str, same_numa: Optional[bool]) -> Optional[str]:
    """Return how two devices meet, as `topo -m` prints it, from their real paths in /sys/devices.

    PIX: below one switch; PXB: over several; PHB: at the host bridge; NODE and SYS: within and across NUMA nodes.
    """
    left, right = _bridges(a), _bridges(b)
    if not left or not right:
        return None
    if left[0] != right[0]:
        return None if same_numa is None else "NODE" if same_numa else "SYS"
    shared = len(os.path.commonprefix([left, right]))
    if shared == 1:
        return "PHB"
    # Below the port they share there is one downstream port each, then the device: a single switch.
    return "PIX" if max(len(left), len(right)) - shared <= 2 else "PXB"


def _bridges(path: str) -> List[str]:
    """Return the host bridge, the bridges and the device of a path in /sys/devices."""
    parts = path.split("/")
    roots = [place for place, part in enumerate(parts) if part.startswith("pci") and ":" in part]
    return parts[roots[-1] :] if roots else []
