# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""`nvidia-smi topo -m`: the matrix of links, the affinities, the NICs.

The real tool separates cells by TABs, underlines its header with ANSI codes even into a pipe and writes two TABs before
the GPU NUMA ID and before a NUMA affinity of N/A. Texts that went through a terminal come with blanks instead, and a
header's names may have lost theirs; a cell that cannot be told apart there is unknown.
"""

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Link, Nic, ParseError

MOST_DEVICES = 512
"""More than any machine holds: the work grows with its square."""

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_TAIL_NAMES = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")
_GPU = re.compile(r"^GPU(?P<index>[0-9]{1,9})$")
_DEVICE = re.compile(r"^(GPU|NIC)[0-9]{1,9}$")
_OLD_NIC = re.compile(r"^[a-z][a-z0-9_]*$")  # "mlx5_0", as older drivers call their columns
_PATH = re.compile(r"^(?P<path>X|SYS|NODE|PHB|PXB|PIX|NV(?P<nvlinks>[0-9]{1,9}))$")
_GLUED = re.compile(r"(?<=[0-9])(?=(GPU|NIC)[0-9])")
_LIST = re.compile(r"^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$")
_NIC_NAME = re.compile(r"^ +(?P<name>NIC[0-9]+): (?P<device>\S+)\s*$")


@dataclass(frozen=True)
class Affinity:
    """The cells behind the matrix, as printed: "0-55,112-167", "N/A", "" for blank or not told apart."""

    cpu: str = ""
    numa: str = ""
    gpu_numa_id: str = ""


@dataclass(frozen=True)
class Matrix:
    """`asymmetric` lists the pairs of GPUs whose two directions differ or are damaged; their path is None."""

    affinity: Dict[int, Affinity]
    links: Tuple[Link, ...]
    asymmetric: Tuple[Tuple[int, int], ...]
    nics: Tuple[Nic, ...]


def parse_topo(text: str) -> Matrix:
    """Read the output of `nvidia-smi topo -m`; ParseError where there is no matrix."""
    lines = [line.rstrip("\r") for line in _ANSI.sub("", text).splitlines()]
    start, columns, tails = _find_header(lines)
    cells: Dict[str, List[str]] = {}
    affinity: Dict[int, Affinity] = {}
    for line in lines[start + 1 :]:
        if not line.strip():
            break
        label, row, tail = _split(line, len(columns))
        if label not in columns:
            if _DEVICE.match(label):  # the header is damaged, and every cell may stand below another's name
                raise ParseError("topo -m has no column for", label)
            break
        cells[label] = row
        gpu = _GPU.match(label)
        if gpu:
            affinity[int(gpu.group("index"))] = _read_tail(tail, tails, "\t" in line)
    gpus = [name for name in columns if _GPU.match(name)]
    missing = [name for name in columns if not name.startswith("NIC") and name not in cells]
    if missing:
        raise ParseError("topo -m has no row for %s" % ", ".join(missing))
    links, asymmetric = _links(gpus, columns, cells)
    return Matrix(affinity, links, asymmetric, _nics(gpus, columns, cells, lines))


def _find_header(lines: List[str]) -> Tuple[int, List[str], int]:
    """Return the header's place, its device columns and how many columns of affinities follow them."""
    for place, line in enumerate(lines):
        if not line.split()[:1] or not _GPU.match(line.split()[0]):
            continue
        names, tails = line, 0
        for tail in _TAIL_NAMES:
            tails += tail in names
            names = names.replace(tail, " ")
        columns = _GLUED.sub(" ", names).split()
        if len(set(columns)) != len(columns) or not all(_DEVICE.match(name) or _OLD_NIC.match(name) for name in columns):
            break
        if len(columns) > MOST_DEVICES:
            raise ParseError("topo -m has %d columns" % len(columns))
        return place, columns, tails
    raise ParseError("topo -m printed no matrix", next((line for line in lines if line.strip()), ""))


def _split(line: str, width: int) -> Tuple[str, List[str], List[str]]:
    """Return (label, the `width` cells of the matrix, what follows them)."""
    parts = line.split("\t") if "\t" in line else line.split()
    parts = [part.strip() for part in parts]
    return parts[0], parts[1 : 1 + width], parts[1 + width :]


def _read_tail(tail: List[str], names: int, tabs: bool) -> Affinity:
    filled = [cell for cell in tail if cell]
    if len(filled) == names <= len(tail):
        cells = filled + [""] * (3 - names)
    elif tabs and len(tail) < names:
        cells = ["", "", ""]  # cut
    elif tabs:
        cells = (tail + ["", ""])[:2] + ["".join(tail[2:])]
    elif len(filled) == 1 and names == 3:
        cells = ["", ""] + filled
    else:
        cells = ["", "", ""]  # blanks hide which cell is missing
    cpu, numa, gpu_numa_id = cells
    return Affinity(_known(cpu), _known(numa), _known(gpu_numa_id))


def _known(cell: str) -> str:
    return cell if cell == "N/A" or _LIST.match(cell) else ""


def _cell(cells: Dict[str, List[str]], columns: List[str], row: str, column: str) -> Optional[str]:
    """Return what row says of column, None where the row is cut or the cell damaged."""
    values, place = cells.get(row, []), columns.index(column)
    cell = values[place] if place < len(values) else ""
    return cell if _PATH.match(cell) else None


def _links(
    gpus: List[str], columns: List[str], cells: Dict[str, List[str]]
) -> Tuple[Tuple[Link, ...], Tuple[Tuple[int, int], ...]]:
    links, asymmetric = [], []
    for place, left in enumerate(gpus):
        for right in gpus[place + 1 :]:
            there, back = _cell(cells, columns, left, right), _cell(cells, columns, right, left)
            a, b = sorted((int(left[3:]), int(right[3:])))
            if there != back or there in (None, "X"):
                asymmetric.append((a, b))
                there = None
            links.append(Link(a, b, there, nvlinks_of(there)))
    return tuple(sorted(links, key=lambda link: (link.a, link.b))), tuple(sorted(asymmetric))


def nvlinks_of(path: Optional[str]) -> Optional[int]:
    """Return 18 for NV18, 0 for a PCIe path, None for an unknown one."""
    match = _PATH.match(path or "")
    return None if match is None else int(match.group("nvlinks") or 0)


def _nics(gpus: List[str], columns: List[str], cells: Dict[str, List[str]], lines: List[str]) -> Tuple[Nic, ...]:
    legend = {match.group("name"): match.group("device") for match in map(_NIC_NAME.match, lines) if match}
    nics = []
    for name in columns:
        if name in gpus:
            continue
        device = legend.get(name) if name.startswith("NIC") else name
        nics.append(Nic(name, device, {gpu[3:]: _cell(cells, columns, gpu, name) for gpu in gpus}))
    return tuple(nics)
