# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The report for a person at a terminal: each host, then the fleet, worst first; at most 100 columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Driver, Gpu, Topology
from ansible_collections.inference.recon.plugins.plugin_utils._advice import answer, next_step
from ansible_collections.inference.recon.plugins.plugin_utils._fleet import Host, count_states, find_aliases, sort_hosts
from ansible_collections.inference.recon.plugins.plugin_utils._gpus import RANK, Use, describe_uses
from ansible_collections.inference.recon.plugins.plugin_utils._links import describe_links, ranges
from ansible_collections.inference.recon.plugins.plugin_utils._report.text import cut, hang, safe
from ansible_collections.inference.recon.plugins.plugin_utils._states import state_of

HEADINGS = ("HOST", "STATE", "GPUS", "FREE", "LINKS", "DRIVER", "NEXT")
_WIDEST = (24, 12, 16, 6, 12, 16, 100)
_SHORT_NAMES = {
    "rtx_pro_6000_server": "PRO6000",
    "rtx_pro_6000_workstation": "PRO6000",
    "rtx_pro_6000_max_q": "PRO6000",
    "rtx_a6000": "A6000",
}


@dataclass(frozen=True)
class Line:
    """One line; `tone` is good, bad or plain."""

    text: str
    tone: str = "plain"


def render(hosts: Sequence[Host]) -> Iterator[Line]:
    """Yield the whole report."""
    ordered, aliases = sort_hosts(hosts), find_aliases(hosts)
    for host in ordered:
        yield from _render_host(host, aliases)
        yield Line("")
    if len(hosts) > 1:
        yield from _render_table(ordered, aliases)
    yield Line(_totals(hosts, len(hosts) - len(aliases)))


def _tone(host: Host) -> str:
    if state_of(host.state).label.isupper() or host.failing:
        return "bad"
    return "good" if host.state == "ok" else "plain"


# Hosts ------------------------------------------------------------------------------------------------------------


def _render_host(host: Host, aliases: dict[str, tuple[str, int]]) -> Iterator[Line]:
    topology = host.topology
    uses = describe_uses(topology.gpus, host.problems) if topology else []
    said = _summary(topology, uses) if topology and topology.gpus else answer(host)
    head = f"{safe(host.name):<12} {state_of(host.state).label:<12} {safe(said)}"
    yield Line(cut(head), _tone(host))
    for label, text in _answers(host, uses, aliases):
        yield from (Line(line) for line in hang(label, safe(text)))
    yield from _render_problems(host)


def _answers(host: Host, uses: Sequence[tuple[Gpu, Use]], aliases: dict[str, tuple[str, int]]) -> Iterator[tuple[str, str]]:
    topology = host.topology
    if topology and topology.gpus and host.state != "ok":
        yield "answer", answer(host)
    if next_step(host) != "-":
        yield "next", next_step(host)
    if topology:
        yield from _gpu_rows(uses)
        if topology.gpus:
            yield "links", describe_links(topology).text
        yield from (("driver", text) for text in _driver_texts(topology))
        yield from (("granted", text) for text in _grant_texts(topology))
    if host.name in aliases:
        name, count = aliases[host.name]
        yield "note", f"same machine as {name} ({count} equal GPU UUIDs)"


def _summary(topology: Topology, uses: Sequence[tuple[Gpu, Use]]) -> str:
    names: dict[str, int] = {}
    for gpu in topology.gpus:
        name = _long_name(gpu)
        names[name] = names.get(name, 0) + 1
    cards = ", ".join(f"{count}x {name}" for name, count in names.items())
    kinds = [use.kind for unused, use in uses]
    words = {"free": "free", "busy": "busy", "fault": "at fault", "unknown": "unknown"}
    return f"{cards}: " + ", ".join(f"{kinds.count(kind)} {word}" for kind, word in words.items() if kind in kinds)


def _long_name(gpu: Gpu) -> str:
    name = gpu.name or gpu.product or "?"
    return name.replace("NVIDIA ", "", 1).replace(" Edition", "")


def _gpu_rows(uses: Sequence[tuple[Gpu, Use]]) -> Iterator[tuple[str, str]]:
    """Yield one row for all GPUs that are alike, what matters first."""
    alike: dict[Use, list[Gpu]] = {}
    for gpu, use in sorted(uses, key=lambda pair: RANK[pair[1].kind]):
        alike.setdefault(use, []).append(gpu)
    for use, gpus in alike.items():
        indexes = [gpu.index for gpu in gpus if gpu.index is not None]
        memory = use.memory if len(gpus) > 1 else use.memory.replace(" each", "")
        yield f"GPU {ranges(indexes) or '?'}", f"{use.word:<6} {memory:<20} {use.detail}"


