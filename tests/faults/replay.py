# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""A recorded host whose readers' outcomes are kept, so that a thousand mutations of them cost no process each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml
from ansible_collections.inference.recon.plugins.module_utils._nvidia import libcuda, nvml_reader, readings, smi_reader
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvml import Nvml, NvmlError
from ansible_collections.inference.recon.plugins.module_utils._run import Call, Deadline, Job, Outcome, gather, run

from tests.faults.look import look
from tests.standin import recorded
from tests.standin.host import HOSTS

GIVE_UP = 60


@dataclass(frozen=True)
class Replay:
    """The tree of a host and what a reader's jobs came to there, by the job's name."""

    tree: Path
    reader: str
    outcomes: Mapping[str, Outcome]

    def look(self, tree: Path | None = None) -> dict[str, Any]:
        with patch.object(readings, "gather", self._gather):
            return look(tree or self.tree, (self.reader,))

    def with_output(self, command: str, text: str) -> Replay:
        return self._with(command, replace(self.outcomes[command], out=text))

    def with_faults(self, calls: Sequence[str], code: int, gpu: int | None = None) -> dict[str, Replay]:
        """Let NVML refuse each call in turn, for one GPU or for all; in a child, which takes the library along."""
        library = str(self.tree / "lib/libnvidia-ml.so.1")
        told = run(Call(_read_without, (library, calls, code, gpu), GIVE_UP), Deadline(GIVE_UP))
        assert told.state == "ok", told.why
        return {call: self._with("nvml", Outcome("ok", rc=0, value=value)) for call, value in told.value.items()}

    def _with(self, name: str, outcome: Outcome) -> Replay:
        return replace(self, outcomes={**self.outcomes, name: outcome})

    def _gather(self, jobs: Mapping[str, Job], deadline: Deadline) -> dict[str, Outcome]:
        assert deadline.remaining() > 0
        return {name: self.outcomes[name] for name in jobs}


def replay(name: str, reader: str) -> Replay:
    """Ask the stand-ins of a host once; of a big machine, two GPUs stand for all."""
    tree = recorded(name, _few(name))
    jobs: dict[str, Job] = {"libcuda": Call(libcuda.load, (str(tree / "lib/libcuda.so.1"),))}
    if reader == "nvml":
        jobs["nvml"] = Call(nvml_reader.read, (str(tree / "lib/libnvidia-ml.so.1"),))
    else:
        jobs.update(smi_reader.commands(str(tree / "bin/nvidia-smi"), 20))
    return Replay(tree, reader, gather(jobs, Deadline(60)))


KEPT = {"hgx-b200-fabric": slice(2, 4)}
"""GPUs that tell a host's story, where they are not the first two."""


def _few(name: str) -> dict[str, Any]:
    raw = yaml.safe_load((HOSTS / name / "host.yml").read_text(encoding="utf-8"))
    return {"gpus": raw.get("gpus", [])[KEPT.get(name, slice(2))], "nics": raw.get("nics", [])[:2]}


def _read_without(library: str, calls: Sequence[str], code: int, gpu: int | None) -> dict[str, Any]:
    found = {}
    for call in calls:
        faulty = type("Faulty", (FaultyNvml,), {"fault": Fault(call, code, gpu)})
        with patch.object(nvml_reader, "Nvml", faulty):
            found[call] = nvml_reader.read(library)
    return found


@dataclass(frozen=True)
class Fault:
    call: str
    code: int
    gpu: int | None


class FaultyNvml(Nvml):
    """The double, but for one call."""

    fault: Fault

    def __init__(self, library: str) -> None:
        super().__init__(library)
        self._handles: dict[int, int] = {}

    def call(self, name: str, *arguments: Any) -> None:
        index = self._index(name, arguments)
        if name == self.fault.call and self.fault.gpu in (None, index):
            raise NvmlError(name, self.fault.code)
        super().call(name, *arguments)
        if name == "nvmlDeviceGetHandleByIndex_v2":
            self._handles[arguments[1]._obj.value] = index

    def _index(self, name: str, arguments: tuple[Any, ...]) -> int:
        """Return which GPU a call is about, -1 for none."""
        if name == "nvmlDeviceGetHandleByIndex_v2":
            return int(arguments[0].value)
        return self._handles.get(getattr(arguments[0], "value", None), -1) if arguments else -1
