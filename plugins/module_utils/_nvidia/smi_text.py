# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""What nvidia-smi says in words instead of data: why it cannot answer, and which GPU it lost."""

import re
from typing import List, Optional, Tuple

from ansible_collections.inference.recon.plugins.module_utils._nvidia import state
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import Row
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import normal_bus_id
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Fault

_ANSWERS = (
    # (part of the text, how the driver answered): driver-failures captures 02-08; exit codes of nvidia-smi(1)
    ("driver/library version mismatch", state.MISMATCH),
    ("failed to initialize nvml: unknown error", state.REFUSED),
    ("failed to initialize nvml: insufficient permissions", state.REFUSED),
    ("failed to initialize nvml: no permission", state.REFUSED),
    ("couldn't communicate with the nvidia driver", state.NO_DRIVER),
    ("failed to initialize nvml: driver not loaded", state.NO_DRIVER),
    ("no devices were found", state.NO_DEVICES),
    ("couldn't find libnvidia-ml", state.NO_LIBRARY),
    ("failed to initialize nvml:", state.FAILED),
)

_NVML_VERSION = re.compile(r"^NVML library version: (?P<version>[0-9]+(\.[0-9]+)+)\s*$", re.M)
_HANDLE = re.compile(r"^Unable to determine the device handle for GPU ?(?P<bus>[0-9A-Fa-f:.]+): (?P<reason>.*)$")


def answer_in(text: str) -> Optional[str]:
    """Return how the driver answered, if the text says so in words."""
    lowered = text.lower()
    return next((answer for words, answer in _ANSWERS if words in lowered), None)


def nvml_version_in(text: str) -> Optional[str]:
    match = _NVML_VERSION.search(text)
    return match.group("version") if match else None


def split_lost(text: str) -> Tuple[str, List[Row]]:
    """Take the lines about GPUs that cannot be reached out of a text; returns the rest and one row for each."""
    rest, rows = [], []
    for line in text.splitlines():
        match = _HANDLE.match(line.strip())
        if match:
            rows.append(_row(match.group("bus"), line.strip(), match.group("reason")))
        else:
            rest.append(line)
    return "\n".join(rest), rows


def _row(bus: str, line: str, reason: str) -> Row:
    code = "gpu_lost" if "lost" in reason.lower() else "unreadable"
    try:
        cells = {"pci_bus_id": (normal_bus_id(bus), "")}
    except ValueError:
        cells = {}  # the text in the fault keeps what was printed
    return Row(None, dict(cells), (Fault(code, line),))
