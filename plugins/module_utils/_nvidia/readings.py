# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Asks the driver: the readers in order until one has its answer, and the loader for libcuda beside them."""

from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional, Sequence

from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia import (
    libcuda,
    nvml_outcome,
    nvml_reader,
    smi_reader,
    state,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import Reading
from ansible_collections.inference.recon.plugins.module_utils._run import Call, Deadline, Job, gather


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


@dataclass(frozen=True)
class Readings:
    """What all readers said, in the order they were asked, and the files that the loader took."""

    all: List[Reading]
    nvml_path: Optional[str]
    libcuda_path: Optional[str]

    @property
    def best(self) -> Reading:
        """The one that has an answer of the driver; without one, a failure tells more than a missing tool."""
        answered = [one for one in self.all if one.answer not in _TRY_NEXT]
        failed = [one for one in self.all if one.answer == state.FAILED]
        return (answered + failed + self.all)[0]


_TRY_NEXT = (state.NO_LIBRARY, state.FAILED)


def read(options: Options, place: Place, deadline: Deadline) -> Readings:
    """Ask the readers in order until one has an answer of the driver."""
    readers: Dict[str, Callable[[], Dict[str, Job]]] = {
        nvml_outcome.SOURCE: lambda: {"nvml": Call(nvml_reader.read, (place.nvml,), options.timeout)},
        smi_reader.SOURCE: lambda: dict(smi_reader.commands(options.executable, options.timeout)),
    }
    beside: Dict[str, Job] = {"libcuda": Call(libcuda.load, (place.cuda,), options.timeout)}
    found: List[Reading] = []
    paths: Dict[str, Optional[str]] = {}
    for name in options.readers:
        outcomes = gather(dict(readers[name](), **beside), deadline)
        paths.update({key: (outcome.value or {}).get("path") for key, outcome in outcomes.items() if outcome.value})
        outcomes.pop("libcuda", None)
        beside = {}
        if name == nvml_outcome.SOURCE:
            found.append(nvml_outcome.reading_of(outcomes["nvml"]))
        else:
            found.append(smi_reader.reading_of(outcomes))
        if found[-1].answer not in _TRY_NEXT:
            break
    return Readings(found, paths.get("nvml"), paths.get("libcuda"))
