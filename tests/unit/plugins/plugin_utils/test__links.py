# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from dataclasses import replace

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Link
from ansible_collections.inference.recon.plugins.plugin_utils._links import describe_links, ranges

from tests.unit.plugins.plugin_utils.stories import b200, by_socket, links, pro6000, topology

PAIRS = {(0, 1), (2, 3)}
CASES = [
    # interconnect, rows, cell, text
    ("nvlink_mesh", links(8, "NV18"), "NV18", "NV18 between every pair"),
    (
        "nvlink_partial",
        links(8, lambda a, b: "NODE" if 5 in (a, b) and (a + b) % 2 else "SYS" if 5 in (a, b) else "NV18"),
        "NV18 part",
        "GPU 5 OFF THE MESH (NODE/SYS to all others), NV18 between the others",
    ),
    (
        "nvlink_mesh",
        links(8, lambda a, b: "NV17" if (a, b) == (0, 3) else "NV18"),
        "NV18 part",
        "NV18 between every pair, but NV17 between 0-3",
    ),
    (
        "nvlink_partial",
        links(4, lambda a, b: "NV12" if (a, b) in PAIRS else "SYS"),
        "NV12 part",
        "NV12 between 0-1, 2-3 only; PCIe between the others",
    ),
    ("pcie", links(8, by_socket), "PCIe", "PCIe only (0-3 | 4-7 by socket)"),
    ("pcie", links(4, lambda a, b: "PIX" if a // 2 == b // 2 else "NODE"), "PCIe", "PCIe only (NODE, PIX)"),
    ("pcie", links(3, "SYS"), "PCIe", "PCIe only (0 | 1 | 2 by NUMA node)"),
    ("single", [], "-", "one GPU, nothing to join"),
    (None, None, "?", "?"),
]


@pytest.mark.parametrize(("interconnect", "rows", "cell", "text"), CASES, ids=[case[3] for case in CASES])
def test_links_in_one_line(interconnect: str | None, rows: list[Link] | None, cell: str, text: str) -> None:
    count = max([0, *(link.b for link in rows or [])]) + 1
    joined = describe_links(replace(topology([b200(index) for index in range(count)], [], interconnect), links=rows))
    assert (joined.cell, joined.text) == (cell, text)


def test_an_unknown_path_is_named() -> None:
    rows = links(4, "NODE")
    rows[0] = replace(rows[0], path=None, nvlinks=None)
    joined = describe_links(topology([pro6000(index) for index in range(4)], rows, "pcie"))
    assert (joined.cell, joined.text) == ("PCIe ?", "PCIe only (NODE); ? between 0-1")


@pytest.mark.parametrize(("numbers", "text"), [([], ""), ([3], "3"), ([0, 1, 2, 7], "0-2,7"), ([5, 4], "4-5")])
def test_ranges(numbers: list[int], text: str) -> None:
    assert ranges(numbers) == text
