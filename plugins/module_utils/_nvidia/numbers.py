# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Numbers as drivers and kernels print them: int() and float() take signs, "1_0", "nan" and the digits of every script."""

import re
from typing import Optional

_WHOLE = re.compile(r"[0-9]{1,18}")
_DECIMAL = re.compile(r"[0-9]{1,18}(\.[0-9]{1,18})?")
_VERSION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}){0,4}")


def is_whole(text: str) -> bool:
    return _WHOLE.fullmatch(text) is not None


def whole(text: str) -> int:
    """Return 0 or more; ValueError for anything but ASCII digits."""
    if not is_whole(text):
        raise ValueError(text[:80])
    return int(text)


def whole_or_none(text: Optional[str]) -> Optional[int]:
    return whole(text) if text is not None and is_whole(text) else None


def rounded(text: str) -> int:
    """Return 600 for "600.00"; ValueError for anything but a decimal number."""
    if not _DECIMAL.fullmatch(text):
        raise ValueError(text[:80])
    return int(float(text) + 0.5)


def version(text: str) -> str:
    """Return a version as it is; ValueError for anything but numbers joined by dots."""
    if not _VERSION.fullmatch(text):
        raise ValueError(text[:80])
    return text
