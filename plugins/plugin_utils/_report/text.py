# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Text that came from a host, made fit for a terminal. The one place where the console writer escapes."""

import textwrap
from dataclasses import dataclass

WIDTH = 100


@dataclass(frozen=True)
class Line:
    """One line; `tone` is good, bad or plain."""

    text: str
    tone: str = "plain"


def safe(text: object) -> str:
    """Return text with all but printable ASCII as escapes: no terminal sequence, new line or bidi mark gets through."""
    ascii_text = str(text).encode("ascii", "backslashreplace").decode("ascii")
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in ascii_text)


def cut(text: str, width: int = WIDTH) -> str:
    """Return text no longer than `width`."""
    return text if len(text) <= width else text[: max(0, width - 3)] + "..."


def hang(label: str, text: str) -> list[str]:
    """Return lines of `label` and text beside it, wrapped so that nothing is lost."""
    return textwrap.wrap(
        text or "?",
        width=WIDTH,
        initial_indent=f"  {label:<8} ",
        subsequent_indent=" " * 11,
        break_on_hyphens=False,
    )
