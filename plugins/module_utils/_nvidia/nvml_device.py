# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""One GPU as NVML shows it: a handle to call with, and the cells that its fields make."""

import ctypes
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Tuple

from ansible_collections.inference.recon.plugins.module_utils._nvidia import nvml
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import (
    LOST,
    MISSING,
    NOT_PERMITTED,
    NOT_SUPPORTED,
    RESET_REQUIRED,
    UNREADABLE,
    Cell,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml import Nvml, NvmlError
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import normal_bus_id
from ansible_collections.inference.recon.plugins.module_utils._nvidia.ranges import format_ranges

_WHYS = {
    nvml.NOT_SUPPORTED: NOT_SUPPORTED,
    nvml.DEPRECATED: NOT_SUPPORTED,
    nvml.FUNCTION_NOT_FOUND: MISSING,
    nvml.NO_PERMISSION: NOT_PERMITTED,
    nvml.GPU_IS_LOST: LOST,
    nvml.RESET_REQUIRED: RESET_REQUIRED,
}


def cell_of(function: Callable[[], Any]) -> Cell:
    """Call a function and return its value, or why NVML has none."""
    try:
        return function(), ""
    except NvmlError as failure:
        return None, _why(failure)
    except (KeyError, ValueError) as failure:
        return None, "%s: NVML answers %s" % (UNREADABLE, failure)


def _why(failure: NvmlError) -> str:
    why = _WHYS.get(failure.code, UNREADABLE)
    return why if why == NOT_SUPPORTED else "%s: %s" % (why, failure)


def cells_of(names: Tuple[str, ...], function: Callable[[], Tuple[Any, ...]]) -> Dict[str, Cell]:
    """Read several fields by one call: they share its failure."""
    values, why = cell_of(function)
    return {name: (None if why else values[place], why) for place, name in enumerate(names)}


MOST_INSTANCES = 64
"""More MIG devices than any card has; the newest have 7."""


class Handle:
    """A device or MIG device of NVML. `error` is why one could not be had, `failure` the same as a cell tells it, else empty."""

    def __init__(self, lib: Nvml, name: str, *arguments: Any) -> None:
        self.lib = lib
        self.pointer = ctypes.c_void_p()
        self.error: Optional[NvmlError] = None
        try:
            lib.call(name, *arguments, ctypes.byref(self.pointer))
        except NvmlError as error:
            self.error = error
        self.failure = _why(self.error) if self.error else ""

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function with this handle as its first argument."""
        self.lib.call(name, self.pointer, *arguments)

    def number(self, name: str, *arguments: Any) -> int:
        """Return the unsigned int that a function writes into its last argument."""
        return self.lib.number(name, self.pointer, *arguments)

    def text(self, name: str) -> str:
        """Return the text that a function writes into its buffer."""
        return self.lib.text(name, self.pointer)


class Device(Handle):
    """One GPU of NVML's list. `bus_id` and the links are known once its cells were read; see nvml_links.py."""

    def __init__(self, lib: Nvml, index: int) -> None:
        super().__init__(lib, "nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index))
        self.index = index
        self.bus_id: Optional[str] = None
        self.link_ends: Dict[str, int] = {}
        self.link_failure = ""

    def instances(self) -> List[Handle]:
        """Return its MIG devices."""
        try:
            most = self.number("nvmlDeviceGetMaxMigDeviceCount")
        except NvmlError as failure:
            if failure.code == nvml.NOT_SUPPORTED and cell_of(lambda: _mig_mode(self))[0] != "enabled":
                return []
            raise
        if most > MOST_INSTANCES:
            raise ValueError("%d MIG devices" % most)
        found = [self._instance(place) for place in range(most)]
        for instance in found:
            if instance.error is not None and instance.error.code != nvml.NOT_FOUND:  # there is none at this place
                raise instance.error
        return [instance for instance in found if not instance.failure]

    def _instance(self, place: int) -> Handle:
        return Handle(self.lib, "nvmlDeviceGetMigDeviceHandleByIndex", self.pointer, ctypes.c_uint(place))


def read_cells(device: Device) -> Dict[str, Cell]:
    """Return the fields of a GPU but for its processes, fabric and links."""
    cells = {name: cell_of(partial(device.number, call)) for name, call in _NUMBERS}
    cells.update({name: cell_of(partial(read, device)) for name, read in _FIELDS})
    for names, read_all in _GROUPS:
        cells.update(cells_of(names, partial(read_all, device)))
    device.bus_id = cells["pci_bus_id"][0]
    return cells


_NUMBERS = (
    # (field, call that writes an unsigned int)
    ("minor_number", "nvmlDeviceGetMinorNumber"),
    ("gpu_numa_id", "nvmlDeviceGetNumaNodeId"),
    ("pcie.generation_max", "nvmlDeviceGetMaxPcieLinkGeneration"),
    ("pcie.generation_current", "nvmlDeviceGetCurrPcieLinkGeneration"),
    ("pcie.width_max", "nvmlDeviceGetMaxPcieLinkWidth"),
    ("pcie.width_current", "nvmlDeviceGetCurrPcieLinkWidth"),
)

_MODES = {0: "disabled", 1: "enabled"}


def _pair(device: Device, call: str, kind: Any = ctypes.c_uint) -> Tuple[int, int]:
    """Return the two numbers that a call writes."""
    first, second = kind(), kind()
    device.call(call, ctypes.byref(first), ctypes.byref(second))
    return first.value, second.value


def _compute_capability(device: Device) -> str:
    return "%d.%d" % _pair(device, "nvmlDeviceGetCudaComputeCapability", ctypes.c_int)


def _watts(milliwatts: int) -> int:
    return (milliwatts + 500) // 1000


def _uncorrected(device: Device, counter: int) -> int:
    count = ctypes.c_ulonglong()
    device.call("nvmlDeviceGetTotalEccErrors", nvml.UNCORRECTED, counter, ctypes.byref(count))
    return count.value


def _recovery_action(device: Device) -> str:
    value = nvml.FieldValue(fieldId=nvml.FIELD_RECOVERY_ACTION)
    device.call("nvmlDeviceGetFieldValues", ctypes.c_int(1), ctypes.byref(value))
    if value.nvmlReturn:
        raise NvmlError("NVML_FI_DEV_GET_GPU_RECOVERY_ACTION", value.nvmlReturn)
    return nvml.RECOVERY_ACTIONS[value.value.uiVal]


def _mask(device: Device, call: str, words: int) -> str:
    """Return the numbers of the bits that a call sets in an array of unsigned long, as "0-55,112-167"."""
    mask = (ctypes.c_ulong * words)()
    device.call(call, ctypes.c_uint(words), mask, ctypes.c_uint(nvml.AFFINITY_SCOPE_NODE))
    width = 8 * ctypes.sizeof(ctypes.c_ulong)
    bits = [place * width + bit for place, word in enumerate(mask) if word for bit in range(width) if word >> bit & 1]
    if not bits:
        raise NvmlError(call, nvml.NOT_SUPPORTED)  # nvidia-smi prints N/A for an empty mask
    return format_ranges(bits)


def _mig_mode(device: Device) -> str:
    return _MODES[_pair(device, "nvmlDeviceGetMigMode")[0]]


def _mig_devices(device: Device) -> List[Dict[str, Any]]:
    return [_mig_device(instance) for instance in device.instances()]


def _mig_device(instance: Handle) -> Dict[str, Any]:
    attributes = nvml.DeviceAttributes()
    memory = cell_of(partial(instance.call, "nvmlDeviceGetAttributes_v2", ctypes.byref(attributes)))
    return {
        "uuid": cell_of(partial(instance.text, "nvmlDeviceGetUUID"))[0],
        "profile": mig_profile(cell_of(partial(instance.text, "nvmlDeviceGetName"))[0]),
        "memory_mib": None if memory[1] else attributes.memorySizeMB,
    }


def mig_profile(name: Optional[str]) -> Optional[str]:
    """Return "1g.18gb" of "NVIDIA H200 MIG 1g.18gb"."""
    return name.rpartition("MIG ")[2] if name and "MIG " in name else None


_FIELDS: Tuple[Tuple[str, Callable[[Device], Any]], ...] = (
    ("uuid", lambda device: device.text("nvmlDeviceGetUUID")),
    ("name", lambda device: device.text("nvmlDeviceGetName")),
    ("architecture", lambda device: nvml.ARCHITECTURES[device.number("nvmlDeviceGetArchitecture")]),
    ("compute_capability", _compute_capability),
    ("numa_affinity", lambda device: _mask(device, "nvmlDeviceGetMemoryAffinity", 16)),
    ("cpu_affinity", lambda device: _mask(device, "nvmlDeviceGetCpuAffinityWithinScope", 64)),
    ("power.limit_watts", lambda device: _watts(device.number("nvmlDeviceGetPowerManagementLimit"))),
    ("power.default_watts", lambda device: _watts(device.number("nvmlDeviceGetPowerManagementDefaultLimit"))),
    ("persistence_mode", lambda device: _MODES[device.number("nvmlDeviceGetPersistenceMode")]),
    ("mig_mode", _mig_mode),
    ("mig_devices", _mig_devices),
    ("ecc.enabled", lambda device: bool(_pair(device, "nvmlDeviceGetEccMode")[0])),
    ("ecc.volatile_uncorrected", lambda device: _uncorrected(device, nvml.VOLATILE_COUNTER)),
    ("ecc.aggregate_uncorrected", lambda device: _uncorrected(device, nvml.AGGREGATE_COUNTER)),
    ("recovery_action", _recovery_action),
)


def _pci(device: Device) -> Tuple[str, str]:
    info = nvml.PciInfo()
    device.call("nvmlDeviceGetPciInfo_v3", ctypes.byref(info))
    return normal_bus_id(info.busId.decode("ascii")), "%04x" % (info.pciDeviceId >> 16)


def _memory(device: Device) -> Tuple[int, ...]:
    memory = nvml.Memory(version=nvml.struct_version(nvml.Memory, 2))
    device.call("nvmlDeviceGetMemoryInfo_v2", ctypes.byref(memory))
    return memory.total >> 20, memory.used >> 20, memory.free >> 20


def _power_limits(device: Device) -> Tuple[int, ...]:
    return tuple(_watts(limit) for limit in _pair(device, "nvmlDeviceGetPowerManagementLimitConstraints"))


def _remapped_rows(device: Device) -> Tuple[bool, ...]:
    values = [ctypes.c_uint() for unused in range(4)]  # corrected, uncorrected, pending, failure
    device.call("nvmlDeviceGetRemappedRows", *[ctypes.byref(value) for value in values])
    return tuple(bool(value.value) for value in values[2:])


_GROUPS: Tuple[Tuple[Tuple[str, ...], Callable[[Device], Tuple[Any, ...]]], ...] = (
    (("pci_bus_id", "pci_device_id"), _pci),
    (("memory_total_mib", "memory_used_mib", "memory_free_mib"), _memory),
    (("power.min_watts", "power.max_watts"), _power_limits),
    (("remapped_rows.pending", "remapped_rows.failure"), _remapped_rows),
)
