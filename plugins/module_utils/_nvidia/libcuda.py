# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Which libcuda.so.1 the loader takes: its own answer, in a child, without a call into it."""

import ctypes
import os
from typing import Any, Dict, Optional

from ansible_collections.inference.recon.plugins.module_utils._nvidia.loader import loaded_path, version_of
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Libcuda


def load(library: str) -> Dict[str, Any]:
    """Load the library and say which file it is. Runs in a child of _run.py."""
    try:
        ctypes.CDLL(library)
    except OSError as failure:
        return {"path": None, "why": str(failure)}
    return {"path": loaded_path("libcuda.so"), "why": ""}


def describe(path: Optional[str]) -> Libcuda:
    """Return its version and whether it is a forward-compatibility library: those lie in a folder `compat`.

    https://docs.nvidia.com/deploy/cuda-compatibility/#forward-compatibility
    """
    if path is None:
        return Libcuda()
    return Libcuda(path, version_of(path), any("/compat/" in name for name in (path, os.path.realpath(path))))
