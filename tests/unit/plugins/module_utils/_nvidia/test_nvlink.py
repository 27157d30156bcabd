# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import (
    HIDDEN,
    MISSING,
    NOT_SUPPORTED,
    UNREADABLE,
    kind,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.nvlink import parse_nvlink
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import ParseError

GPU = "GPU %d: NVIDIA B200 (UUID: GPU-00000000-0000-0000-0000-000000000000)\n"

COUNTS = [
    # (what stands below the GPU, links up, links in all): a word where that is not told
    ("\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n", 2, 2),
    ("         Link 0: 25 GB/s\n", 1, 1),
    ("\t Link 0: 50 GB/s\n\t Link 1: <inactive>\n", 1, 2),
    ("\t Link 0: <inactive>\n", 0, 1),
    ("Device does not have or support Nvlink\n", NOT_SUPPORTED, NOT_SUPPORTED),
    ("NVML: Unable to retrieve Nvlink information as all links are inActive\n", 0, HIDDEN),
    ("", MISSING, MISSING),
    ("\t Link 0: ERR!\n", UNREADABLE, 1),
    ("GPU is lost\n", UNREADABLE, UNREADABLE),
    ("\x00\xff\n", UNREADABLE, UNREADABLE),
]


def told(cell):
    return kind(cell) or cell[0]


@pytest.mark.parametrize(("below", "active", "total"), COUNTS)
def test_counts(below, active, total):
    cells = parse_nvlink(GPU % 3 + below)[3]
    assert told(cells["nvlink.links_active"]) == active
    assert told(cells["nvlink.links_total"]) == total


def test_a_bad_link_is_not_forgotten_by_the_next():
    cells = parse_nvlink(GPU % 0 + "\t Link 0: ERR!\n\t Link 1: 50 GB/s\n")[0]
    assert told(cells["nvlink.links_active"]) == UNREADABLE
    assert told(cells["nvlink.links_total"]) == 2


def test_several_gpus():
    found = parse_nvlink(GPU % 0 + "\t Link 0: 50 GB/s\n" + GPU % 1 + "\t Link 0: <inactive>\n")
    assert {index: cells["nvlink.links_active"][0] for index, cells in found.items()} == {0: 1, 1: 0}


def test_links_that_count_from_0_again_belong_to_a_gpu_whose_line_is_lost():
    with pytest.raises(ParseError, match="nvlink -s counts from 0 again"):
        parse_nvlink(GPU % 0 + "\t Link 0: 50 GB/s\n\t Link 1: 50 GB/s\n\t Link 0: 50 GB/s\n")


@pytest.mark.parametrize("text", ["", "\n\n", "\t Link 0: 50 GB/s\n", "ERROR: Option -s is not recognized.\n"])
def test_errors(text):
    with pytest.raises(ParseError, match="nvlink -s"):
        parse_nvlink(text)
