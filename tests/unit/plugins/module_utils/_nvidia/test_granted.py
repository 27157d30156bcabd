# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Seven of eight passed through is a normal rental: what a container and what a machine was granted."""

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.granted import Granted, count_granted
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import Card

BUS = "0000:%02x:00.0"
INFORMATION = "/proc/driver/nvidia/gpus/%s/information"


def cards(*drivers):
    return [Card(BUS % number, "2901", driver, 0) for number, driver in enumerate(drivers)]


def given(*minors):
    return {INFORMATION % (BUS % place): "Device Minor: \t %s\n" % minor for place, minor in enumerate(minors)}


def nodes(*minors):
    return {"/dev/nvidia%d" % minor: "" for minor in minors}


CONTAINERS = [
    # (cards on the bus, files, how many were granted, how many at most)
    (cards(*["nvidia"] * 8), dict(given(*range(7)), **nodes(*range(7))), 7, 7),
    (cards(*["nvidia"] * 8), dict(given(*range(8)), **nodes(*range(8))), 8, 8),
    (cards(*["nvidia"] * 8), dict(given(*range(8)), **nodes(0, 3)), 2, 2),
    (cards(*["nvidia"] * 2), given(0, 1), 0, 0),
    (cards(*["nvidia"] * 2), dict(given(0, "?"), **nodes(0)), None, 2),
    (cards(*["nvidia"] * 8), {}, None, 8),
    (None, {}, None, None),
    (None, dict(given(0), **nodes(0)), 1, 1),
    ([], {}, 0, 0),
]


@pytest.mark.parametrize(("bus", "files", "count", "at_most"), CONTAINERS)
def test_containers(tree, bus, files, count, at_most):
    granted = count_granted(tree.lay(files), bus, in_container=True)
    assert (granted.count, granted.at_most) == (count, at_most)
    assert bool(granted.why) == (count is None)


MACHINES = [
    # (cards on the bus, how many were granted, how many at most): vfio-pci is lent to a guest
    (cards(*["nvidia"] * 8), 8, 8),
    (cards("nvidia", "nvidia", "vfio-pci", "vfio-pci"), 2, 2),
    (cards("nvidia", ""), 1, 1),
    (cards("nouveau"), 0, 0),
    (cards("nvidia", None), None, 2),
    ([], 0, 0),
    (None, None, None),
]


@pytest.mark.parametrize(("bus", "count", "at_most"), MACHINES)
def test_machines(tree, bus, count, at_most):
    granted = count_granted(tree, bus, in_container=False)
    assert (granted.count, granted.at_most) == (count, at_most)
    assert bool(granted.why) == (count is None)


def test_which_cards(tree):
    assert count_granted(tree, cards("vfio-pci", "nvidia"), in_container=False) == Granted(1, 1, (BUS % 1,))
