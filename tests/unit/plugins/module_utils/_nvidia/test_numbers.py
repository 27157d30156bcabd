# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.numbers import rounded, version, whole, whole_or_none

STRANGE = ["", " ", "-1", "+1", "1_0", "0x10", "1e3", "nan", "inf", "\u0663", "\u00b2", "1 ", "x", "9" * 40]


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("007", 7), ("183359", 183359)])
def test_whole(text, value):
    assert whole(text) == value
    assert whole_or_none(text) == value


@pytest.mark.parametrize(("text", "value"), [("600.00", 600), ("999.60", 1000), ("0", 0), ("350.5", 351)])
def test_rounded(text, value):
    assert rounded(text) == value


@pytest.mark.parametrize("text", ["580.126.20", "13.0", "590.48", "12", "9"])
def test_version(text):
    assert version(text) == text


@pytest.mark.parametrize("text", STRANGE)
@pytest.mark.parametrize("convert", [whole, rounded, version])
def test_what_is_no_number(convert, text):
    with pytest.raises(ValueError, match=r".*"):
        convert(text)


@pytest.mark.parametrize("text", STRANGE + [None])
def test_none_of_what_is_no_number(text):
    assert whole_or_none(text) is None
