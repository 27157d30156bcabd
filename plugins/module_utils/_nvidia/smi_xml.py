# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""`nvidia-smi -q -x`: nearly all of a GPU's fields. Its DTD: nvsmi_device_v12.dtd, v13."""

import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple
from xml.etree import ElementTree

from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import (
    HIDDEN,
    MISSING,
    NOT_IN_FORMAT,
    NOT_SUPPORTED,
    Cell,
    kind,
    read_cell,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.health import fabric_health
from ansible_collections.inference.recon.plugins.module_utils._nvidia.numbers import rounded, version, whole
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml import ERRORS, FABRIC_STATES
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import normal_bus_id
from ansible_collections.inference.recon.plugins.module_utils._nvidia.query_csv import uuid
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import ParseError


@dataclass(frozen=True)
class Log:
    """The whole log: `attached` is how many GPUs it promises, `gpus` the cells of each in its order."""

    driver_version: Optional[str]
    cuda_version: Optional[str]
    attached: Optional[int]
    gpus: Tuple[Dict[str, Cell], ...]


def _number(unit: str = "") -> Callable[[str], int]:
    def convert(text: str) -> int:
        number, unused, printed = text.partition(" ")
        if printed != unit:
            raise ValueError(text)
        return rounded(number) if unit == "W" else whole(number)

    return convert


def _one_of(words: Dict[str, Any]) -> Callable[[str], Any]:
    return lambda text: words[text.lower()]


def _name_in(names: Dict[int, str]) -> Callable[[str], str]:
    """Return a converter of "In Progress" to "in_progress", if NVML has such a name."""
    return _one_of({name.replace("_", " "): name for name in names.values()})


def _snake(text: str) -> str:
    word = text.lower().replace(" ", "_").replace("-", "_")
    if not word.replace("_", "").isalnum():
        raise ValueError(text)
    return word


def _recovery(text: str) -> str:
    return RECOVERY_WORDS[text.lower()]


def _width(text: str) -> int:
    if not text.endswith("x"):
        raise ValueError(text)
    return whole(text[:-1])


_DEVICE_ID = re.compile(r"[0-9A-Fa-f]{4}10[Dd][Ee]")  # NVIDIA's vendor id stands behind


def _device_id(text: str) -> str:
    if not _DEVICE_ID.fullmatch(text):
        raise ValueError(text)
    return text[:4].lower()


def _affirmed(text: str) -> bool:
    return {"yes": True, "no": False}[text.lower()]


RECOVERY_WORDS = {
    # nvml.h, nvmlDeviceGpuRecoveryAction_t, as nvidia-smi words them
    "none": "none",
    "reset": "gpu_reset",
    "gpu reset": "gpu_reset",
    "reboot": "node_reboot",
    "node reboot": "node_reboot",
    "drain p2p": "drain_p2p",
    "drain and reset": "drain_and_reset",
    "recover imex domain": "recover_imex_domain",
    "bus reset": "bus_reset",
    "system reboot": "system_reboot",
}

RECOVERY_SINCE = 570
"""Branch of the oldest capture with <gpu_recovery_action>: corpus nvidia-smi-q/05."""

_NEWEST = 1 << 31

SUMMARY_SINCE = 580
"""Branch of the oldest capture with <fabric/health/summary>: corpus nvidia-smi-q/01; 05 of branch 570 has none."""

_MODE = _one_of({"enabled": "enabled", "disabled": "disabled"})
_PCIE = "pci/pci_gpu_link_info/"
_POWER = "gpu_power_readings/"

_FIELDS: Tuple[Tuple[str, str, Callable[[str], Any]], ...] = (
    # (field, path in the log, how it is written)
    ("uuid", "uuid", uuid),
    ("name", "product_name", str),
    ("architecture", "product_architecture", _snake),
    ("pci_bus_id", "pci/pci_bus_id", normal_bus_id),
    ("pci_device_id", "pci/pci_device_id", _device_id),
    ("minor_number", "minor_number", _number()),
    ("memory_total_mib", "fb_memory_usage/total", _number("MiB")),
    ("memory_used_mib", "fb_memory_usage/used", _number("MiB")),
    ("memory_free_mib", "fb_memory_usage/free", _number("MiB")),
    ("pcie.generation_max", _PCIE + "pcie_gen/max_link_gen", _number()),
    ("pcie.generation_current", _PCIE + "pcie_gen/current_link_gen", _number()),
    ("pcie.width_max", _PCIE + "link_widths/max_link_width", _width),
    ("pcie.width_current", _PCIE + "link_widths/current_link_width", _width),
    ("power.limit_watts", _POWER + "current_power_limit", _number("W")),
    ("power.default_watts", _POWER + "default_power_limit", _number("W")),
    ("power.min_watts", _POWER + "min_power_limit", _number("W")),
    ("power.max_watts", _POWER + "max_power_limit", _number("W")),
    ("persistence_mode", "persistence_mode", _MODE),
    ("mig_mode", "mig_mode/current_mig", _MODE),
    ("ecc.enabled", "ecc_mode/current_ecc", _one_of({"enabled": True, "disabled": False})),
    ("remapped_rows.pending", "remapped_rows/remapped_row_pending", _affirmed),
    ("remapped_rows.failure", "remapped_rows/remapped_row_failure", _affirmed),
    ("recovery_action", "gpu_recovery_action", _recovery),
    ("fabric.state", "fabric/state", _name_in(FABRIC_STATES)),
    ("fabric.status", "fabric/status", _name_in(ERRORS)),
    ("fabric.clique_id", "fabric/cliqueId", _number()),
    ("fabric.cluster_uuid", "fabric/clusterUuid", str),
)

_DERIVED = ("ecc.volatile_uncorrected", "ecc.aggregate_uncorrected", "fabric.health", "mig_devices", "processes")
CELLS = tuple(name for name, *unused in _FIELDS) + _DERIVED

_TYPES = {"C": "compute", "G": "graphics", "C+G": "compute_graphics", "M": "mps", "M+C": "mps"}


def parse_log(text: str) -> Log:
    """Read the whole log; ParseError where it is cut, no XML, or not nvidia-smi's."""
    if "<!ENTITY" in text:
        raise ParseError("nvidia-smi -q -x declares entities, which its DTD does not")
    try:
        log = ElementTree.fromstring(text.strip())  # noqa: S314  a root-owned tool, no entities
    except (ElementTree.ParseError, ValueError) as failure:
        raise ParseError("nvidia-smi -q -x is no whole XML (%s)" % failure) from failure
    if log.tag != "nvidia_smi_log":
        raise ParseError("nvidia-smi -q -x is no nvidia_smi_log but %s" % log.tag[:40])
    driver_version = read_cell(log.findtext("driver_version"), version)[0]
    return Log(
        driver_version=driver_version,
        cuda_version=read_cell(log.findtext("cuda_version"), version)[0],
        attached=read_cell(log.findtext("attached_gpus"), whole)[0],
        gpus=tuple(_read_gpu(gpu, _branch(driver_version)) for gpu in log.findall("gpu")),
    )


def _branch(driver_version: Optional[str]) -> int:
    """Return the branch, 580 of "580.95.05"; of an unknown driver everything is expected."""
    return int(driver_version.split(".")[0]) if driver_version else _NEWEST


def _read_gpu(gpu: ElementTree.Element, branch: int) -> Dict[str, Cell]:
    cells = {name: _cell(gpu, path, convert) for name, path, convert in _FIELDS}
    if kind(cells["pci_bus_id"]) == MISSING:
        cells["pci_bus_id"] = read_cell(gpu.get("id"), normal_bus_id)
    if branch < RECOVERY_SINCE and kind(cells["recovery_action"]) == MISSING:
        cells["recovery_action"] = None, "%s: drivers before %d do not print it" % (NOT_IN_FORMAT, RECOVERY_SINCE)
    cells["ecc.volatile_uncorrected"] = _uncorrected(gpu.find("ecc_errors/volatile"))
    cells["ecc.aggregate_uncorrected"] = _uncorrected(gpu.find("ecc_errors/aggregate"))
    cells["fabric.health"] = _health(gpu.find("fabric"), branch >= SUMMARY_SINCE)
    cells["mig_devices"] = _mig_devices(gpu)
    cells["processes"] = _processes(gpu.find("processes"))
    return cells


def _cell(gpu: ElementTree.Element, path: str, convert: Callable[[str], Any]) -> Cell:
    """Read one element; where a parent says N/A for all that is below it, so does the element."""
    found = gpu.find(path)
    parent, mark, unused = path.rpartition("/")
    if found is None and mark:
        above = gpu.find(parent)
        if above is not None and not len(above):
            return None, read_cell(above.text, _no_value)[1]
    value, why = read_cell(None if found is None else found.text, convert)
    return value, "%s: <%s>" % (why, path) if why == MISSING else why


def _no_value(text: str) -> None:
    raise ValueError(text)


def _uncorrected(counters: Optional[ElementTree.Element]) -> Cell:
    """Add up the uncorrectable errors of SRAM and DRAM; a counter that the card lacks is N/A and adds nothing."""
    if counters is None:
        return None, "%s: <ecc_errors>" % MISSING
    found = [item for item in counters if "uncorrectable" in item.tag]
    cells = [read_cell(item.text, whole) for item in found]
    bad = [cell for cell in cells if cell[1] not in ("", NOT_SUPPORTED)]
    if bad or not any(item.tag.startswith("dram") for item in found) or not any(item.tag.startswith("sram") for item in found):
        return None, bad[0][1] if bad else "%s: <ecc_errors/%s>" % (MISSING, counters.tag)
    told = [value for value, why in cells if not why]
    return (sum(told), "") if told else (None, NOT_SUPPORTED)


def _health(fabric: Optional[ElementTree.Element], with_summary: bool) -> Cell:
    health = None if fabric is None else fabric.find("health")
    if health is None:
        return None, "%s: <fabric/health>" % MISSING
    if not len(health):
        return None, read_cell(health.text, _no_value)[1]
    return fabric_health({item.tag: item.text or "" for item in health}, with_summary)


def _mig_devices(gpu: ElementTree.Element) -> Cell:
    devices = gpu.find("mig_devices")
    if devices is None:
        return None, "%s: <mig_devices>" % MISSING
    if not len(devices):
        word = (devices.text or "").strip().lower()
        return ([], "") if word in ("none", "n/a") else (None, "%s: <mig_devices>" % MISSING)
    return [_mig_device(item) for item in devices.findall("mig_device")], ""


def _mig_device(device: ElementTree.Element) -> Dict[str, Any]:
    memory = read_cell(device.findtext("fb_memory_usage/total"), _number("MiB"))[0]
    return {"uuid": None, "profile": None, "memory_mib": memory}  # the log has neither


def _processes(processes: Optional[ElementTree.Element]) -> Cell:
    if processes is None:
        return None, "%s: <processes>" % MISSING
    rows: List[Dict[str, Any]] = []
    for item in processes.findall("process_info"):
        pid = read_cell(item.findtext("pid"), whole)
        if pid[1]:
            return None, "%s: a process without a PID" % MISSING
        memory = read_cell(item.findtext("used_memory"), _number("MiB"))
        name = read_cell(item.findtext("process_name"), str)
        kind_of = _TYPES.get((item.findtext("type") or "").strip())
        rows.append({"pid": pid[0], "name": name[0], "type": kind_of, "memory_mib": memory[0]})
    if not rows and (processes.text or "").strip():
        return None, "%s: %s" % (HIDDEN, (processes.text or "").strip())
    return rows, ""
