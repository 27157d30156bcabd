# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""`nvidia-smi nvlink -s`: the links of each GPU and whether they are up."""

import re
from typing import Dict

from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import (
    HIDDEN,
    MISSING,
    NOT_SUPPORTED,
    UNREADABLE,
    Cell,
    kind,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import ParseError

CELLS = ("nvlink.links_active", "nvlink.links_total")

_GPU = re.compile(r"^GPU (?P<index>[0-9]{1,9}): .*\(UUID: ")
_LINK = re.compile(r"^\s+Link (?P<link>[0-9]{1,9}): (?P<speed>.+)$")


def parse_nvlink(text: str) -> Dict[int, Dict[str, Cell]]:
    """Return the cells nvlink.links_active and nvlink.links_total of each GPU by index."""
    gpus: Dict[int, Dict[str, Cell]] = {}
    current: Dict[str, Cell] = {}
    last = -1
    for line in filter(str.strip, text.splitlines()):
        gpu, link = _GPU.match(line), _LINK.match(line)
        if gpu:
            current = gpus[int(gpu.group("index"))] = _cells((None, MISSING), (None, MISSING))
            last = -1
            continue
        if not gpus:
            raise ParseError("nvlink -s does not begin with a GPU", line)
        if link and int(link.group("link")) <= last:
            raise ParseError("nvlink -s counts from 0 again without a GPU", line)
        last = int(link.group("link")) if link else last
        _read(line, current)
    if not gpus:
        raise ParseError("nvlink -s printed no GPU")
    return gpus


def _cells(active: Cell, total: Cell) -> Dict[str, Cell]:
    return {"nvlink.links_active": active, "nvlink.links_total": total}


def _read(line: str, current: Dict[str, Cell]) -> None:
    link = _LINK.match(line)
    if link:
        active, total = (current[name] for name in ("nvlink.links_active", "nvlink.links_total"))
        speed = link.group("speed").strip()
        if not speed.endswith("GB/s") and speed != "<inactive>":
            active = None, "%s: link %s: %s" % (UNREADABLE, link.group("link"), speed)
        elif kind(active) != UNREADABLE:  # one link that cannot be told leaves their number unknown
            active = (active[0] or 0) + (speed != "<inactive>"), ""
        if kind(total) != UNREADABLE:
            total = (total[0] or 0) + 1, ""
        current.update(_cells(active, total))
    elif "does not have or support nvlink" in line.lower():
        current.update(_cells((None, NOT_SUPPORTED), (None, NOT_SUPPORTED)))
    elif "all links are inactive" in line.lower():
        current.update(_cells((0, ""), (None, "%s: nvidia-smi prints no links while all are down" % HIDDEN)))
    else:
        current.update(_cells((None, "%s: %s" % (UNREADABLE, line.strip())), (None, "%s: %s" % (UNREADABLE, line.strip()))))
