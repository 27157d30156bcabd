# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import (
    LOST,
    MISSING,
    NOT_PERMITTED,
    NOT_SUPPORTED,
    RESET_REQUIRED,
    UNREADABLE,
    kind,
    read_cell,
)

WORDS = [
    # (what nvidia-smi prints in place of a number, why there is none)
    ("N/A", NOT_SUPPORTED),
    (" N/A ", NOT_SUPPORTED),
    ("[N/A]", NOT_SUPPORTED),
    ("[Not Supported]", NOT_SUPPORTED),
    ("Not Supported", NOT_SUPPORTED),
    ("Requested functionality has been deprecated", NOT_SUPPORTED),
    ("[Insufficient Permissions]", NOT_PERMITTED),
    ("[GPU is lost]", LOST),
    ("GPU is lost", LOST),
    ("[GPU requires reset]", RESET_REQUIRED),
    ("ERR!", UNREADABLE),
    ("[Unknown Error]", UNREADABLE),
    ("Unknown Error", UNREADABLE),
    ("Unknown", UNREADABLE),
    ("Error", UNREADABLE),
    ("[Not Found]", UNREADABLE),
    ("[No Permission]", NOT_PERMITTED),
    ("Reset Required", RESET_REQUIRED),
    ("[Function Not Found]", UNREADABLE),
    ("forty-two", UNREADABLE),
    ("nan", UNREADABLE),
    ("", MISSING),
    ("   ", MISSING),
    (None, MISSING),
]


@pytest.mark.parametrize(("text", "why"), WORDS)
def test_words(text, why):
    cell = read_cell(text, int)
    assert cell[0] is None
    assert kind(cell) == why


@pytest.mark.parametrize(("text", "why"), [row for row in WORDS if row[0] not in ("forty-two", "nan")])
def test_words_are_no_names(text, why):
    assert kind(read_cell(text, str)) == why


@pytest.mark.parametrize(("text", "convert", "value"), [("42", int, 42), (" 0 ", int, 0), ("NVIDIA B200", str, "NVIDIA B200")])
def test_values(text, convert, value):
    assert read_cell(text, convert) == (value, "")
