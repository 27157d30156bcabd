# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Running the tools of the machine, with their own words in the error, and one at a time where it must be."""

from __future__ import annotations

import fcntl
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


class LabError(Exception):
    """What stopped the lab, in one line for a person."""


def run(argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60) -> str:
    """Run a command and return its output, or raise LabError with what it said: apt's first error, else the last line."""
    done = finish(argv, stdin, timeout)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        line = next((line for line in said if line.startswith("E: ")), said[-1])
        raise LabError(f"{argv[0]} ended with {done.returncode}: {line}")
    return done.stdout


def attempt(argv: Sequence[str], *, timeout: float = 60) -> str:
    """Run a command that may fail, and return its output."""
    return finish(argv, None, timeout).stdout


def finish(argv: Sequence[str], stdin: str | None, timeout: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired as error:
        raise LabError(f"{argv[0]} did not end within {timeout:g} s") from error


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Wait for whoever else holds this lock."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
