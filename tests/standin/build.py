# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""Build the tree of a recorded host; the same host is built once and copied after."""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from tests.standin import kernel, libraries, smi
from tests.standin.host import Host, load

SOURCES = Path(__file__).parent
CACHE = SOURCES.parents[1] / ".cache" / "standin"


def build(name: str, destination: str | os.PathLike[str], changes: dict[str, Any] | None = None) -> Path:
    """Write the host NAME, or a variant of it (see host.load), to a folder that is not there yet."""
    return Path(shutil.copytree(recorded(name, changes), destination, symlinks=True))


def recorded(name: str, changes: dict[str, Any] | None = None) -> Path:
    """Return a tree of the host to read from and never to write to: it is shared by all who ask."""
    host = load(name, changes)
    kept = CACHE / _key(host)
    if not kept.is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="new-", dir=CACHE) as folder:
            fresh = Path(folder, "tree")
            fresh.mkdir()
            _write(fresh, host)
            if not kept.is_dir():  # another test may have been quicker
                fresh.rename(kept)
    return kept


def _key(host: Host) -> str:
    digest = hashlib.sha256(repr(host).encode())
    for source in sorted(path for path in SOURCES.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        digest.update(source.read_bytes())
    return f"{host.name}-{digest.hexdigest()[:16]}"


def _write(root: Path, host: Host) -> None:
    kernel.write(root, host)
    if host.driver:
        libraries.write(root, host)
        _tool(root, host)


def _tool(root: Path, host: Host) -> None:
    (root / "bin").mkdir()
    shutil.copy(SOURCES / "templates" / "nvidia-smi", root / "bin")
    for arguments, answer in smi.answers(host).items():
        folder = root / "smi" / arguments
        folder.mkdir(parents=True)
        (folder / "stdout").write_bytes(answer.stdout)
        (folder / "stderr").write_bytes(answer.stderr)
        (folder / "exit").write_text(f"{answer.exit}\n")
        for mark, text in answer.marks.items():
            (folder / mark).write_text(text)
