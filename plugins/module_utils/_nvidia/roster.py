# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The list of GPUs: what the reader saw, and the cards of this host that did not answer it."""

from dataclasses import replace
from typing import Dict, List, Optional, Tuple

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia import assemble, state
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import MISSING, Reading
from ansible_collections.inference.recon.plugins.module_utils._nvidia.granted import Granted
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import Card
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Fault, Gpu

_SILENT = Fault("not_answering", "was granted to this host, and the driver does not list it")


def list_gpus(root: Root, reading: Reading, cards: Optional[List[Card]], granted: Granted) -> Tuple[List[Gpu], List[Problem]]:
    """Return the GPUs by index, then those that only the bus tells of."""
    by_bus = {card.bus_id: card for card in cards or []}
    gpus: List[Gpu] = []
    problems: List[Problem] = []
    for row in reading.rows:
        gpu, found = assemble.gpu_of(root, row, reading.source, by_bus)
        gpus.append(gpu)
        problems += found
    gpus += _rest(gpus, reading, by_bus, granted)
    words = "every field (%s)" % _SILENT.message
    problems += [Problem(reading.source, MISSING, words, assemble.subject_of(gpu)) for gpu in gpus if _SILENT in gpu.faults]
    return sorted(gpus, key=lambda gpu: (gpu.index is None, gpu.index or 0, gpu.pci_bus_id or "")), problems


def _rest(gpus: List[Gpu], reading: Reading, by_bus: Dict[str, Card], granted: Granted) -> List[Gpu]:
    """Add the cards that nobody spoke of, and give the one GPU without an address the one that is left."""
    known = {gpu.pci_bus_id for gpu in gpus}
    if reading.answer != state.OK:
        return [assemble.gpu_of_card(card) for bus, card in sorted(by_bus.items()) if bus not in known]
    left = [by_bus[bus] for bus in granted.bus_ids if bus in by_bus and bus not in known]
    nameless = [place for place, gpu in enumerate(gpus) if gpu.pci_bus_id is None]
    if len(nameless) == len(left) == 1:
        bare, place = assemble.gpu_of_card(left[0]), nameless[0]
        gpus[place] = replace(
            gpus[place],
            pci_bus_id=bare.pci_bus_id,
            pci_device_id=gpus[place].pci_device_id or bare.pci_device_id,
            product=gpus[place].product or bare.product,
        )
        return []
    return [] if nameless else [replace(assemble.gpu_of_card(card), faults=(_SILENT,)) for card in left]


def is_whole(reading: Reading, gpus: List[Gpu], granted: Granted) -> bool:
    """Whether every GPU that the driver promises and this host was granted answers in full."""
    answering = [gpu for gpu in gpus if gpu.state == "ok"]
    promised = reading.expected is not None and reading.expected <= len(answering)
    return promised and len(answering) == len(gpus) and len(answering) >= (granted.at_most or 0)
