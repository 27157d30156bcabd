# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many tests a command ran, read from what it printed; a command that does not say is one test."""

from __future__ import annotations

import re
from dataclasses import dataclass

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
SUMMARIES = (
    re.compile(r"^=*\s*(?P<counts>(?:\d+ [a-z]+, )*\d+ [a-z]+) in [\d.]+s\b.*$", re.M),  # pytest
    re.compile(r"Molecule executed \d+ scenarios? \((?P<counts>.*)\)"),
)
WORDS = {
    "passed": "passed",
    "successful": "passed",
    "failed": "failed",
    "error": "failed",
    "errors": "failed",
    "xpassed": "failed",
    "skipped": "skipped",
    "xfailed": "skipped",
}
STARTED_LINE = re.compile(r'^Running (?:sanity test ".+|\S+ integration test role.*)$', re.M)
SANITY_FAILED_LINE = re.compile(r"^FATAL: The (\d+) sanity test\(s\) listed below", re.M)


@dataclass(frozen=True)
class Counts:
    """Tests by how they ended."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Add up two lots of tests."""
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        """Give the closing line that test tools understand."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def count(output: str, returncode: int) -> Counts:
    """Count the tests of one command; one that failed without saying how often has failed once."""
    text = COLOURS.sub("", output)
    counts = _count_summaries(text) or _count_started(text) or Counts(passed=1)
    if not returncode or counts.failed:
        return counts
    return Counts(max(0, counts.passed - 1), 1, counts.skipped)


def _count_summaries(text: str) -> Counts | None:
    said = " ".join(found["counts"] for line in SUMMARIES for found in line.finditer(text))
    sums = {"passed": 0, "failed": 0, "skipped": 0}
    for amount, word in re.findall(r"(\d+) ([a-z]+)", said):
        if word in WORDS:
            sums[WORDS[word]] += int(amount)
    return Counts(**sums) if said else None


def _count_started(text: str) -> Counts | None:
    started = len(STARTED_LINE.findall(text))
    failed = sum(map(int, SANITY_FAILED_LINE.findall(text)))
    return Counts(started - failed, failed) if started else None
