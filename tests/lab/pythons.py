# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The machine's own Pythons, lent to the hosts at the path where they were built."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SYSTEM = Path("/usr")


@dataclass(frozen=True)
class Python:
    """prefix: the folder to lend; None where a host of the machine's own release has the same Python itself."""

    interpreter: Path
    prefix: Path | None


def find(version: str) -> Python | None:
    """A Python of this minor version: the machine's own, from pyenv's folder, or from PATH."""
    own = SYSTEM / "bin/python3"
    if own.resolve().name == f"python{version}":
        return Python(own, None)
    for candidate in (*of_pyenv(version), *of_path(version)):
        prefix = base_prefix(candidate)
        # What somebody added to /usr cannot be lent: a host has a /usr of its own.
        if prefix and prefix != SYSTEM:
            return Python(candidate, prefix)
    return None


def of_pyenv(version: str) -> list[Path]:
    folder = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return sorted(folder.glob(f"{version}.*/bin/python{version}"))


def of_path(version: str) -> list[Path]:
    found = shutil.which(f"python{version}")
    return [Path(found).resolve()] if found else []


def base_prefix(interpreter: Path) -> Path | None:
    ask = [str(interpreter), "-c", "import sys; print(sys.base_prefix)"]
    said = subprocess.run(ask, capture_output=True, text=True, check=False)
    return Path(said.stdout.strip()) if said.returncode == 0 else None
