# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Lets GPUs compute, each in a child of its own, all at once."""

import signal
from dataclasses import replace
from typing import Any, Dict, List, Tuple

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._nvidia import assemble, cuda
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Cuda, Fault, Gpu
from ansible_collections.inference.recon.plugins.module_utils._run import Call, Deadline, Job, Outcome, gather

SOURCE = "cuda_check"


def check(gpus: List[Gpu], which: str, library: str, timeout: float, deadline: Deadline) -> Tuple[List[Gpu], List[Problem]]:
    """Check all GPUs or the idle ones, as `which` says; those left out and those out of time stay unknown."""
    chosen = {
        str(place): gpu
        for place, gpu in enumerate(gpus)
        if gpu.uuid and gpu.pci_bus_id and (which == "all" or (which == "idle" and assemble.is_idle(gpu)))
    }
    jobs: Dict[str, Job] = {
        place: Call(cuda.check, (library, gpu.pci_bus_id), timeout, {"CUDA_VISIBLE_DEVICES": gpu.uuid or ""})
        for place, gpu in chosen.items()
    }
    outcomes = gather(jobs, deadline)
    unfinished = [place for place, outcome in outcomes.items() if _says_nothing(outcome)]
    problems = [
        Problem(SOURCE, outcomes[place].state, outcomes[place].why, assemble.subject_of(chosen[place])) for place in unfinished
    ]
    told = {place: outcome for place, outcome in outcomes.items() if place not in unfinished}
    return [_with(gpu, told[str(place)]) if str(place) in told else gpu for place, gpu in enumerate(gpus)], problems


def _says_nothing(outcome: Outcome) -> bool:
    """Whether the child had no time, never came to ask CUDA, or was killed by others: no word on the GPU."""
    return outcome.state == "deadline" or (outcome.state == "crash" and outcome.rc in (None, -signal.SIGKILL))


def _with(gpu: Gpu, outcome: Outcome) -> Gpu:
    found: Dict[str, Any] = {"usable": False, "error": outcome.why, "blames_gpu": True}
    if outcome.state == "ok":
        found = outcome.value
    gpu = replace(gpu, cuda=Cuda(found["usable"], found["error"]))
    if not found["blames_gpu"]:
        return gpu
    faults = gpu.faults + (Fault("cuda_error", found["error"]),)
    checked = replace(gpu, faults=tuple(sorted(faults, key=lambda fault: (fault.code, fault.message))))
    return replace(checked, state=assemble.state_of(checked, gpu.state != "unknown"))
