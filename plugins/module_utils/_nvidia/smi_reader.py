# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Reads the GPUs through nvidia-smi: four commands side by side, each costing only its own fields."""

from dataclasses import replace
from typing import Callable, Dict, List, Optional, Tuple, TypeVar

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._nvidia import nvlink, query_csv, smi_text, state
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import (
    MISSING,
    NOT_SUPPORTED,
    Cell,
    Reading,
    Row,
    read_cell,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.numbers import whole
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvlink import parse_nvlink
from ansible_collections.inference.recon.plugins.module_utils._nvidia.query_csv import QUERY, parse_query
from ansible_collections.inference.recon.plugins.module_utils._nvidia.smi_xml import CELLS, Log, parse_log
from ansible_collections.inference.recon.plugins.module_utils._nvidia.topo import Affinity, Matrix, parse_topo
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import ParseError
from ansible_collections.inference.recon.plugins.module_utils._run import Command, Outcome

SOURCE = "nvidia_smi"

COMMANDS: Dict[str, Tuple[str, ...]] = {
    "nvidia-smi -q -x": ("-q", "-x"),
    "nvidia-smi topo -m": ("topo", "-m"),
    "nvidia-smi nvlink -s": ("nvlink", "-s"),
    "nvidia-smi --query-gpu": QUERY,
}
_XML, TOPO, _NVLINK, _QUERY = COMMANDS

_HEAD = 4096
"""Characters of an output that are searched for words."""

_UNFINISHED = {"timeout": state.TIMEOUT, "deadline": state.TIMEOUT, "not_found": state.NO_LIBRARY}

Parsed = TypeVar("Parsed")
Rows = Dict[int, Dict[str, Cell]]
_Told = Tuple[str, Optional[Rows], Tuple[str, ...]]


def commands(executable: str, timeout: float) -> Dict[str, Command]:
    """Return the commands to run, by the name that problems call them."""
    return {name: Command((executable,) + arguments, timeout) for name, arguments in COMMANDS.items()}


def reading_of(outcomes: Dict[str, Outcome]) -> Reading:
    """Return the reading. The log of `-q -x` decides how the driver answered; without it what else has data does."""
    texts: Dict[str, str] = {}
    lost: List[Row] = []
    problems: List[Problem] = []
    for name, outcome in outcomes.items():
        texts[name], rows = smi_text.split_lost(outcome.out)
        rows += smi_text.split_lost(outcome.err)[1]
        lost.extend(row for row in rows if row not in lost)
        if outcome.state != "ok":
            problems.append(Problem(name, outcome.state, outcome.why))
    said = _words(outcomes)
    if said is not None:
        answer, words = said
        driver = {"nvml_version": smi_text.nvml_version_in(words)}
        return Reading(SOURCE, answer, driver, tuple(lost), problems=tuple(problems) + (_said(answer, words),))
    parse = _Parser(outcomes, texts, problems)
    log, matrix = parse(_XML, parse_log), parse(TOPO, parse_topo)
    links, query = parse(_NVLINK, parse_nvlink), parse(_QUERY, parse_query)
    if log and log.attached is None:
        problems.append(Problem(_XML, MISSING, "<attached_gpus> is missing: there may be more GPUs"))
    rows = _merge(log, matrix, links, query)
    answer = _answer(outcomes, bool(rows or lost))
    return Reading(
        SOURCE,
        answer,
        {"version": log.driver_version, "cuda_version": log.cuda_version} if log else {},
        _with_lost(rows, lost),
        matrix.links if matrix else None,
        matrix.nics if matrix else None,
        tuple(problems + _asymmetric(matrix)),
        log.attached if log else None,
    )


class _Parser:
    """Parses what a command printed; what it cannot, becomes a problem of that command."""

    def __init__(self, outcomes: Dict[str, Outcome], texts: Dict[str, str], problems: List[Problem]) -> None:
        self._outcomes, self._texts, self._problems = outcomes, texts, problems

    def __call__(self, name: str, parser: Callable[[str], Parsed]) -> Optional[Parsed]:
        outcome = self._outcomes[name]
        if outcome.state != "ok":
            return None
        parsed, words = None, outcome.err.strip() or "printed data"
        try:
            parsed = parser(self._texts[name])
        except ParseError as failure:
            words = str(failure)
        if outcome.rc:
            self._problems.append(Problem(name, "failed", "%s (exit status %d)" % (words, outcome.rc)))
        elif parsed is None:
            self._problems.append(Problem(name, "parse_error", words))
        return parsed


def _words(outcomes: Dict[str, Outcome]) -> Optional[Tuple[str, str]]:
    """Return (answer, text) where nvidia-smi says in words why it has no data; not where its log has some."""
    if "<nvidia_smi_log>" in outcomes[_XML].out[:_HEAD]:
        return None
    for outcome in outcomes.values():
        text = outcome.out[:_HEAD] + "\n" + outcome.err[:_HEAD]
        answer = smi_text.answer_in(text)
        if answer is not None:
            return answer, text
    return None


def _said(answer: str, words: str) -> Problem:
    line = next(line for line in words.splitlines() if smi_text.answer_in(line))
    return Problem("nvidia-smi", "not_found" if answer == state.NO_LIBRARY else "driver_answer", line)


def _answer(outcomes: Dict[str, Outcome], has_gpus: bool) -> str:
    log = outcomes[_XML]
    if log.state in ("timeout", "deadline") or not has_gpus:
        return _UNFINISHED.get(log.state, state.FAILED)
    return state.OK


def _asymmetric(matrix: Optional[Matrix]) -> List[Problem]:
    pairs = matrix.asymmetric if matrix else ()
    message = "the two directions of this pair differ or cannot be read"
    return [Problem(TOPO, "asymmetric_matrix", message, "GPU %d-%d" % pair) for pair in pairs]


def _with_lost(rows: List[Row], lost: List[Row]) -> Tuple[Row, ...]:
    """Add the lost GPUs, and the fault to the row of one that another command still lists."""
    found = list(rows)
    for one in lost:
        bus = one.cells.get("pci_bus_id")
        place = next((place for place, row in enumerate(found) if bus and row.cells.get("pci_bus_id") == bus), None)
        if place is None:
            found.append(one)
        else:
            found[place] = replace(found[place], faults=found[place].faults + one.faults)
    return tuple(found)


def _merge(
    log: Optional[Log],
    matrix: Optional[Matrix],
    links: Optional[Rows],
    query: Optional[Rows],
) -> List[Row]:
    """Join the four by index: the log has none, its GPUs are found in the query, else (without one) taken in order."""
    logged: Rows = {}
    strangers: List[Row] = []
    for place, gpu in enumerate(log.gpus if log else ()):
        index = place if query is None else _index_of(gpu, query)
        if index is None:
            strangers.append(Row(None, gpu))
        else:
            logged[index] = gpu
    near = {index: _affinity(cells) for index, cells in matrix.affinity.items()} if matrix else None
    told: Tuple[_Told, ...] = (
        (_XML, logged if log else None, CELLS),
        (_NVLINK, links, nvlink.CELLS),
        (TOPO, near, tuple(_affinity(Affinity()))),
        (_QUERY, query, query_csv.CELLS),
    )
    indexes = {index for each in told for index in each[1] or ()}
    return [Row(index, _cells_of(index, told)) for index in sorted(indexes)] + strangers


def _cells_of(index: int, told: Tuple[_Told, ...]) -> Dict[str, Cell]:
    """Take each cell from the first command that has a value; one that leaves out this GPU owes its cells."""
    cells: Dict[str, Cell] = {}
    for command, rows, names in told:
        if rows is None:
            continue  # a problem of the command's own says why
        absent = (None, "%s: %s leaves out this GPU" % (MISSING, command))
        found = rows.get(index) or dict.fromkeys(names, absent)
        cells.update({name: cell for name, cell in found.items() if cells.get(name, absent)[1]})
    return cells


def _index_of(gpu: Dict[str, Cell], query: Rows) -> Optional[int]:
    for name in ("pci_bus_id", "uuid"):
        for index, row in query.items():
            if gpu[name][0] is not None and gpu[name][0] == row[name][0]:
                return index
    return None


def _affinity(affinity: Affinity) -> Dict[str, Cell]:
    return {
        "cpu_affinity": read_cell(affinity.cpu, str),
        "numa_affinity": read_cell(affinity.numa, str),
        "gpu_numa_id": read_cell(affinity.gpu_numa_id, whole) if affinity.gpu_numa_id else (None, NOT_SUPPORTED),
    }
