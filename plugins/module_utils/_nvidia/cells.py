# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""A cell: one field of one GPU as a reader found it, and the row and reading that cells make up.

A cell is a pair (value, why). `why` is "" for a value that holds, else what stood in its way, one of WHYS followed by
": " and the reader's words. Cells cross a pipe as JSON, so they are plain lists and strings there.
"""

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Optional, Tuple

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Fault, Link, Nic

NOT_SUPPORTED = "not_supported"
NOT_PERMITTED = "not_permitted"
HIDDEN = "hidden"
LOST = "lost"
RESET_REQUIRED = "reset_required"
MISSING = "missing"
UNREADABLE = "unreadable"
NOT_IN_FORMAT = "not_in_format"

Cell = Tuple[Any, str]

IDENTITY = ("uuid", "name", "pci_bus_id", "memory_total_mib")
"""Fields without which a GPU has not answered."""


def kind(cell: Cell) -> str:
    """Return the first word of a cell's why: one of the constants above, or "" where the value holds."""
    return cell[1].partition(":")[0]


@dataclass(frozen=True)
class Row:
    """One GPU: cells by dotted field name; `index` as the driver counts, None where it said none."""

    index: Optional[int]
    cells: Dict[str, Cell]
    faults: Tuple[Fault, ...] = ()


@dataclass(frozen=True)
class Reading:
    """All that one reader learned.

    `answer` is how the driver answered, a word of state.py; `expected` how many GPUs it promised, None where it did not.
    """

    source: str
    answer: str
    driver: Dict[str, Optional[str]] = field(default_factory=dict)
    rows: Tuple[Row, ...] = ()
    links: Optional[Tuple[Link, ...]] = None
    nics: Optional[Tuple[Nic, ...]] = None
    problems: Tuple[Problem, ...] = ()
    expected: Optional[int] = None


_WORDS = {
    # What nvidia-smi prints in place of a value, lower case, brackets off.
    "n/a": NOT_SUPPORTED,
    "not supported": NOT_SUPPORTED,
    "requested functionality has been deprecated": NOT_SUPPORTED,
    "insufficient permissions": NOT_PERMITTED,
    "no permission": NOT_PERMITTED,
    "gpu is lost": LOST,
    "gpu requires reset": RESET_REQUIRED,
    "reset required": RESET_REQUIRED,
    "err!": UNREADABLE,
    "unknown error": UNREADABLE,
    "unknown": UNREADABLE,
    "error": UNREADABLE,
    "not found": UNREADABLE,
    "function not found": UNREADABLE,
}


def read_cell(text: Optional[str], convert: Callable[[str], Any]) -> Cell:
    """Turn a cell of nvidia-smi into a value; None and an empty text are missing, never a value."""
    if text is None or not text.strip():
        return None, MISSING
    bare = text.strip()
    word = bare[1:-1] if bare.startswith("[") and bare.endswith("]") else bare
    why = _WORDS.get(word.lower())
    if why is not None:
        return None, why if why == NOT_SUPPORTED else "%s: %s" % (why, bare)
    try:
        return convert(bare), ""
    except (ValueError, KeyError):
        return None, "%s: %r is not what this field holds" % (UNREADABLE, bare[:80])
