# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The processes on a GPU, from NVML's three lists: compute, graphics and MPS clients."""

import ctypes
from typing import Any, Dict, List, Optional

from ansible_collections.inference.recon.plugins.module_utils._nvidia import nvml
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml import NvmlError
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml_device import Device

_CALLS = (
    ("compute", "nvmlDeviceGetComputeRunningProcesses_v3"),
    ("graphics", "nvmlDeviceGetGraphicsRunningProcesses_v3"),
    ("mps", "nvmlDeviceGetMPSComputeRunningProcesses_v3"),
)

MOST_PROCESSES = 1 << 16


def read_processes(device: Device) -> List[Dict[str, Any]]:
    """Return {pid, name, type, memory_mib} of each process, by PID."""
    rows: Dict[int, Dict[str, Any]] = {}
    for kind, call in _CALLS:
        for info in _running(device, call, kind):
            both = {kind, rows[info.pid]["type"]} if info.pid in rows else set()
            memory = None if info.usedGpuMemory == nvml.MEMORY_NOT_AVAILABLE else info.usedGpuMemory >> 20
            rows[info.pid] = {
                "pid": info.pid,
                "name": _name(device, info.pid),
                "type": "compute_graphics" if both == {"compute", "graphics"} else kind,
                "memory_mib": memory,
            }
    return [rows[pid] for pid in sorted(rows)]


def _running(device: Device, call: str, kind: str) -> List[nvml.ProcessInfo]:
    count = 64
    for unused in range(4):  # processes may come while we ask
        number = ctypes.c_uint(count)
        infos = (nvml.ProcessInfo * count)()
        try:
            device.call(call, ctypes.byref(number), infos)
        except NvmlError as failure:
            if failure.code in (nvml.NOT_SUPPORTED, nvml.FUNCTION_NOT_FOUND) and kind != "compute":
                return []
            if failure.code != nvml.INSUFFICIENT_SIZE:
                raise
            count = max(number.value, count) * 2
            if count > MOST_PROCESSES:
                raise
        else:
            return list(infos[: number.value])
    raise NvmlError(call, nvml.INSUFFICIENT_SIZE)


def _name(device: Device, pid: int) -> Optional[str]:
    try:
        return device.lib.text("nvmlSystemGetProcessName", ctypes.c_uint(pid), size=1024) or None
    except NvmlError:
        return None
