# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""NVML's C interface by ctypes: the structs, constants and calls that the reader uses, as nvml.h declares them.

Checked against nvml.h of the PyPI package nvidia-nvml-dev by tests/unit. https://docs.nvidia.com/deploy/nvml-api/
"""

import ctypes
from typing import Any, Dict

SUCCESS = 0
INVALID_ARGUMENT = 2
NOT_SUPPORTED = 3
NO_PERMISSION = 4
NOT_FOUND = 6
INSUFFICIENT_SIZE = 7
DRIVER_NOT_LOADED = 9
LIBRARY_NOT_FOUND = 12
FUNCTION_NOT_FOUND = 13
GPU_IS_LOST = 15
RESET_REQUIRED = 16
LIB_RM_VERSION_MISMATCH = 18
ARGUMENT_VERSION_MISMATCH = 25
DEPRECATED = 26
UNKNOWN = 999

ERRORS: Dict[int, str] = {
    # nvmlReturn_t, lower snake: as a fabric's status is named, and a call that fails
    0: "success",
    1: "uninitialized",
    2: "invalid_argument",
    3: "not_supported",
    4: "no_permission",
    5: "already_initialized",
    6: "not_found",
    7: "insufficient_size",
    8: "insufficient_power",
    9: "driver_not_loaded",
    10: "timeout",
    11: "irq_issue",
    12: "library_not_found",
    13: "function_not_found",
    14: "corrupted_inforom",
    15: "gpu_is_lost",
    16: "reset_required",
    17: "operating_system",
    18: "lib_rm_version_mismatch",
    19: "in_use",
    20: "memory",
    21: "no_data",
    22: "vgpu_ecc_not_supported",
    23: "insufficient_resources",
    24: "freq_not_supported",
    25: "argument_version_mismatch",
    26: "deprecated",
    27: "not_ready",
    28: "gpu_not_found",
    29: "invalid_state",
    30: "reset_type_not_supported",
    999: "unknown",
}

ARCHITECTURES: Dict[int, str] = {
    # NVML_DEVICE_ARCH_*, as nvidia-smi words them
    2: "kepler",
    3: "maxwell",
    4: "pascal",
    5: "volta",
    6: "turing",
    7: "ampere",
    8: "ada_lovelace",
    9: "hopper",
    10: "blackwell",
    13: "rubin",
}

FABRIC_STATES = {0: "not_supported", 1: "not_started", 2: "in_progress", 3: "completed"}
FABRIC_SUMMARIES = {0: "N/A", 1: "Healthy", 2: "Unhealthy", 3: "Limited Capacity"}
TOPOLOGY_LEVELS = {0: "PIX", 10: "PIX", 20: "PXB", 30: "PHB", 40: "NODE", 50: "SYS"}
RECOVERY_ACTIONS = {
    0: "none",
    1: "gpu_reset",
    2: "node_reboot",
    3: "drain_p2p",
    4: "drain_and_reset",
    5: "recover_imex_domain",
    6: "bus_reset",
    7: "system_reboot",
}

FIELD_RECOVERY_ACTION = 230
NVLINK_MAX_LINKS = 36
DEVICE_TYPE_GPU = 0
DEVICE_TYPE_SWITCH = 2
AFFINITY_SCOPE_NODE = 0
UNCORRECTED = 1
VOLATILE_COUNTER = 0
AGGREGATE_COUNTER = 1
MEMORY_NOT_AVAILABLE = 0xFFFFFFFFFFFFFFFF


class PciInfo(ctypes.Structure):
    """nvmlPciInfo_t."""

    _fields_ = [
        ("busIdLegacy", ctypes.c_char * 16),
        ("domain", ctypes.c_uint),
        ("bus", ctypes.c_uint),
        ("device", ctypes.c_uint),
        ("pciDeviceId", ctypes.c_uint),
        ("pciSubSystemId", ctypes.c_uint),
        ("busId", ctypes.c_char * 32),
    ]


class Memory(ctypes.Structure):
    """nvmlMemory_v2_t."""

    _fields_ = [
        ("version", ctypes.c_uint),
        ("total", ctypes.c_ulonglong),
        ("reserved", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("used", ctypes.c_ulonglong),
    ]


class ProcessInfo(ctypes.Structure):
    """nvmlProcessInfo_t (the v2 layout, which the _v3 calls fill)."""

    _fields_ = [
        ("pid", ctypes.c_uint),
        ("usedGpuMemory", ctypes.c_ulonglong),
        ("gpuInstanceId", ctypes.c_uint),
        ("computeInstanceId", ctypes.c_uint),
    ]


class Value(ctypes.Union):
    """nvmlValue_t."""

    _fields_ = [("dVal", ctypes.c_double), ("uiVal", ctypes.c_uint), ("ullVal", ctypes.c_ulonglong)]


class FieldValue(ctypes.Structure):
    """nvmlFieldValue_t."""

    _fields_ = [
        ("fieldId", ctypes.c_uint),
        ("scopeId", ctypes.c_uint),
        ("timestamp", ctypes.c_longlong),
        ("latencyUsec", ctypes.c_longlong),
        ("valueType", ctypes.c_uint),
        ("nvmlReturn", ctypes.c_uint),
        ("value", Value),
    ]


class DeviceAttributes(ctypes.Structure):
    """nvmlDeviceAttributes_t."""

    _fields_ = [
        ("multiprocessorCount", ctypes.c_uint),
        ("sharedCopyEngineCount", ctypes.c_uint),
        ("sharedDecoderCount", ctypes.c_uint),
        ("sharedEncoderCount", ctypes.c_uint),
        ("sharedJpegCount", ctypes.c_uint),
        ("sharedOfaCount", ctypes.c_uint),
        ("gpuInstanceSliceCount", ctypes.c_uint),
        ("computeInstanceSliceCount", ctypes.c_uint),
        ("memorySizeMB", ctypes.c_ulonglong),
    ]


class FabricInfoV2(ctypes.Structure):
    """nvmlGpuFabricInfo_v2_t."""

    _fields_ = [
        ("version", ctypes.c_uint),
        ("clusterUuid", ctypes.c_ubyte * 16),
        ("status", ctypes.c_uint),
        ("cliqueId", ctypes.c_uint),
        ("state", ctypes.c_ubyte),
        ("healthMask", ctypes.c_uint),
    ]


class FabricInfoV3(ctypes.Structure):
    """nvmlGpuFabricInfo_v3_t."""

    _fields_ = FabricInfoV2._fields_ + [("healthSummary", ctypes.c_ubyte)]


def struct_version(struct: type, version: int) -> int:
    """NVML_STRUCT_VERSION."""
    return ctypes.sizeof(struct) | version << 24


class NvmlError(Exception):
    """A call that did not return NVML_SUCCESS."""

    def __init__(self, call: str, code: int) -> None:
        super().__init__("%s: %s (%d)" % (call, ERRORS.get(code, "error"), code))
        self.code = code


class Nvml:
    """The loaded library; OSError where the loader does not take it."""

    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of NVML; NvmlError for anything but success, also where this library lacks it."""
        try:
            function = getattr(self._library, name)
        except AttributeError:
            raise NvmlError(name, FUNCTION_NOT_FOUND) from None
        code = function(*arguments)
        if code != SUCCESS:
            raise NvmlError(name, code)

    def number(self, name: str, *arguments: Any, kind: Any = ctypes.c_uint) -> int:
        """Return what a call writes into its last argument, a number."""
        value = kind()
        self.call(name, *arguments, ctypes.byref(value))
        return int(value.value)

    def text(self, name: str, *arguments: Any, size: int = 96) -> str:
        """Return what a call writes into its last arguments, a buffer and its size."""
        buffer = ctypes.create_string_buffer(size)
        self.call(name, *arguments, buffer, ctypes.c_uint(size))
        return buffer.value.decode("utf-8", "backslashreplace")
