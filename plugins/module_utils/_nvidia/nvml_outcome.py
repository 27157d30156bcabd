# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""From what the NVML child answered, or how it ended, to a reading."""

from typing import Any, Dict, List, Optional, Tuple

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._nvidia import state
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import LOST, RESET_REQUIRED, Reading, Row
from ansible_collections.inference.recon.plugins.module_utils._nvidia.topo import nvlinks_of
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Fault, Link
from ansible_collections.inference.recon.plugins.module_utils._run import Outcome

SOURCE = "nvml"

_FAULTS = {LOST: "gpu_lost", RESET_REQUIRED: "reset_required"}


def reading_of(outcome: Outcome) -> Reading:
    """Return the reading; a child that did not answer in time makes `timeout`, one that died `failed`."""
    if outcome.state in ("timeout", "deadline"):
        return Reading(SOURCE, state.TIMEOUT, problems=(_problem(outcome.state, "NVML gives " + outcome.why),))
    if outcome.state != "ok":
        return Reading(SOURCE, state.FAILED, problems=(_problem("crash", "reading NVML " + outcome.why),))
    found = outcome.value
    if found["answer"] != state.OK:
        code = "not_found" if found["answer"] == state.NO_LIBRARY else "driver_answer"
        problem = _problem(code, found["why"])
        return Reading(SOURCE, found["answer"], found.get("driver", {}), problems=(problem,))
    links, problems = _links(found["links"])
    return Reading(
        SOURCE,
        state.OK,
        found["driver"],
        tuple(_row(row) for row in found["rows"]),
        links,
        problems=problems,
        expected=found["expected"],
    )


def _problem(code: str, message: str, subject: str = "") -> Problem:
    return Problem(SOURCE, code, message, subject)


def _row(row: Dict[str, Any]) -> Row:
    faults: Tuple[Fault, ...] = ()
    if row["failure"]:
        kind, unused, words = row["failure"].partition(": ")
        faults = (Fault(_FAULTS.get(kind, "unreadable"), words or kind),)
    return Row(row["index"], {name: (cell[0], cell[1]) for name, cell in row["cells"].items()}, faults)


def _links(rows: List[Dict[str, Any]]) -> Tuple[Tuple[Link, ...], Tuple[Problem, ...]]:
    links, problems = [], []
    for row in rows:
        path: Optional[str] = row["path"]
        links.append(Link(row["a"], row["b"], path, nvlinks_of(path)))
        if path is None:
            problems.append(_problem("unreadable", "no path: " + row["why"], "GPU %(a)d-%(b)d" % row))
    return tuple(links), tuple(problems)
