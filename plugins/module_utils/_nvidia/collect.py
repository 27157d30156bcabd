# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Looks at the GPUs of a host: the readers in order, the bus and /proc beside them, the CUDA check if asked."""

from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._host.container import container_engine
from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia import (
    assemble,
    cuda,
    libcuda,
    nics,
    nvml_outcome,
    nvml_reader,
    smi_reader,
    state,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import Reading
from ansible_collections.inference.recon.plugins.module_utils._nvidia.granted import Granted, count_granted
from ansible_collections.inference.recon.plugins.module_utils._nvidia.loader import version_of
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import Card, read_cards
from ansible_collections.inference.recon.plugins.module_utils._nvidia.proc import Module, read_module
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import (
    Cuda,
    Driver,
    Fault,
    Gpu,
    Libcuda,
    Link,
    Nic,
    Topology,
)
from ansible_collections.inference.recon.plugins.module_utils._run import Call, Deadline, Job, Outcome, gather


@dataclass(frozen=True)
class Options:
    """What the module was asked for."""

    readers: Sequence[str] = ("nvml", "nvidia_smi")
    executable: str = "nvidia-smi"
    cuda_check: str = "none"
    timeout: float = 60.0
    deadline: float = 180.0


@dataclass(frozen=True)
class Place:
    """Where to look: the host itself, or a recorded tree and its libraries in a test."""

    root: Root = field(default_factory=Root)
    nvml: str = "libnvidia-ml.so.1"
    cuda: str = "libcuda.so.1"


_TRY_NEXT = (state.NO_LIBRARY, state.FAILED)


def collect(options: Options, place: Place = Place()) -> Tuple[Topology, List[Problem]]:
    """Return what is known of the GPUs and why the rest is not; never raises for what a host is like."""
    deadline = Deadline(options.deadline)
    module = read_module(place.root)
    cards = read_cards(place.root)
    readings, libcuda_outcome, nvml_path = _read(options, place, deadline)
    reading = next((one for one in readings if one.answer not in _TRY_NEXT), _last(readings))
    granted = count_granted(place.root, cards, container_engine(place.root) is not None)
    gpus, problems = _gpus(place, reading, cards, granted)
    if options.cuda_check != "none":
        gpus = _check_cuda(options, place, deadline, gpus)
    whole = _is_whole(reading, gpus, granted)
    evidence = state.Evidence(None if cards is None else len(cards), module.loaded, reading.answer, whole)
    decided = state.decide(evidence)
    driver = _driver(reading, module, nvml_path)
    cuda_library = libcuda.describe((libcuda_outcome.value or {}).get("path"))
    topology = Topology(
        source=reading.source if reading.answer == state.OK else "pci" if cards else None,
        state=decided,
        driver=driver,
        libcuda=cuda_library,
        pci_gpu_count=evidence.bus,
        granted_gpu_count=granted.count,
        gpus=gpus,
        links=list(reading.links) if reading.links is not None else _no_pairs(reading, gpus),
        interconnect=_interconnect(reading.links, gpus) if reading.answer == state.OK else None,
        nics=_nics(place.root, reading, gpus),
    )
    problems += _reader_problems(readings, decided) + _bus_problems(cards, granted, decided)
    problems += _driver_problems(driver, cuda_library, module, decided)
    return topology, problems


def _read(options: Options, place: Place, deadline: Deadline) -> Tuple[List[Reading], Outcome, Optional[str]]:
    """Ask the readers in order until one has an answer of the driver; the loader is asked for libcuda beside them."""
    readers: Dict[str, Callable[[], Dict[str, Job]]] = {
        nvml_outcome.SOURCE: lambda: {"nvml": Call(nvml_reader.read, (place.nvml,), options.timeout)},
        smi_reader.SOURCE: lambda: dict(smi_reader.commands(options.executable, options.timeout)),
    }
    beside: Dict[str, Job] = {"libcuda": Call(libcuda.load, (place.cuda,), options.timeout)}
    readings: List[Reading] = []
    libcuda_outcome, nvml_path = Outcome("crash", why="was not asked"), None
    for name in options.readers:
        outcomes = gather(dict(readers[name](), **beside), deadline)
        libcuda_outcome = outcomes.pop("libcuda", libcuda_outcome)
        beside = {}
        if name == nvml_outcome.SOURCE:
            nvml_path = (outcomes["nvml"].value or {}).get("path")
            readings.append(nvml_outcome.reading_of(outcomes["nvml"]))
        else:
            readings.append(smi_reader.reading_of(outcomes))
        if readings[-1].answer not in _TRY_NEXT:
            break
    return readings, libcuda_outcome, nvml_path


def _last(readings: List[Reading]) -> Reading:
    """Where no reader has an answer: one that failed tells more than one that is not installed."""
    failed = [one for one in readings if one.answer == state.FAILED]
    return failed[0] if failed else readings[-1]


def _gpus(place: Place, reading: Reading, cards: Optional[List[Card]], granted: Granted) -> Tuple[List[Gpu], List[Problem]]:
    by_bus = {card.bus_id: card for card in cards or []}
    gpus, problems = [], []
    for row in reading.rows:
        gpu, found = assemble.gpu_of(place.root, row, reading.source, by_bus)
        gpus.append(gpu)
        problems += found
    known = {gpu.pci_bus_id for gpu in gpus}
    absent = [by_bus[bus] for bus in granted.bus_ids if bus in by_bus and bus not in known]
    if reading.answer == state.OK:
        silent = Fault("not_answering", "was granted to this host, and the driver does not list it")
        gpus += [assemble.gpu_of_card(card, silent) for card in absent] if None not in known else []
    else:
        gpus += [assemble.gpu_of_card(card, None) for card in cards or [] if card.bus_id not in known]
    order = sorted(gpus, key=lambda gpu: (gpu.index is None, gpu.index, gpu.pci_bus_id or ""))
    return order, problems


def _is_whole(reading: Reading, gpus: List[Gpu], granted: Granted) -> bool:
    answering = [gpu for gpu in gpus if gpu.state == "ok"]
    counts = reading.expected is not None and reading.expected <= len(answering)
    return counts and len(answering) == len(gpus) and len(answering) >= (granted.at_most or 0)


def _check_cuda(options: Options, place: Place, deadline: Deadline, gpus: List[Gpu]) -> List[Gpu]:
    """Let each chosen GPU compute in a child of its own, all at once."""
    jobs: Dict[str, Job] = {}
    for number, gpu in enumerate(gpus):
        chosen = options.cuda_check == "all" or assemble.is_idle(gpu)
        if gpu.uuid and gpu.pci_bus_id and chosen:
            alone = {"CUDA_VISIBLE_DEVICES": gpu.uuid}
            jobs[str(number)] = Call(cuda.check, (place.cuda, gpu.pci_bus_id), options.timeout, alone)
    outcomes = gather(jobs, deadline)
    return [_with_cuda(gpu, outcomes.get(str(number))) for number, gpu in enumerate(gpus)]


def _with_cuda(gpu: Gpu, outcome: Optional[Outcome]) -> Gpu:
    if outcome is None:
        return gpu
    found: Dict[str, Any] = {"usable": False, "error": outcome.why, "code": None}
    if outcome.state == "ok":
        found = outcome.value
    checked = replace(gpu, cuda=Cuda(found["usable"], found["error"]))
    if found["usable"] or found["code"] in cuda.HOST_ERRORS:
        return checked
    faults = gpu.faults + (Fault("cuda_error", found["error"]),)
    checked = replace(checked, faults=tuple(sorted(faults, key=lambda fault: (fault.code, fault.message))))
    return replace(checked, state=assemble.state_of(checked, gpu.state != "unknown"))


def _driver(reading: Reading, module: Module, nvml_path: Optional[str]) -> Driver:
    library = version_of(nvml_path)
    pending: Optional[bool] = None
    if reading.answer == state.MISMATCH:
        pending = True
    elif module.loaded is False:
        pending = False
    elif module.version and (library or reading.answer == state.OK):
        # A reader that answers uses libraries that fit the module; a file name tells of an update since.
        pending = library is not None and library != module.version
    return Driver(
        version=reading.driver.get("version"),
        cuda_version=reading.driver.get("cuda_version"),
        nvml_version=reading.driver.get("nvml_version"),
        module_version=module.version,
        module_flavor=module.flavor,
        nouveau_loaded=module.nouveau,
        reboot_pending=pending,
    )


def _no_pairs(reading: Reading, gpus: List[Gpu]) -> Optional[List[Link]]:
    return [] if not gpus and reading.answer in (state.NO_LIBRARY, state.NO_DEVICES) else None


def _interconnect(links: Optional[Tuple[Link, ...]], gpus: List[Gpu]) -> Optional[str]:
    """Return single, nvlink_mesh, nvlink_partial or pcie; None where a pair is unknown."""
    if len(gpus) == 1:
        return "single"
    if not links or any(link.nvlinks is None for link in links):
        return None
    joined = sum(bool(link.nvlinks) for link in links)
    return "pcie" if not joined else "nvlink_mesh" if joined == len(links) else "nvlink_partial"


def _nics(root: Root, reading: Reading, gpus: List[Gpu]) -> Optional[List[Nic]]:
    return list(reading.nics) if reading.nics is not None else nics.read_nics(root, gpus)


_EXPLAINS_ITSELF = ("no_gpu", "driver_missing", "library_missing")
"""States that a missing library is part of; it is no problem of its own there."""


def _reader_problems(readings: List[Reading], decided: str) -> List[Problem]:
    rows = [problem for reading in readings for problem in reading.problems]
    return [row for row in rows if row.code != "not_found" or decided not in _EXPLAINS_ITSELF]


def _bus_problems(cards: Optional[List[Card]], granted: Granted, decided: str) -> List[Problem]:
    rows = []
    if cards is None:
        rows.append(Problem("/sys/bus/pci/devices", "unreadable", "the PCI bus cannot be read; its cards are unknown"))
    if granted.count is None and decided not in _EXPLAINS_ITSELF:
        rows.append(Problem(granted.source, "grant_unknown", granted.why))
    return rows


def _driver_problems(driver: Driver, library: Libcuda, module: Module, decided: str) -> List[Problem]:
    rows = []
    if module.loaded is None:
        rows.append(Problem("/proc/driver/nvidia/version", "unreadable", "whether the kernel module is loaded is unknown"))
    elif module.loaded and module.version is None:
        rows.append(Problem("/proc/driver/nvidia/version", "unreadable", "does not tell the module's version"))
    if module.nouveau is None:
        rows.append(Problem("/proc/modules", "unreadable", "cannot be read; whether nouveau is loaded is unknown"))
    if decided in ("ok", "degraded"):
        if driver.version is None or driver.cuda_version is None:
            rows.append(Problem("driver", "unreadable", "does not tell its version or its CUDA version"))
        if library.path is None:
            rows.append(Problem("libcuda.so.1", "not_found", "the loader finds no libcuda.so.1: CUDA programs fail to start"))
        elif library.version is None:
            rows.append(Problem(library.path, "unreadable", "its version stands neither in its name nor in its target's"))
    return rows