def _driver_texts(topology: Topology) -> Iterator[str]:
    driver, libcuda = topology.driver, topology.libcuda
    if driver.version or driver.module_version or topology.gpus:
        yield f"{_version(driver)} {driver.module_flavor or '?'}, CUDA {driver.cuda_version or '?'}"
    if driver.reboot_pending:
        yield f"REBOOT PENDING: module {driver.module_version or '?'} is loaded, libraries are {driver.version or '?'}"
    if driver.nouveau_loaded:
        yield "nouveau is loaded and holds the cards"
    if libcuda.compat:
        yield f"programs get libcuda {libcuda.version or '?'} from a compat package: {libcuda.path or '?'}"


def _version(driver: Driver) -> str:
    return driver.version or driver.module_version or "?"


def _grant_texts(topology: Topology) -> Iterator[str]:
    bus, granted, listed = topology.pci_gpu_count, topology.granted_gpu_count, len(topology.gpus)
    if granted is not None and 0 < listed < granted:
        yield f"{granted} GPUs, ONLY {listed} ANSWER"
    if bus is not None and granted is not None and granted < bus:
        yield f"{granted} of the {bus} GPUs on the bus; the others are not for this host"


def _render_problems(host: Host) -> Iterator[Line]:
    for number, problem in enumerate(host.problems):
        label = "problems" if number == 0 else ""
        about = f"{problem.subject}: " if problem.subject else ""
        yield Line(cut(f"  {label:<8} {safe(f'{problem.source} {problem.code}  {about}{problem.message}')}"))


# The fleet --------------------------------------------------------------------------------------------------------


def _render_table(ordered: Sequence[Host], aliases: dict[str, tuple[str, int]]) -> Iterator[Line]:
    rows = {host.name: [cut(safe(cell), width) for cell, width in zip(_cells(host), _WIDEST)] for host in ordered}
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows.values())]
    yield Line(_row(HEADINGS, widths))
    for host in ordered:
        first = aliases.get(host.name, ("", 0))[0]
        if first and rows[host.name][1:] == rows[first][1:]:
            yield Line(cut(f"{safe(host.name)} = {safe(first)}"))
        else:
            yield Line(_row(rows[host.name], widths), _tone(host))


def _row(cells: Iterable[str], widths: Sequence[int]) -> str:
    return cut("  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths)).rstrip())


def _cells(host: Host) -> list[str]:
    state, topology = state_of(host.state), host.topology
    if topology is None:
        return [host.name, state.label, *("-" if host.state == "unreachable" else "?") * 4, next_step(host)]
    uses = [use for unused, use in describe_uses(topology.gpus, host.problems)]
    none = "-" if host.state == "no_gpu" else "?"
    return [
        host.name,
        state.label,
        _gpus_cell(topology) or none,
        _free_cell([use.kind for use in uses]) or none,
        describe_links(topology).cell if topology.gpus else none,
        (topology.driver.version or topology.driver.module_version) or ("-" if host.state == "driver_missing" else none),
        next_step(host),
    ]


def _gpus_cell(topology: Topology) -> str:
    """Return what is there of what the bus shows: 8 B200, 7/8 B200, ?/8."""
    count, bus = len(topology.gpus), topology.pci_gpu_count
    if not count:
        return f"?/{bus}" if bus else ""
    products = sorted({_short_name(gpu) for gpu in topology.gpus}, key=lambda name: (name == "?", name))
    of_bus = f"/{bus}" if bus is not None and bus > count else ""
    return f"{count}{of_bus} {'+'.join(products)}"


def _short_name(gpu: Gpu) -> str:
    return _SHORT_NAMES.get(gpu.product or "") or (gpu.product or _long_name(gpu)).upper()


def _free_cell(kinds: Sequence[str]) -> str:
    if not kinds:
        return ""
    free = str(kinds.count("free"))
    if "unknown" in kinds:
        return "?" if free == "0" else f"{free}+?"
    return free


def _totals(hosts: Sequence[Host], machines: int) -> str:
    names = f"{len(hosts)} host{'' if len(hosts) == 1 else 's'}"
    known = names if machines == len(hosts) else f"{len(hosts)} names, {machines} machines"
    return f"{known}: " + ", ".join(f"{count} {state}" for state, count in count_states(hosts).items())
