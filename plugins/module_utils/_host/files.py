# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Small files of /proc and /sys, read whole and bounded, below a root that tests may move."""

import os
from typing import List, Optional

LIMIT = 1 << 20


class Root:
    """The file system a collector looks at: `/` on a host, a recorded tree in a test."""

    def __init__(self, path: str = "/") -> None:
        self._path = path

    def path(self, *parts: str) -> str:
        return os.path.join(self._path, *[part.lstrip("/") for part in parts])

    def read(self, *parts: str) -> Optional[str]:
        """Return the text of a file, stripped, or None where it cannot be read."""
        return self.read_real(self.path(*parts))

    def read_real(self, path: str) -> Optional[str]:
        """Return the text behind a path that real() gave."""
        try:
            with open(path, "rb") as stream:
                return stream.read(LIMIT).decode("utf-8", "backslashreplace").strip()
        except OSError:
            return None

    def names(self, *parts: str) -> Optional[List[str]]:
        """Return the sorted names in a directory, or None where it cannot be read."""
        try:
            return sorted(os.listdir(self.path(*parts)))
        except OSError:
            return None

    def exists(self, *parts: str) -> bool:
        return os.path.lexists(self.path(*parts))

    def readable(self, *parts: str) -> bool:
        """Whether we may open it for reading. The kernel asks the device cgroup here too, without opening a device."""
        return os.access(self.path(*parts), os.R_OK)

    def link_name(self, *parts: str) -> Optional[str]:
        """Return the last part of a link's target, or None where there is no link to read."""
        try:
            return os.path.basename(os.readlink(self.path(*parts)))
        except OSError:
            return None

    def real(self, *parts: str) -> str:
        return os.path.realpath(self.path(*parts))
