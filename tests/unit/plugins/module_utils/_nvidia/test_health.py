# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import MISSING, NOT_SUPPORTED, UNREADABLE, kind
from ansible_collections.inference.recon.plugins.module_utils._nvidia.health import fabric_health

NAMES = (
    "summary",
    "bandwidth",
    "route_recovery_in_progress",
    "route_unhealthy",
    "access_timeout_recovery",
    "incorrect_configuration",
)

HEALTH = [
    # (summary, bandwidth, route recovery, route unhealthy, access timeout recovery, configuration, health)
    ("Healthy", "Full", "False", "False", "False", "None", "healthy"),
    ("Healthy", "N/A", "N/A", "N/A", "False", "N/A", "healthy"),  # nvidia-smi-q/01
    ("Unhealthy", "Full", "False", "True", "False", "None", "unhealthy"),  # nvidia-smi-q/08
    ("Unhealthy", "Full", "False", "False", "False", "None", "unhealthy"),
    ("Limited Capacity", "Full", "False", "False", "False", "None", "limited_capacity"),
    ("Healthy", "Degraded", "False", "False", "False", "None", "unhealthy"),
    ("Healthy", "Full", "True", "False", "False", "None", "unhealthy"),
    ("Healthy", "Full", "False", "False", "True", "None", "unhealthy"),
    ("Healthy", "Full", "False", "False", "False", "Incorrect SystemGuid", "unhealthy"),
    ("N/A", "Full", "False", "False", "False", "None", "healthy"),
    ("N/A", "Full", "False", "True", "False", "None", "unhealthy"),
    ("N/A", "N/A", "N/A", "N/A", "N/A", "N/A", NOT_SUPPORTED),  # nvidia-smi-q/04
    ("Splendid", "Full", "False", "False", "False", "None", UNREADABLE),
    ("Healthy", "ERR!", "False", "False", "False", "None", UNREADABLE),
    ("Healthy", "Full", "Unknown", "False", "False", "None", UNREADABLE),
    ("", "Full", "False", "False", "False", "None", MISSING),
    ("Healthy", "", "False", "False", "False", "None", MISSING),
    ("Healthy", "Full", "False", "False", "False", "", MISSING),
]


@pytest.mark.parametrize("row", HEALTH)
def test_health(row):
    cell = fabric_health(dict(zip(NAMES, row)), with_summary=True)
    assert (kind(cell) or cell[0]) == row[-1]
    assert (cell[0] is None) == bool(cell[1])


WITHOUT_SUMMARY = [
    # (bandwidth, route recovery, route unhealthy, access timeout recovery, health): drivers before 580
    ("Full", "False", "False", "False", "healthy"),
    ("Degraded", "False", "False", "False", "unhealthy"),
    ("N/A", "N/A", "N/A", "N/A", NOT_SUPPORTED),  # nvidia-smi-q/05
]


@pytest.mark.parametrize("row", WITHOUT_SUMMARY)
def test_health_without_a_summary(row):
    cell = fabric_health(dict(zip(NAMES[1:5], row)), with_summary=False)
    assert (kind(cell) or cell[0]) == row[-1]


@pytest.mark.parametrize("name", NAMES[:5])
def test_a_driver_that_should_print_it(name):
    words = dict(zip(NAMES, HEALTH[0]))
    del words[name]
    assert kind(fabric_health(words, with_summary=True)) == MISSING
