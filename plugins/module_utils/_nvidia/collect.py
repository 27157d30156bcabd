# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Looks at the GPUs of a host: the driver's answer, the bus and /proc beside it, the CUDA check if asked."""

from typing import List, Optional, Tuple

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._host.container import container_engine
from ansible_collections.inference.recon.plugins.module_utils._nvidia import (
    cuda_check,
    libcuda,
    nics,
    readings,
    reasons,
    roster,
    smi_reader,
    state,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import Reading
from ansible_collections.inference.recon.plugins.module_utils._nvidia.granted import count_granted
from ansible_collections.inference.recon.plugins.module_utils._nvidia.loader import version_of
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import read_cards
from ansible_collections.inference.recon.plugins.module_utils._nvidia.proc import Module, read_module
from ansible_collections.inference.recon.plugins.module_utils._nvidia.readings import Options, Place
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Driver, Gpu, Link, Topology
from ansible_collections.inference.recon.plugins.module_utils._run import Deadline

__all__ = ["Options", "Place", "collect"]


def collect(options: Options, place: Optional[Place] = None) -> Tuple[Topology, List[Problem]]:
    """Return what is known of the GPUs and why the rest is not; never raises for what a host is like."""
    place = place or Place()
    deadline = Deadline(options.deadline)
    module, cards = read_module(place.root), read_cards(place.root)
    granted = count_granted(place.root, cards, container_engine(place.root) is not None)
    found = readings.read(options, place, deadline)
    reading = found.best
    gpus, problems = roster.list_gpus(place.root, reading, cards, granted)
    gpus, unchecked = cuda_check.check(gpus, options.cuda_check, place.cuda, options.timeout, deadline)
    decided = state.decide(
        state.Evidence(
            bus=None if cards is None else len(cards),
            module_loaded=module.loaded,
            answer=reading.answer,
            whole=roster.is_whole(reading, gpus, granted),
        )
    )
    topology = Topology(
        source=reading.source if reading.answer == state.OK else "pci" if cards else None,
        state=decided,
        driver=_driver(reading, module, found.nvml_path),
        libcuda=libcuda.describe(found.libcuda_path),
        pci_gpu_count=None if cards is None else len(cards),
        granted_gpu_count=granted.count,
        gpus=gpus,
        links=_links(reading, gpus),
        interconnect=_interconnect(reading.links, gpus) if reading.answer == state.OK else None,
        nics=list(reading.nics) if reading.nics is not None else nics.read_nics(place.root, gpus),
    )
    problems += unchecked + reasons.of_readers(found.all, decided) + reasons.of_bus(cards, granted, decided)
    problems += reasons.of_module(module) + reasons.of_driver(topology.driver, topology.source)
    problems += reasons.of_nics(topology.nics, nics.SOURCE if reading.nics is None else smi_reader.TOPO)
    problems += reasons.of_libraries(topology.libcuda, decided)
    return topology, problems


def _driver(reading: Reading, module: Module, nvml_path: Optional[str]) -> Driver:
    return Driver(
        version=reading.driver.get("version"),
        cuda_version=reading.driver.get("cuda_version"),
        nvml_version=reading.driver.get("nvml_version"),
        module_version=module.version,
        module_flavor=module.flavor,
        nouveau_loaded=module.nouveau,
        reboot_pending=_reboot_pending(reading, module, version_of(nvml_path)),
    )


def _reboot_pending(reading: Reading, module: Module, library_version: Optional[str]) -> Optional[bool]:
    """Compare the loaded module with the libraries on disk."""
    if reading.answer == state.MISMATCH:
        return True
    if module.loaded is False:
        return False
    if module.version is None or (library_version is None and reading.answer != state.OK):
        return None
    # A driver that answers has libraries that fit its module; a file's name tells of an update since.
    return library_version is not None and library_version != module.version


def _links(reading: Reading, gpus: List[Gpu]) -> Optional[List[Link]]:
    if reading.links is not None:
        return list(reading.links)
    return None if gpus or reading.answer not in (state.NO_LIBRARY, state.NO_DEVICES) else []


def _interconnect(links: Optional[Tuple[Link, ...]], gpus: List[Gpu]) -> Optional[str]:
    """Return single, nvlink_mesh, nvlink_partial or pcie; None where a pair is unknown."""
    if len(gpus) == 1:
        return "single"
    if not links or any(link.nvlinks is None for link in links):
        return None
    joined = sum(bool(link.nvlinks) for link in links)
    return "pcie" if not joined else "nvlink_mesh" if joined == len(links) else "nvlink_partial"
