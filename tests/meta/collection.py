# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checkout holds, for the tests that hold all of it to something."""

from __future__ import annotations

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NAMESPACE = "inference.recon"
MODULES = sorted(path.stem for path in (ROOT / "plugins" / "modules").glob("*.py"))
ACTIONS = [name for name in MODULES if (ROOT / "plugins" / "action" / f"{name}.py").exists()]
"""Those that run on the controller: the file among the modules is their documentation."""

FACTS = [name for name in MODULES if name not in ACTIONS]


@functools.lru_cache(maxsize=None)
def files() -> tuple[Path, ...]:
    """Return all files that are committed or will be, links aside, relative to the root."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    found = (Path(name) for name in listing.stdout.split("\0") if name)
    return tuple(path for path in found if (ROOT / path).is_file() and not (ROOT / path).is_symlink())


@functools.lru_cache(maxsize=None)
def documentation(module: str) -> dict[str, Any]:
    """Return a module's `doc`, `examples` and `return` as ansible-doc reads them: fragments are filled in."""
    name = f"{NAMESPACE}.{module}"
    said = subprocess.run(["ansible-doc", "--json", name], cwd=ROOT, capture_output=True, check=True, text=True)
    return json.loads(said.stdout)[name]
