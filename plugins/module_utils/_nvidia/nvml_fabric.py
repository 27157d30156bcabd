# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""A GPU's registration with the NVLink fabric, from nvmlGpuFabricInfo_v3_t, or v2 where the driver is older."""

import ctypes
from typing import Any, Dict

from ansible_collections.inference.recon.plugins.module_utils._nvidia import nvml
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import NOT_SUPPORTED, Cell
from ansible_collections.inference.recon.plugins.module_utils._nvidia.health import fabric_health
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml import NvmlError
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml_device import Device, cell_of

_NAMES = ("fabric.state", "fabric.status", "fabric.clique_id", "fabric.cluster_uuid", "fabric.health")


def read_fabric(device: Device) -> Dict[str, Cell]:
    """Return the cells of `fabric`. What nvml.h says to hold only of a completed registration is N/A before."""
    info, why = cell_of(lambda: _info(device))
    if why:
        return dict.fromkeys(_NAMES, (None, why))
    cells: Dict[str, Cell] = dict.fromkeys(_NAMES, (None, NOT_SUPPORTED))
    state = cell_of(lambda: nvml.FABRIC_STATES[info.state])
    if state[0] == "not_supported":
        return cells
    cells["fabric.state"] = state
    cells["fabric.health"] = _health(info)
    if state[0] == "completed":
        cells["fabric.status"] = cell_of(lambda: _status(info.status))
        cells["fabric.clique_id"] = info.cliqueId, ""
        cells["fabric.cluster_uuid"] = _uuid(bytes(info.clusterUuid)), ""
    return cells


def _status(code: int) -> str:
    """Return the name of a status. An unknown error is no status that could be told, as where nvidia-smi prints it."""
    if code == nvml.UNKNOWN:
        raise NvmlError("fabric status", code)
    return nvml.ERRORS.get(code, "error_%d" % code)


def _info(device: Device) -> Any:
    failure = NvmlError("nvmlDeviceGetGpuFabricInfoV", nvml.ARGUMENT_VERSION_MISMATCH)
    for struct, version in ((nvml.FabricInfoV3, 3), (nvml.FabricInfoV2, 2)):
        info = struct(version=nvml.struct_version(struct, version))
        try:
            device.call("nvmlDeviceGetGpuFabricInfoV", ctypes.byref(info))
        except NvmlError as error:
            failure = error
            if error.code != nvml.ARGUMENT_VERSION_MISMATCH:
                break
        else:
            return info
    raise failure


_BITS = (
    # (element of nvidia-smi -q -x, shift in healthMask, words): NVML_GPU_FABRIC_HEALTH_MASK_*
    ("bandwidth", 0, {0: "N/A", 1: "Degraded", 2: "Full"}),
    ("route_recovery_in_progress", 2, {0: "N/A", 1: "True", 2: "False"}),
    ("route_unhealthy", 4, {0: "N/A", 1: "True", 2: "False"}),
    ("access_timeout_recovery", 6, {0: "N/A", 1: "True", 2: "False"}),
)
_CONFIGURATION_SHIFT = 8


def _health(info: Any) -> Cell:
    words = {name: names.get(info.healthMask >> shift & 3, "?") for name, shift, names in _BITS}
    configuration = info.healthMask >> _CONFIGURATION_SHIFT & 0xF
    words["incorrect_configuration"] = {0: "N/A", 1: "None"}.get(configuration, "incorrect")
    with_summary = hasattr(info, "healthSummary")
    if with_summary:
        words["summary"] = nvml.FABRIC_SUMMARIES.get(info.healthSummary, "?")
    return fabric_health(words, with_summary)


def _uuid(raw: bytes) -> str:
    text = raw.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
