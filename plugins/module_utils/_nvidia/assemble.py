# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""From a row of cells to a GPU: values, faults, state, what is not supported, and a problem for each other null."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, Dict, List, Optional, Tuple, Type, TypeVar

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem, one_line
from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia import processes
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import (
    HIDDEN,
    IDENTITY,
    LOST,
    MISSING,
    NOT_SUPPORTED,
    RESET_REQUIRED,
    UNREADABLE,
    Cell,
    Row,
    kind,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.numbers import whole_or_none
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import Card
from ansible_collections.inference.recon.plugins.module_utils._nvidia.products import product_of
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Fault, Gpu, MigDevice, Process

IDLE_MIB = 64
"""Memory in use up to which a GPU without processes is idle: no CUDA context is smaller than this, and an idle driver
reports 0 to 4 MiB (captures nvidia-smi-q/01-09)."""

_HIDDEN_BY_MIG = (
    "memory_total_mib",
    "memory_used_mib",
    "memory_free_mib",
    "nvlink.links_active",
    "nvlink.links_total",
)

_FAULT_CODES = {LOST: "gpu_lost", RESET_REQUIRED: "reset_required", UNREADABLE: "unreadable"}

_CODES = {code: why for why, code in _FAULT_CODES.items()}

_STATES = (
    # (fault, state): the first fault found decides
    ("gpu_lost", "lost"),
    ("unreadable", "error"),
    ("cuda_error", "error"),
    ("reset_required", "reset_required"),
    ("recovery_action", "reset_required"),
)

_GROUPS = {
    name: ["%s.%s" % (name, item.name) for item in fields(value)] for name, value in vars(Gpu()).items() if is_dataclass(value)
}

Built = TypeVar("Built")


def gpu_of(root: Root, row: Row, source: str, cards: Dict[str, Card]) -> Tuple[Gpu, List[Problem]]:
    """Build one GPU from a reader's row; `source` names the reader in its problems."""
    cells = _with_hidden(row.cells)
    card = cards.get(cells.get("pci_bus_id", (None, ""))[0] or "")
    described, problems = _processes(root, cells)
    gpu = _build(Gpu, {name: one_line(cell[0]) if isinstance(cell[0], str) else cell[0] for name, cell in cells.items()}, "")
    gpu = replace(
        gpu,
        index=row.index,
        product=product_of(gpu.name, gpu.pci_device_id or (card.device_id if card else None)),
        numa_node=whole_or_none(gpu.numa_affinity),
        mig_devices=_mig_devices(gpu.mig_devices),
        processes=described,
        not_supported=tuple(sorted(name for name, cell in cells.items() if kind(cell) == NOT_SUPPORTED)),
    )
    gpu = replace(gpu, faults=row.faults + _faults(cells, gpu))
    gpu = replace(gpu, state=state_of(gpu, _is_whole(cells)))
    words = "%s" if "uuid" in cells else "every field (%s)"
    problems += [Problem(source, _CODES[fault.code], words % fault.message, subject_of(gpu)) for fault in row.faults]
    return gpu, problems + _null_problems(gpu, cells, source) + _mig_problems(gpu, source) + _owner_problems(gpu)


def gpu_of_card(card: Card) -> Gpu:
    """Build a GPU that only the bus tells of."""
    return Gpu(
        product=product_of(None, card.device_id),
        pci_bus_id=card.bus_id,
        pci_device_id=card.device_id,
        numa_node=card.numa_node,
    )


def state_of(gpu: Gpu, whole: bool) -> str:
    """Return lost, error, reset_required, unknown or ok."""
    codes = {fault.code for fault in gpu.faults}
    found = next((state for code, state in _STATES if code in codes), None)
    return found or ("ok" if whole else "unknown")


def subject_of(gpu: Gpu) -> str:
    """Return how problems call this GPU."""
    return "GPU %d" % gpu.index if gpu.index is not None else "GPU at %s" % (gpu.pci_bus_id or "an unknown place")


def is_idle(gpu: Gpu) -> bool:
    """Whether nothing runs on it, as far as can be told: unknown is not idle."""
    return gpu.processes == () and gpu.memory_used_mib is not None and gpu.memory_used_mib <= IDLE_MIB


def _build(kind_of: Type[Built], values: Dict[str, Any], prefix: str) -> Built:
    """Fill a dataclass from values by dotted name; fields that are dataclasses take the names below theirs."""
    empty = kind_of()
    found = {}
    for item in fields(kind_of):  # type: ignore[arg-type]
        default = getattr(empty, item.name)
        if is_dataclass(default):
            found[item.name] = _build(type(default), values, prefix + item.name + ".")
        elif prefix + item.name in values:
            found[item.name] = values[prefix + item.name]
    return kind_of(**found)


def _with_hidden(cells: Dict[str, Cell]) -> Dict[str, Cell]:
    """With MIG on, N/A does not mean that the card lacks memory in use or links: it could not be told."""
    if cells.get("mig_mode", (None, ""))[0] != "enabled":
        return cells
    hidden = {name for name in _HIDDEN_BY_MIG if kind(cells.get(name, (None, ""))) == NOT_SUPPORTED}
    return {name: (None, "%s: by MIG" % HIDDEN) if name in hidden else cell for name, cell in cells.items()}


def _processes(root: Root, cells: Dict[str, Cell]) -> Tuple[Optional[Tuple[Process, ...]], List[Problem]]:
    rows = cells.get("processes", (None, MISSING))[0]
    return processes.describe(root, rows) if rows is not None else (None, [])


def _mig_devices(rows: Any) -> Optional[Tuple[MigDevice, ...]]:
    return None if rows is None else tuple(MigDevice(**row) for row in rows)


def _faults(cells: Dict[str, Cell], gpu: Gpu) -> Tuple[Fault, ...]:
    """One fault for each way in which the driver failed to read the card, and one for an action that it asks for."""
    found: Dict[str, Fault] = {}
    for name in sorted(cells):
        code = _FAULT_CODES.get(kind(cells[name]))
        if code is not None:
            found.setdefault(code, Fault(code, "%s: %s" % (name, cells[name][1].partition(": ")[2])))
    if gpu.recovery_action not in (None, "none"):
        message = "the driver asks for %s" % (gpu.recovery_action or "").replace("_", " ")
        found["recovery_action"] = Fault("recovery_action", message)
    return tuple(found[code] for code in sorted(found))


def _is_whole(cells: Dict[str, Cell]) -> bool:
    """Whether the GPU answered: who it is, and every field that this driver should have."""
    known = all(kind(cells.get(name, (None, MISSING))) in ("", HIDDEN) for name in IDENTITY)
    return known and not any(kind(cell) == MISSING for cell in cells.values())


def _null_problems(gpu: Gpu, cells: Dict[str, Cell], source: str) -> List[Problem]:
    """One problem for each reason, naming all fields that it leaves null."""
    reasons: Dict[str, List[str]] = {}
    for name in sorted(cells):
        if kind(cells[name]) not in ("", NOT_SUPPORTED):
            reasons.setdefault(cells[name][1], []).append(name)
    return [
        Problem(source, why.partition(":")[0], "%s (%s)" % (", ".join(_by_group(names)), why), subject_of(gpu))
        for why, names in reasons.items()
    ]


def _by_group(names: List[str]) -> List[str]:
    """Return "power" for all of power's fields: a message has an end."""
    complete = [group for group, members in _GROUPS.items() if set(members) <= set(names)]
    told = {member for group in complete for member in _GROUPS[group]}
    return sorted(complete + [name for name in names if name not in told])


def _mig_problems(gpu: Gpu, source: str) -> List[Problem]:
    names = [item.name for item in fields(MigDevice)]
    silent = [name for name in names if any(getattr(device, name) is None for device in gpu.mig_devices or ())]
    if not silent:
        return []
    return [Problem(source, HIDDEN, "does not tell %s of the MIG devices" % ", ".join(silent), subject_of(gpu))]


def _owner_problems(gpu: Gpu) -> List[Problem]:
    if gpu.processes or gpu.memory_used_mib is None or gpu.memory_used_mib <= IDLE_MIB:
        return []
    message = "%d MiB are in use and no process is visible: the owner lives in another PID namespace" % gpu.memory_used_mib
    return [Problem("driver", "owner_hidden", message, subject_of(gpu))]
