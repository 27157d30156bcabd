# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Pythons of this machine, and virtual environments that are made once and made anew when what they hold changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterable

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"
TARGET_PYTHONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
TOOL_PYTHONS = ("3.11", "3.12", "3.13")
"""What ansible-core 2.19 runs on: https://docs.ansible.com/ansible/latest/reference_appendices/release_and_maintenance.html"""


class SetupError(Exception):
    """An environment cannot be made; the text is one line that says what to do."""


def find_python(version: str) -> Path | None:
    """Find a real interpreter: pyenv's own folders first, for its shims on PATH refuse versions that are not selected."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for folder in sorted(pyenv.glob(version + ".*")):
        if (folder / "bin" / f"python{version}").exists():
            return folder / "bin" / f"python{version}"
    found = shutil.which(f"python{version}")
    return Path(found) if found and "/shims/" not in found else None


def find_any_python(versions: Iterable[str]) -> Path:
    """Find an interpreter of one of these versions: the one that runs now if it is one of them."""
    if ".".join(map(str, sys.version_info[:2])) in versions:
        return Path(sys.executable)
    for version in versions:
        python = find_python(version)
        if python:
            return python
    raise SetupError(f"needs a Python of {', '.join(versions)}; on PATH there is none")


def make_environment(name: str, python: Path, requirements: list[str]) -> Path:
    """Return the folder of a virtual environment holding what pip's arguments ask for; a stamp written last says it is whole."""
    wanted = hashlib.sha256("\n".join([str(python), *map(_content, requirements)]).encode()).hexdigest()
    folder = CACHE / name
    stamp = folder / "stamp"
    if stamp.exists() and stamp.read_text() == wanted:
        return folder
    _run([python, "-m", "venv", "--clear", folder], f"python3-venv is missing? {python} -m venv failed")
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, *requirements], f"pip could not install {name}")
    stamp.write_text(wanted)
    return folder


def _content(argument: str) -> str:
    path = ROOT / argument
    return path.read_text() if path.is_file() else argument


def _run(argv: list[str | Path], failure: str) -> None:
    done = subprocess.run(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SetupError(f"{failure}:\n{done.stdout}")
