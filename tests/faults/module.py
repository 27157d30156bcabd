# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""The module as a target runs it: a process of its own, arguments on its standard input, one JSON on its standard output."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MODULE = "ansible_collections.inference.recon.plugins.modules.nvidia_topology"
GIVE_UP = 60


@dataclass(frozen=True)
class Run:
    """What a run of the module came to; `seconds` until its standard output was closed by all who held it."""

    result: dict[str, Any]
    err: str
    rc: int
    seconds: float
    peak_mib: float

    @property
    def facts(self) -> dict[str, Any]:
        return self.result["ansible_facts"]["nvidia_topology"]


def run_module(tree: Path, wrap: tuple[str, ...] = (), **options: Any) -> Run:
    """Run the module with a tree's tools found first; `wrap` is a command that starts it, of unshare or setpriv."""
    asked = {"executable": str(tree / "bin/nvidia-smi"), **options}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    started = time.monotonic()
    module = subprocess.Popen(
        [*wrap, sys.executable, "-m", MODULE],
        cwd=ROOT,
        env={
            "PATH": f"{tree}/bin:/usr/bin:/bin",
            "PYTHONPATH": f"{ROOT / 'collections'}:{':'.join(filter(None, sys.path))}",
            "LD_LIBRARY_PATH": str(tree / "lib"),
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = module.communicate(json.dumps({"ANSIBLE_MODULE_ARGS": asked}).encode(), timeout=GIVE_UP)
    finally:
        if module.poll() is None:
            os.killpg(module.pid, signal.SIGKILL)
    seconds = time.monotonic() - started
    peak = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024
    return Run(json.loads(out), err.decode(), module.returncode, seconds, peak)
