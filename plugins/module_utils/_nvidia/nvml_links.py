# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""How the GPUs are joined: NVLinks, directly or through a switch, else the PCIe path."""

import ctypes
from functools import partial
from typing import Any, Dict, List, Tuple

from ansible_collections.inference.recon.plugins.module_utils._nvidia import nvml
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import NOT_SUPPORTED, UNREADABLE, Cell
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml import Nvml, NvmlError
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml_device import Device, cell_of, cells_of
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import normal_bus_id

_NAMES = ("nvlink.links_active", "nvlink.links_total")
_SWITCH = "switch"


def read_nvlink(device: Device) -> Dict[str, Cell]:
    """Count a GPU's links and remember where the active ones lead, or that this is unknown."""
    cells = cells_of(_NAMES, lambda: _count(device))
    why = cells["nvlink.links_total"][1]
    if why not in ("", NOT_SUPPORTED):
        device.link_failure = why
    if cells["nvlink.links_total"] == (0, ""):
        return dict.fromkeys(_NAMES, (None, NOT_SUPPORTED))
    return cells


def _count(device: Device) -> Tuple[int, int]:
    active, total = 0, 0
    ends: Dict[str, int] = {}
    for link in range(nvml.NVLINK_MAX_LINKS):
        try:
            is_active = device.number("nvmlDeviceGetNvLinkState", ctypes.c_uint(link))
        except NvmlError as failure:
            if failure.code == nvml.INVALID_ARGUMENT:  # one more than the card has
                break
            if failure.code == nvml.NOT_SUPPORTED:
                continue
            raise
        total += 1
        if is_active:
            active += 1
            end, why = cell_of(partial(_end, device, link))
            device.link_failure = device.link_failure or why
            ends[end] = ends.get(end, 0) + 1
    device.link_ends = ends
    return active, total


def _end(device: Device, link: int) -> str:
    """Return the bus id of the GPU at the other end, or that it is a switch."""
    kind = device.number("nvmlDeviceGetNvLinkRemoteDeviceType", ctypes.c_uint(link))
    if kind == nvml.DEVICE_TYPE_SWITCH:
        return _SWITCH
    info = nvml.PciInfo()
    device.call("nvmlDeviceGetNvLinkRemotePciInfo_v2", ctypes.c_uint(link), ctypes.byref(info))
    return normal_bus_id(info.busId.decode("ascii"))


def read_links(lib: Nvml, devices: List[Device]) -> List[Dict[str, Any]]:
    """Return {a, b, path, why} of each pair of GPUs whose cells were read."""
    rows = []
    for place, left in enumerate(devices):
        for right in devices[place + 1 :]:
            path, why = _path(lib, left, right)
            rows.append({"a": left.index, "b": right.index, "path": path, "why": why})
    return rows


def _path(lib: Nvml, left: Device, right: Device) -> Cell:
    if left.failure or right.failure:
        return None, left.failure or right.failure
    if left.link_failure or right.link_failure:  # a PCIe path would be told of a pair that may have NVLinks
        return None, left.link_failure or right.link_failure
    if not (left.bus_id and right.bus_id) and (set(left.link_ends) | set(right.link_ends)) - {_SWITCH}:
        return None, "%s: has NVLinks, and which GPU they lead to is unknown" % UNREADABLE
    direct = left.link_ends.get(right.bus_id or "", 0)
    count = direct + min(left.link_ends.get(_SWITCH, 0), right.link_ends.get(_SWITCH, 0))
    if count:
        return "NV%d" % count, ""
    pair = left.pointer, right.pointer
    return cell_of(lambda: nvml.TOPOLOGY_LEVELS[lib.number("nvmlDeviceGetTopologyCommonAncestor", *pair)])
