# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""How many cards this host was given: in a container fewer than the bus shows, on a machine not those lent to guests."""

from dataclasses import dataclass
from typing import List, Optional, Tuple

from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import Card
from ansible_collections.inference.recon.plugins.module_utils._nvidia.proc import read_grant


@dataclass(frozen=True)
class Granted:
    """`count` None where it could not be told; then `at_most` still bounds it from what is known, if anything is."""

    count: Optional[int]
    at_most: Optional[int]
    bus_ids: Tuple[str, ...] = ()
    source: str = ""
    why: str = ""


def count_granted(root: Root, cards: Optional[List[Card]], in_container: bool) -> Granted:
    """Count the cards this host may use, by the rule for a container or for a machine."""
    return _by_device_nodes(root, cards) if in_container else _by_kernel_driver(cards)


def _by_device_nodes(root: Root, cards: Optional[List[Card]]) -> Granted:
    source = "/proc/driver/nvidia/gpus"
    grant = read_grant(root)
    if grant is None:
        on_bus = None if cards is None else len(cards)
        if on_bus == 0:
            return Granted(0, 0)
        return Granted(None, on_bus, source=source, why="cannot be read: how many GPUs this container has is unknown")
    given = tuple(bus for bus, readable in grant.devices.items() if readable)
    unclear = [bus for bus, readable in grant.devices.items() if readable is None]
    if unclear:
        why = "does not tell the device of %s" % ", ".join(unclear)
        return Granted(None, len(given) + len(unclear), given, source, why)
    return Granted(len(given), len(given), given)


def _by_kernel_driver(cards: Optional[List[Card]]) -> Granted:
    source = "/sys/bus/pci/devices"
    if cards is None:
        return Granted(None, None, source=source, why="cannot be read: how many GPUs this machine has is unknown")
    unclear = [card.bus_id for card in cards if card.driver is None]
    bound = tuple(card.bus_id for card in cards if card.driver == "nvidia")
    if unclear:
        why = "does not tell the driver of %s" % ", ".join(unclear)
        return Granted(None, len(bound) + len(unclear), bound, source, why)
    return Granted(len(bound), len(bound), bound)
