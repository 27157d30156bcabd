# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The closing line tells the truth: a count that reads less than a tool said could hide a failure."""

from __future__ import annotations

import pytest

from tests.utils.counts import Counts, count

SAID = {
    "pytest": ("..\n2 passed in 0.38s", 0, Counts(2, 0)),
    "pytest, much": (
        "= 1 failed, 3 passed, 2 skipped, 1 xfailed, 4 warnings, 2 errors in 61.38s (0:01:01) =",
        1,
        Counts(3, 3, 3),
    ),
    "pytest, none": ("no tests ran in 0.01s", 5, Counts(0, 1)),
    "pytest on many Pythons": ("== 3 passed in 0.1s ==\n…\n== 4 passed, 1 skipped in 0.2s ==", 0, Counts(7, 0, 1)),
    "pytest passed, then it broke": ("= 3 passed in 0.1s =\nINTERNALERROR", 3, Counts(2, 1)),
    "molecule": ("\x1b[31mERROR\x1b[0m    Molecule executed 3 scenarios (2 successful, 1 failed)", 1, Counts(2, 1)),
    "one scenario": ("INFO     Molecule executed 1 scenario (1 successful)", 0, Counts(1, 0)),
    "ansible-test sanity": (
        'Running sanity test "pep8"\nRunning sanity test "import" on Python 3.8\nFATAL: The 1 sanity test(s) listed below',
        1,
        Counts(1, 1),
    ),
    "ansible-test integration": ("Running survey integration test role\nok: [host]", 0, Counts(1, 0)),
    "a lint": ("all well", 0, Counts(1, 0)),
    "a lint that found something": ("3 passed by", 1, Counts(0, 1)),
    "nothing at all": ("", 0, Counts(1, 0)),
}


@pytest.mark.parametrize(("output", "status", "counts"), SAID.values(), ids=SAID.keys())
def test_count(output: str, status: int, counts: Counts) -> None:
    assert count(output, status) == counts


@pytest.mark.parametrize(
    ("counts", "line"),
    [(Counts(12, 0), "12 passed, 0 failed"), (Counts(1, 2) + Counts(0, 0, 3), "1 passed, 2 failed, 3 skipped")],
)
def test_closing_line(counts: Counts, line: str) -> None:
    assert str(counts) == line
