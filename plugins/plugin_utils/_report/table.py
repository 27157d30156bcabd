# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The fleet: one line a host, worst first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Topology
from ansible_collections.inference.recon.plugins.plugin_utils._advice import next_step
from ansible_collections.inference.recon.plugins.plugin_utils._fleet import Host
from ansible_collections.inference.recon.plugins.plugin_utils._gpus import describe_uses, short_name
from ansible_collections.inference.recon.plugins.plugin_utils._links import describe_links
from ansible_collections.inference.recon.plugins.plugin_utils._report.text import Line, cut, safe
from ansible_collections.inference.recon.plugins.plugin_utils._states import state_of

HEADINGS = ("HOST", "STATE", "GPUS", "FREE", "LINKS", "DRIVER", "NEXT")
_WIDEST = (24, 12, 16, 6, 12, 16, 100)


def render(ordered: Sequence[Host], aliases: Mapping[str, tuple[str, int]]) -> Iterator[Line]:
    """Yield the table; a further name of a machine that says the same is only named."""
    rows = {host.name: [cut(safe(cell), width) for cell, width in zip(_cells(host), _WIDEST)] for host in ordered}
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows.values())]
    yield Line(_row(HEADINGS, widths))
    for host in ordered:
        first = aliases.get(host.name, ("", 0))[0]
        if first and rows[host.name][1:] == rows[first][1:]:
            yield Line(cut(f"{safe(host.name)} = {safe(first)}"))
        else:
            yield Line(_row(rows[host.name], widths), host.tone)


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
    products = sorted({short_name(gpu) for gpu in topology.gpus}, key=lambda name: (name == "?", name))
    of_bus = f"/{bus}" if bus is not None and bus > count else ""
    return f"{count}{of_bus} {'+'.join(products)}"


def _free_cell(kinds: Sequence[str]) -> str:
    if not kinds:
        return ""
    free = str(kinds.count("free"))
    if "unknown" in kinds:
        return "?" if free == "0" else f"{free}+?"
    return free
