# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Files that only their owner reads, written whole or not at all, through no link."""

import os
import stat
import tempfile


def make_private(directory: str) -> None:
    """Make the directory with mode 0700; a link in its place is replaced, a directory that is there stays."""
    if os.path.islink(directory):
        os.unlink(directory)
    os.makedirs(os.path.dirname(directory), exist_ok=True)
    try:
        os.mkdir(directory, 0o700)
    except FileExistsError:
        _close(directory)


def _close(directory: str) -> None:
    """Take other people's access away from a directory that holds nothing but our reports."""
    found = os.stat(directory)
    ours = found.st_uid == os.geteuid() and all(name.lstrip(".").startswith("report.") for name in os.listdir(directory))
    if ours and stat.S_IMODE(found.st_mode) != 0o700:
        os.chmod(directory, 0o700)


def write_private(directory: str, name: str, text: str) -> str:
    """Write a file of mode 0600 and return its path; a reader sees the old one or the whole new one."""
    path = os.path.join(directory, name)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=directory)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path
