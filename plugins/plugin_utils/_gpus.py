# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""What each GPU is doing: free, busy and by whom, at fault, or not to be told."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from ansible_collections.inference.recon.plugins.module_utils._facts import Problem
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Gpu, Process

_SHORT_NAMES = {
    "rtx_pro_6000_server": "PRO6000",
    "rtx_pro_6000_workstation": "PRO6000",
    "rtx_pro_6000_max_q": "PRO6000",
    "rtx_a6000": "A6000",
}

RANK = {"fault": 0, "busy": 1, "unknown": 2, "free": 3}
"""The kinds of use, in the order in which a person wants to see them."""


@dataclass(frozen=True)
class Use:
    """One GPU's row: `kind` counts, `word` is read, the rest describes it; equal rows are shown as one."""

    kind: str
    word: str
    memory: str
    detail: str


def describe_uses(gpus: Iterable[Gpu], problems: Sequence[Problem]) -> list[tuple[Gpu, Use]]:
    """Return each GPU with its use."""
    hidden = {problem.subject for problem in problems if problem.code == "owner_hidden"}
    return [(gpu, _describe(gpu, hidden=not hidden.isdisjoint(_subjects(gpu)))) for gpu in gpus]


def _subjects(gpu: Gpu) -> set[str]:
    """Return how a problem may name this GPU."""
    return {text for text in (f"GPU {gpu.index}", f"GPU at {gpu.pci_bus_id}", gpu.uuid) if text}


def _describe(gpu: Gpu, *, hidden: bool) -> Use:
    if gpu.state != "ok":
        return Use("fault" if gpu.state != "unknown" else "unknown", _fault_word(gpu), _total(gpu), _faults(gpu))
    broken = f"CUDA fails: {gpu.cuda.error or '?'}" if gpu.cuda.usable is False else ""
    if _fabric_down(gpu):
        told = broken or "CUDA fails until it is"
        return Use("fault", "FABRIC", _total(gpu), f"fabric not up ({_fabric_down(gpu)}); {told}")
    if broken:
        return Use("fault", "BROKEN", _total(gpu), broken)
    if gpu.processes:
        return Use("busy", "BUSY", _used(gpu), _owners(gpu.processes))
    if hidden:
        return Use("busy", "BUSY", _used(gpu), "owner ? (not visible from here)")
    if gpu.processes is None or gpu.memory_used_mib is None:
        return Use("unknown", "?", _total(gpu), ", ".join(filter(None, ["whether it is in use: ?", _mig(gpu)])))
    return Use("free", "free", f"{_total(gpu)} each", _health(gpu))


def _fault_word(gpu: Gpu) -> str:
    return {"lost": "LOST", "reset_required": "RESET", "unknown": "?"}.get(gpu.state, "ERROR")


def _faults(gpu: Gpu) -> str:
    where = f"at {gpu.pci_bus_id}: " if gpu.index is None else ""
    faults = "; ".join(f"{fault.code}: {fault.message}" for fault in gpu.faults)
    return where + faults if faults else "cannot be asked"


def _number(value: object) -> str:
    return "?" if value is None else str(value)


def _total(gpu: Gpu) -> str:
    return f"{_number(gpu.memory_total_mib)} MiB"


def _used(gpu: Gpu) -> str:
    return f"{_number(gpu.memory_used_mib)} of {_total(gpu)}"


def _owners(processes: Sequence[Process]) -> str:
    first, more = processes[0], len(processes) - 1
    container = first.container.name or first.container.engine if first.container else None
    owner = first.unit or (container and f"container {container}") or first.name or "?"
    where = f"  in container {container}" if container and first.unit else ""
    user = f"  user {first.user}" if first.user else ""
    return f"{owner}  pid {first.pid}{user}{where}" + (f"  and {more} more" if more else "")


def _health(gpu: Gpu) -> str:
    cuda = {True: "CUDA works", False: "CUDA fails", None: "CUDA not tried"}[gpu.cuda.usable]
    return ", ".join(filter(None, [_condition(gpu), cuda, _fabric(gpu), _mig(gpu), _pcie(gpu)]))


_SIGNS: tuple[tuple[str, str], ...] = (
    # (field, what to say where it is neither 0 nor false); one that could not be told leaves the health open
    ("ecc.volatile_uncorrected", "UNCORRECTED ECC ERRORS: {}"),
    ("remapped_rows.failure", "ROW REMAPPING FAILED"),
    ("remapped_rows.pending", "ROW REMAPPING WAITS FOR A RESET"),
    ("recovery_action", ""),
    ("fabric.state", ""),
    ("fabric.status", ""),
    ("fabric.health", ""),
)


def _condition(gpu: Gpu) -> str:
    """Say what is wrong with a card that answers; healthy only where all its signs could be told."""
    values = {name: attrgetter(name)(gpu) for name, unused in _SIGNS}
    wrong = [text.format(values[name]) for name, text in _SIGNS if text and values[name]]
    wrong += _nvlinks_down(gpu)
    open_signs = [name for name, value in values.items() if value is None and name not in gpu.not_supported]
    return ", ".join(wrong) or ("health ?" if open_signs else "healthy")


def _nvlinks_down(gpu: Gpu) -> list[str]:
    """Say that some links are down; with all of them down there may be no bridge, and the links of the host say more."""
    active, total = gpu.nvlink.links_active, gpu.nvlink.links_total
    return [f"NVLINKS {active} OF {total}"] if active and total and active < total else []


def _fabric_down(gpu: Gpu) -> str:
    """Say why the NVLink fabric is not up: CUDA fails then (802, system not ready) while all else looks well."""
    fabric = gpu.fabric
    if fabric.state in ("not_started", "in_progress"):
        return fabric.state
    if fabric.state == "completed" and fabric.status not in ("success", None):
        return fabric.status
    return "unhealthy" if fabric.health == "unhealthy" else ""


def _fabric(gpu: Gpu) -> str:
    fabric = gpu.fabric
    if "fabric.state" in gpu.not_supported:
        return ""
    if fabric.state == "completed" and fabric.status == "success":
        untold = fabric.health is None and "fabric.health" not in gpu.not_supported
        return "fabric ?" if untold else "fabric up" if fabric.health in ("healthy", None) else f"fabric {fabric.health}"
    return "fabric ?"


def _mig(gpu: Gpu) -> str:
    return f"MIG on, {len(gpu.mig_devices or ())} slices" if gpu.mig_mode == "enabled" else ""


def _pcie(gpu: Gpu) -> str:
    """Return generation and width; an idle link rests at a low generation, only its width tells."""
    pcie = gpu.pcie
    short = pcie.width_current is not None and pcie.width_max is not None and pcie.width_current < pcie.width_max
    return f"PCIe {_number(pcie.generation_max)} x{_number(pcie.width_current)}" + (f" OF x{pcie.width_max}" if short else "")


def long_name(gpu: Gpu) -> str:
    name = gpu.name or gpu.product or "?"
    return name.replace("NVIDIA ", "", 1).replace(" Edition", "")


def short_name(gpu: Gpu) -> str:
    return _SHORT_NAMES.get(gpu.product or "") or (gpu.product or long_name(gpu)).upper()
