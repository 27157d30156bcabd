# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.ranges import format_ranges

RANGES = [
    ([], ""),
    ([0], "0"),
    ([0, 1], "0-1"),
    ([0, 3, 4, 5, 6, 7, 8, 9], "0,3-9"),
    ([2, 66], "2,66"),
    (list(range(56)) + list(range(112, 168)), "0-55,112-167"),
]


@pytest.mark.parametrize(("numbers", "text"), RANGES)
def test_format(numbers, text):
    assert format_ranges(numbers) == text
