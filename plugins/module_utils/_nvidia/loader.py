# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Which file the loader took for a library: its own answer, in the process that loaded it."""

import os
import re
from typing import Optional

_VERSION = re.compile(r"\.so\.(?P<version>[0-9]+\.[0-9]+(\.[0-9]+)?)$")


def loaded_path(name: str) -> Optional[str]:
    """Return the file that is mapped for a library whose name begins so, from /proc/self/maps (proc(5))."""
    try:
        with open("/proc/self/maps") as maps:
            paths = [line.split(None, 5)[5].strip() for line in maps if "/" in line]
    except OSError:
        return None
    return next((path for path in paths if path.rpartition("/")[2].startswith(name)), None)


def version_of(path: Optional[str]) -> Optional[str]:
    """Return the driver version in the name of the real file behind a library: libcuda.so.580.126.20."""
    match = _VERSION.search(os.path.realpath(path)) if path else None
    return match.group("version") if match else None
