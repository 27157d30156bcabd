# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.topo import Affinity, nvlinks_of, parse_topo
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Link, Nic, ParseError

HEADER = "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
FIRST = "GPU0\t X \tNV18\tPIX\t0-55,112-167\t0\t\tN/A\n"
SECOND = "GPU1\tNV18\t X \tSYS\t56-111,168-223\t1\t\tN/A\n"
NIC = "NIC0\tPIX\tSYS\t X \t\t\t\t\n"
LEGEND = "\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: mlx5_0\n\n"
WHOLE = HEADER + FIRST + SECOND + NIC + LEGEND


def test_the_form_that_the_tool_prints():
    matrix = parse_topo(WHOLE)
    assert matrix.links == (Link(0, 1, "NV18", 18),)
    assert matrix.asymmetric == ()
    assert matrix.nics == (Nic("NIC0", "mlx5_0", {"0": "PIX", "1": "SYS"}),)
    assert matrix.affinity == {0: Affinity("0-55,112-167", "0", "N/A"), 1: Affinity("56-111,168-223", "1", "N/A")}


AFFINITIES = [
    # (what follows the matrix in GPU0's row, how it is read): TABs as in the captures 19, 41 and 05
    ("\t0-19\t0\t\tN/A", Affinity("0-19", "0", "N/A")),
    ("\t0-71\t0\t\t2", Affinity("0-71", "0", "2")),
    ("\t0-23\t\tN/A\t\tN/A", Affinity("0-23", "N/A", "N/A")),
    ("\t0-127\t0-1\t\tN/A", Affinity("0-127", "0-1", "N/A")),
    ("\t2,66\t0,3-9\t\tN/A", Affinity("2,66", "0,3-9", "N/A")),
    ("\t\t\t\tN/A", Affinity("", "", "N/A")),
    ("\t\t0\t\tN/A", Affinity("", "0", "N/A")),
    ("\t0-19\t\t\tN/A", Affinity("0-19", "", "N/A")),
    ("\t0-19\t0\t\t", Affinity("0-19", "0", "")),
    ("\t0-55\t0N/A\t\t", Affinity("0-55", "", "")),
    ("\tnonsense\t-1\t\tx", Affinity("", "", "")),
    ("", Affinity("", "", "")),
    ("   0-19   0   N/A", Affinity("0-19", "0", "N/A")),
    ("   N/A", Affinity("", "", "N/A")),
    ("   0-19   0N/A", Affinity("", "", "")),
]


@pytest.mark.parametrize(("tail", "expected"), AFFINITIES)
def test_affinities(tail, expected):
    row = "GPU0\t X " if "\t" in tail else "GPU0 X "
    assert parse_topo("\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n" + row + tail + "\n").affinity == {0: expected}


LINKS = [
    # (GPU0's cell of GPU1, GPU1's cell of GPU0, path, NVLinks)
    ("NV18", "NV18", "NV18", 18),
    ("NV4", "NV4", "NV4", 4),
    ("PIX", "PIX", "PIX", 0),
    ("PXB", "PXB", "PXB", 0),
    ("PHB", "PHB", "PHB", 0),
    ("NODE", "NODE", "NODE", 0),
    ("SYS", "SYS", "SYS", 0),
    ("NV18", "NV17", None, None),
    ("NV18", "SYS", None, None),
    ("NV18", "", None, None),
    ("ERR!", "ERR!", None, None),
    ("X", "X", None, None),
    ("NV", "NV", None, None),
]


@pytest.mark.parametrize(("there", "back", "path", "nvlinks"), LINKS)
def test_links(there, back, path, nvlinks):
    matrix = parse_topo("\tGPU0\tGPU1\n" + "GPU0\t X \t%s\nGPU1\t%s\t X \n" % (there, back))
    assert matrix.links == (Link(0, 1, path, nvlinks),)
    assert matrix.asymmetric == (() if path else ((0, 1),))


NICS = [
    # (text, NICs): old drivers name the column by the device; a cut legend names nothing; a cut row tells nothing
    ("\tGPU0\tmlx5_0\tCPU Affinity\nGPU0\t X \tSYS\t0-3\nmlx5_0\tSYS\t X\n", (Nic("mlx5_0", "mlx5_0", {"0": "SYS"}),)),
    ("\tGPU0\tNIC0\nGPU0\t X \tPXB\nNIC0\tPXB\t X\n", (Nic("NIC0", None, {"0": "PXB"}),)),
    ("\tGPU0\tNIC0\nGPU0\t X \n", (Nic("NIC0", None, {"0": None}),)),
    ("\tGPU0\nGPU0\t X \n", ()),
    (
        "        GPU0    NIC9NIC10 CPU Affinity\nGPU0     X      PIX     SYS    0-3\n",
        (Nic("NIC9", None, {"0": "PIX"}), Nic("NIC10", None, {"0": "SYS"})),
    ),
]


@pytest.mark.parametrize(("text", "expected"), NICS)
def test_nics(text, expected):
    assert parse_topo(text).nics == expected


ERRORS = [
    ("", "printed no matrix"),
    ("Unable to determine the device handle for GPU0000:07:00.0: Unknown Error\n", "printed no matrix"),
    ("GPU0\t X \tNV18\n", "printed no matrix"),
    (HEADER, "no row for GPU0, GPU1"),
    (HEADER + FIRST, "no row for GPU1"),
    (HEADER + FIRST + "\n" + SECOND, "no row for GPU1"),
    ("GPU 0: NVIDIA H200 (UUID: GPU-00000000-0000-0000-0000-000000000000)\n", "printed no matrix"),
]


@pytest.mark.parametrize(("text", "why"), ERRORS)
def test_errors(text, why):
    with pytest.raises(ParseError, match=why):
        parse_topo(text)


@pytest.mark.parametrize(("path", "count"), [("NV18", 18), ("NV1", 1), ("SYS", 0), (None, None), ("NVX", None)])
def test_nvlinks_of(path, count):
    assert nvlinks_of(path) == count
