# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""`nvidia-smi --query-gpu=index,uuid,pci.bus_id,compute_cap --format=csv,noheader`: what the XML leaves out."""

from typing import Dict

from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import Cell, read_cell
from ansible_collections.inference.recon.plugins.module_utils._nvidia.numbers import is_whole, whole
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import normal_bus_id
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import ParseError

QUERY = ("--query-gpu=index,uuid,pci.bus_id,compute_cap", "--format=csv,noheader")

CELLS = ("uuid", "pci_bus_id", "compute_capability")


def parse_query(text: str) -> Dict[int, Dict[str, Cell]]:
    """Return the cells uuid, pci_bus_id and compute_capability of each GPU by index."""
    gpus: Dict[int, Dict[str, Cell]] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split(",")]
        if len(parts) != 4 or not is_whole(parts[0]) or whole(parts[0]) in gpus:
            raise ParseError("--query-gpu printed no row of index, uuid, bus id, compute capability", line)
        gpus[whole(parts[0])] = {
            "uuid": read_cell(parts[1], uuid),
            "pci_bus_id": read_cell(parts[2], normal_bus_id),
            "compute_capability": read_cell(parts[3], _capability),
        }
    if not gpus:
        raise ParseError("--query-gpu printed no GPU")
    return gpus


def uuid(text: str) -> str:
    """Return the UUID of a GPU; ValueError for anything else."""
    if not text.startswith("GPU-"):
        raise ValueError(text)
    return text


def _capability(text: str) -> str:
    major, minor = text.split(".")
    return "%d.%d" % (whole(major), whole(minor))
