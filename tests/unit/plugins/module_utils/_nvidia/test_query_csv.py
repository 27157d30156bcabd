# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import NOT_PERMITTED, NOT_SUPPORTED, UNREADABLE, kind
from ansible_collections.inference.recon.plugins.module_utils._nvidia.query_csv import parse_query
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import ParseError

UUID = "GPU-00000000-1111-2222-3333-444444444444"


def test_rows():
    found = parse_query("0, %s, 00000000:1B:00.0, 10.0\n\n1, %s, 00000008:01:00.0, 12.0\n\n" % (UUID, UUID))
    assert found == {
        0: {"uuid": (UUID, ""), "pci_bus_id": ("0000:1b:00.0", ""), "compute_capability": ("10.0", "")},
        1: {"uuid": (UUID, ""), "pci_bus_id": ("0008:01:00.0", ""), "compute_capability": ("12.0", "")},
    }


CELLS = [
    # a row, the field in it without a value, and why there is none
    ("0, %s, 00000000:1B:00.0, [N/A]" % UUID, "compute_capability", NOT_SUPPORTED),
    ("0, %s, 00000000:1B:00.0, [Unknown Error]" % UUID, "compute_capability", UNREADABLE),
    ("0, %s, 00000000:1B:00.0, 10" % UUID, "compute_capability", UNREADABLE),
    ("0, [Insufficient Permissions], 00000000:1B:00.0, 10.0", "uuid", NOT_PERMITTED),
    ("0, NVIDIA B200, 00000000:1B:00.0, 10.0", "uuid", UNREADABLE),
    ("0, %s, 000:BA:80.0, 10.0" % UUID, "pci_bus_id", UNREADABLE),
]


@pytest.mark.parametrize(("row", "field", "why"), CELLS)
def test_cells_without_a_value(row, field, why):
    cell = parse_query(row)[0][field]
    assert cell[0] is None
    assert kind(cell) == why


ERRORS = [
    "",
    "[Unknown Error]",
    "index, uuid, pci.bus_id, compute_cap\n",
    "0, %s, 00000000:1B:00.0\n" % UUID,
    "0, NVIDIA RTX PRO 6000 Blackwell Server Edition, 595.58.03, 00000000:01:00.0, 5, 16, 600.00\n",
    "0, %s, 00000000:1B:00.0, 10.0\n0, %s, 00000000:1C:00.0, 10.0\n" % (UUID, UUID),
    'Field "compute_cap" is not a valid field to query.\n',
]


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    with pytest.raises(ParseError, match="--query-gpu"):
        parse_query(text)
