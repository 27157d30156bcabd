# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""python3 tests/bench/run.py [ROUNDS]: how long a look at eight GPUs takes, the ways to do it side by side.

The libraries and the tool are stand-ins that answer at once: what is measured is our own work and that of the processes,
not a driver's. The ways take turns, so that a busy machine slows all of them; ratios tell more than times.
"""

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "collections")]

from tests.faults.look import look
from tests.standin import recorded

HOST = "hgx-b200"
ROUNDS = 30
READ_NVML = ROOT / "tests/unit/standin/read_nvml.py"
# Reads the same fields through nvidia-ml-py, as often as it is asked to by a line on its standard input.
CLIENT = """
import contextlib, os, runpy, sys
with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
    client = runpy.run_path(sys.argv[1])
for line in sys.stdin:
    client["host"]()
    print(flush=True)
"""

Way = Callable[[], object]


class Client:
    """A process that reads with nvidia-ml-py, its start not counted."""

    def __init__(self, tree: Path) -> None:
        environment = {**os.environ, "LD_LIBRARY_PATH": str(tree / "lib")}
        command = [sys.executable, "-c", CLIENT, str(READ_NVML)]
        self._pipes = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read(self) -> None:
        self._pipes.stdin.write("\n")
        self._pipes.stdin.flush()
        if not self._pipes.stdout.readline():
            raise RuntimeError("nvidia-ml-py gave no answer")

    def end(self) -> None:
        self._pipes.communicate()


def has_client() -> bool:
    return not subprocess.run([sys.executable, "-c", "import pynvml"], capture_output=True, check=False).returncode


def measure(ways: dict[str, Way], rounds: int) -> dict[str, float]:
    """Return the median milliseconds of each way; they take turns, and the first round is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for unused in range(rounds + 1):
        for name, way in ways.items():
            started = time.perf_counter()
            way()
            seconds[name].append(time.perf_counter() - started)
    return {name: 1000 * median(taken[1:]) for name, taken in seconds.items()}


def table(times: dict[str, float]) -> str:
    base = next(iter(times.values()))
    rows = [f"{name:<44} {taken:8.1f} ms {taken / base:7.2f}x" for name, taken in times.items()]
    return "\n".join([f"{'a look at 8 GPUs':<44} {'median':>11} {'ratio':>8}", *rows])


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    tree = recorded(HOST)
    ways: dict[str, Way] = {
        "collect, reader nvml": lambda: look(tree, ("nvml",)),
        "collect, reader nvidia_smi": lambda: look(tree, ("nvidia_smi",)),
        "nvidia-smi -q -x alone, unread": lambda: subprocess.run(
            [tree / "bin/nvidia-smi", "-q", "-x"], capture_output=True, check=True
        ),
    }
    client = Client(tree) if has_client() else None
    if client:
        ways["nvidia-ml-py, the same fields, no child"] = client.read
    times = measure(ways, rounds)
    if client:
        client.end()
    print(table(times))
    print(f"{rounds} rounds, Python {platform.python_version()}, {os.cpu_count()} CPUs")
    if not client:
        print("nvidia-ml-py is not installed: not compared")


if __name__ == "__main__":
    main()
