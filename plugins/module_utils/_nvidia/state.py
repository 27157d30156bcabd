# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The decision table: from the bus, the module, the library and the answer to one state of the host."""

from dataclasses import dataclass
from typing import Callable, Optional, Tuple

# How the driver answered a reader.
OK = "ok"
TIMEOUT = "timeout"
MISMATCH = "mismatch"
REFUSED = "refused"
NO_DEVICES = "no_devices"
NO_DRIVER = "no_driver"
NO_LIBRARY = "no_library"
FAILED = "failed"


@dataclass(frozen=True)
class Evidence:
    """`bus` counts the cards on the bus; `whole` says that every granted GPU answers in full."""

    bus: Optional[int]
    module_loaded: Optional[bool]
    answer: str
    whole: bool

    @property
    def library(self) -> bool:
        return self.answer != NO_LIBRARY

    @property
    def bus_is_empty(self) -> bool:
        return self.bus == 0


_TABLE: Tuple[Tuple[str, Callable[[Evidence], bool]], ...] = (
    # FACTS, nvidia_topology: the first row that matches.
    ("unresponsive", lambda e: e.answer == TIMEOUT),
    ("driver_library_mismatch", lambda e: e.answer == MISMATCH),
    ("access_denied", lambda e: e.answer == REFUSED),
    ("no_devices", lambda e: e.answer == NO_DEVICES and not e.bus_is_empty),
    ("driver_not_loaded", lambda e: e.answer == NO_DRIVER and e.module_loaded is False),
    ("degraded", lambda e: e.answer == OK and not e.whole),
    ("ok", lambda e: e.answer == OK),
    ("library_missing", lambda e: not e.library and e.module_loaded is True),
    ("driver_missing", lambda e: not e.library and e.module_loaded is False and bool(e.bus)),
    ("no_gpu", lambda e: e.bus_is_empty and e.module_loaded is False and e.answer in (NO_LIBRARY, NO_DEVICES)),
)


def decide(evidence: Evidence) -> str:
    """Return the state of the first row that matches, `unknown` where none does."""
    return next((state for state, matches in _TABLE if matches(evidence)), "unknown")
