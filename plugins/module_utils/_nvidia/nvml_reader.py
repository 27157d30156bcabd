# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Reads the GPUs through NVML. Runs in a child of _run.py, as any of its calls may block, and returns JSON."""

import ctypes
from functools import partial
from typing import Any, Dict, List, Optional

from ansible_collections.inference.recon.plugins.module_utils._nvidia import nvml, state
from ansible_collections.inference.recon.plugins.module_utils._nvidia.loader import loaded_path
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml import Nvml, NvmlError
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml_device import Device, cell_of, read_cells
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml_fabric import read_fabric
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml_links import read_links, read_nvlink
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml_processes import read_processes

MOST_GPUS = 256
"""More than any machine holds: the work grows with its square."""

_ANSWERS = {
    nvml.DRIVER_NOT_LOADED: state.NO_DRIVER,
    nvml.LIB_RM_VERSION_MISMATCH: state.MISMATCH,
    nvml.NO_PERMISSION: state.REFUSED,
    nvml.UNKNOWN: state.REFUSED,
    nvml.LIBRARY_NOT_FOUND: state.NO_LIBRARY,
}


def read(library: str) -> Dict[str, Any]:
    """Return {answer, why, path, driver, expected, rows, links}; cells as lists. Never raises for what NVML says."""
    try:
        lib = Nvml(library)
    except OSError as failure:
        return {"answer": state.NO_LIBRARY, "why": str(failure)}
    found: Dict[str, Any] = {"path": loaded_path("libnvidia-ml.so"), "why": ""}
    found["driver"] = {"nvml_version": cell_of(lambda: _nvml_version(lib))[0]}
    try:
        lib.call("nvmlInit_v2")
    except NvmlError as failure:
        return dict(found, answer=_ANSWERS.get(failure.code, state.FAILED), why=str(failure))
    found["driver"].update(_driver(lib))
    try:
        return dict(found, **_gpus(lib))
    except NvmlError as failure:
        return dict(found, answer=state.FAILED, why=str(failure))
    finally:
        cell_of(partial(lib.call, "nvmlShutdown"))


def _nvml_version(lib: Nvml) -> str:
    """Return "580.126.20" of NVML's "13.580.126.20": it puts the CUDA major in front of the driver's version."""
    text = lib.text("nvmlSystemGetNVMLVersion", size=80)
    first, unused, rest = text.partition(".")
    return rest if len(first) <= 2 and "." in rest else text


def _driver(lib: Nvml) -> Dict[str, Optional[str]]:
    cuda = cell_of(lambda: lib.number("nvmlSystemGetCudaDriverVersion_v2", kind=ctypes.c_int))[0]
    return {
        "version": cell_of(lambda: lib.text("nvmlSystemGetDriverVersion", size=80))[0],
        "cuda_version": None if not cuda else "%d.%d" % (cuda // 1000, cuda % 1000 // 10),
    }


def _gpus(lib: Nvml) -> Dict[str, Any]:
    count = lib.number("nvmlDeviceGetCount_v2")
    if not count:
        return {"answer": state.NO_DEVICES, "why": "nvmlDeviceGetCount_v2: 0"}
    if count > MOST_GPUS:
        return {"answer": state.FAILED, "why": "nvmlDeviceGetCount_v2: %d is no number of GPUs" % count}
    devices = [Device(lib, index) for index in range(count)]
    rows: List[Dict[str, Any]] = [_row(device) for device in devices]
    return {"answer": state.OK, "expected": count, "rows": rows, "links": read_links(lib, devices)}


def _row(device: Device) -> Dict[str, Any]:
    cells = {}
    if not device.failure:
        cells = read_cells(device)
        cells["processes"] = cell_of(lambda: read_processes(device))
        cells.update(read_fabric(device))
        cells.update(read_nvlink(device))
    return {"index": device.index, "cells": cells, "failure": device.failure}
