# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one command of a step within its time, its output in a file."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from tests.utils.environments import (
    CACHE,
    ROOT,
    TARGET_PYTHONS,
    TOOL_PYTHONS,
    find_python,
    make_environment,
)

TOOLS = ["-r", "tests/requirements.txt", "-c", "tests/constraints.txt"]
OUTPUT = CACHE / "test-output"
GRACE_SECONDS = 20
"""How long a command that is told to end may take to put its hosts and mounts away."""

OTHERS_SETTINGS = ("ANSIBLE_", "MOLECULE_", "PYTEST_", "PYTHON", "PYENV_VERSION", "VIRTUAL_ENV")
"""A person's own settings must not change what a test says."""


def prepare() -> dict[str, str]:
    """Make what the steps run with, and return their environment."""
    tools = make_environment("test-tools", TOOL_PYTHONS, TOOLS) / "bin"
    pythons = [str(python.parent) for python in map(find_python, TARGET_PYTHONS) if python]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OTHERS_SETTINGS)}
    environment["PATH"] = os.pathsep.join([str(tools), *pythons, os.environ["PATH"]])
    environment.update(RECON_LAB="80", ANSIBLE_INJECT_FACT_VARS="false", ANSIBLE_NOCOLOR="1", NO_COLOR="1", LC_ALL="C.UTF-8")
    subprocess.run([tools / "python", "tests/utils/ansible_test_pip.py"], cwd=ROOT, check=True)
    return environment


def execute(command: str, environment: dict[str, str], seconds: int, log: Path) -> tuple[str, int]:
    """Run a command line without a shell in a session of its own; return all it printed, and its exit status."""
    with log.open("ab") as sink:
        sink.write(f"$ {command}\n".encode())
        sink.flush()
        start = sink.tell()
        child = subprocess.Popen(
            command.split(),
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            start_new_session=True,
        )
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            status = 124
            sink.write(f"\nended after {seconds} s, the most this step may take\n".encode())
        finally:
            _end(child)
    return log.read_bytes()[start:].decode(errors="replace"), status


def _end(child: subprocess.Popen[bytes]) -> None:
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        if child.poll() is None:
            os.killpg(child.pid, signal_number)
            try:
                child.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                continue
