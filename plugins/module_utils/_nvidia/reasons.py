# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The problems of the host as a whole: what the readers, the bus, /proc and the loader could not tell."""

from typing import List, Optional

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import Reading
from ansible_collections.inference.recon.plugins.module_utils._nvidia.granted import Granted
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import DEVICES, Card
from ansible_collections.inference.recon.plugins.module_utils._nvidia.proc import Module
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Driver, Libcuda, Nic

_EXPLAINS_ITSELF = ("no_gpu", "driver_missing", "library_missing", "driver_not_loaded")
"""States that a missing library or a missing driver is part of; it is no problem of its own there."""

_VERSION = "/proc/driver/nvidia/version"


def of_readers(readings: List[Reading], decided: str) -> List[Problem]:
    """Return what the readers said; a reader that is not installed is no problem where the state says so."""
    rows = [problem for reading in readings for problem in reading.problems]
    return [row for row in rows if row.code != "not_found" or decided not in _EXPLAINS_ITSELF]


def of_bus(cards: Optional[List[Card]], granted: Granted, decided: str) -> List[Problem]:
    """Return what sysfs and the grant leave unknown."""
    rows = []
    if cards is None:
        rows.append(Problem(DEVICES, "unreadable", "the PCI bus cannot be read; its cards are unknown"))
    for card in cards or ():
        message = "does not tell its %s" % ", ".join(card.unreadable)
        rows += [Problem(DEVICES, "unreadable", message, card.bus_id)] if card.unreadable else []
    if granted.count is None and decided not in _EXPLAINS_ITSELF:
        rows.append(Problem(granted.source, "grant_unknown", granted.why))
    return rows


def of_module(module: Module) -> List[Problem]:
    """Return what /proc leaves unknown of the kernel modules."""
    rows = []
    if module.loaded is None:
        rows.append(Problem(_VERSION, "unreadable", "whether the kernel module is loaded is unknown"))
    elif module.loaded and module.version is None:
        rows.append(Problem(_VERSION, "unreadable", "does not tell the module's version"))
    if module.nouveau is None:
        rows.append(Problem("/proc/modules", "unreadable", "cannot be read; whether nouveau is loaded is unknown"))
    return rows


def of_driver(driver: Driver, source: Optional[str]) -> List[Problem]:
    """Return which versions a driver that answers does not tell; that of NVML only its own library knows."""
    told = {"version": driver.version, "cuda_version": driver.cuda_version}
    if source == "nvml":
        told["nvml_version"] = driver.nvml_version
    silent = [name for name, value in told.items() if value is None]
    if not silent or source not in ("nvml", "nvidia_smi"):
        return []
    return [Problem("driver", "unreadable", "does not tell its %s" % ", ".join(silent))]


def of_nics(nics: Optional[List[Nic]], source: str) -> List[Problem]:
    """Return what is unknown of each NIC; `source` says who told of them."""
    if nics is None:
        return [Problem(source, "unreadable", "cannot be read: whether there are NICs is unknown")]
    rows = []
    for nic in nics:
        silent = ["device"] * (nic.device is None) + ["path to GPU %s" % gpu for gpu, path in nic.paths.items() if path is None]
        if silent:
            rows.append(Problem(source, "unreadable", "does not tell the %s" % ", ".join(silent), nic.device or nic.name))
    return rows


def of_libraries(library: Libcuda, decided: str) -> List[Problem]:
    """Return what the loader leaves unknown of the user side."""
    rows: List[Problem] = []
    if decided in _EXPLAINS_ITSELF:
        return rows
    if library.path is None:
        rows.append(Problem("libcuda.so.1", "not_found", "the loader finds no libcuda.so.1: CUDA programs fail to start"))
    elif library.version is None:
        rows.append(Problem(library.path, "unreadable", "its version stands neither in its name nor in its target's"))
    return rows
