# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Lists of numbers as the kernel and nvidia-smi write them: "0-55,112-167"."""

from typing import List


def format_ranges(numbers: List[int]) -> str:
    """Return "0-2,5" for [0, 1, 2, 5]."""
    spans: List[List[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(str(low) if low == high else "%d-%d" % (low, high) for low, high in spans)
