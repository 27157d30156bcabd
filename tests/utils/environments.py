# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Pythons of this machine, and virtual environments that are made once and made anew when what they hold changes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from pathlib import Path
from typing import Iterable

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"
TARGET_PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
TOOL_PYTHONS = ("3.11", "3.12", "3.13", "3.10")
"""What ansible-core 2.19 runs on, and 2.17: https://docs.ansible.com/ansible/latest/reference_appendices/release_and_maintenance.html"""


class SetupError(Exception):
    """An environment cannot be made; the text is one line that says what to do."""


class NoPythonError(SetupError):
    """This machine has no Python of the versions that would do."""


def find_python(version: str) -> Path | None:
    """Find a real interpreter: no shim of pyenv, which refuses what is not selected, and no environment of this checkout."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for folder in sorted(pyenv.glob(version + ".*")):
        if (folder / "bin" / f"python{version}").exists():
            return folder / "bin" / f"python{version}"
    for folder in os.get_exec_path():
        python = Path(folder) / f"python{version}"
        if os.access(python, os.X_OK) and "/shims/" not in str(python) and ROOT not in python.parents:
            return python
    return None


def find_any_python(versions: Iterable[str]) -> Path:
    """Find an interpreter of one of these versions."""
    for version in versions:
        python = find_python(version)
        if python:
            return python
    raise NoPythonError(f"needs a Python of {', '.join(versions)}; on PATH there is none")


def make_environment(name: str, versions: Iterable[str], requirements: list[str]) -> Path:
    """Return the folder of a virtual environment of one of these Pythons with what pip's arguments ask for.

    A stamp, written last, says that it is whole and what was asked for. Two that want it at once wait for each other.
    """
    wanted = hashlib.sha256("\n".join(map(_content, requirements)).encode()).hexdigest()
    folder = CACHE / name
    CACHE.mkdir(exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_whole(folder, wanted):
            _make(folder, find_any_python(versions), requirements)
            (folder / "stamp").write_text(wanted)
    return folder


def _is_whole(folder: Path, wanted: str) -> bool:
    stamp = folder / "stamp"
    return stamp.exists() and stamp.read_text() == wanted and (folder / "bin" / "python").exists()


def _make(folder: Path, python: Path, requirements: list[str]) -> None:
    _run([python, "-m", "venv", "--clear", folder], f"{python} -m venv failed; is python3-venv installed?")
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, *requirements], f"pip could not install what {folder.name} needs")


def _content(argument: str) -> str:
    path = ROOT / argument
    return path.read_text() if path.is_file() else argument


def _run(argv: list[str | Path], failure: str) -> None:
    done = subprocess.run(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SetupError(f"{failure}:\n{done.stdout}")
