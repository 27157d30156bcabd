# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The decision table of nvidia_topology, row by row, and what an unknown makes of each."""

from __future__ import annotations

import itertools

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia import state
from ansible_collections.inference.recon.plugins.module_utils._nvidia.state import Evidence, decide

ANSWERS = (
    state.OK,
    state.TIMEOUT,
    state.MISMATCH,
    state.REFUSED,
    state.NO_DEVICES,
    state.NO_DRIVER,
    state.NO_LIBRARY,
    state.FAILED,
)
BUSES, MODULES = (None, 0, 1, 8), (None, False, True)

ANY_HOST = [
    # (answer, every GPU answers in full, state): the bus and the module do not matter
    (state.TIMEOUT, False, "unresponsive"),
    (state.MISMATCH, False, "driver_library_mismatch"),
    (state.REFUSED, False, "access_denied"),
    (state.OK, False, "degraded"),
    (state.OK, True, "ok"),
    (state.FAILED, False, "unknown"),
]

ROWS = [
    # (cards on the bus, module loaded, answer, state)
    (8, True, state.NO_DEVICES, "no_devices"),
    (8, False, state.NO_DEVICES, "no_devices"),
    (8, None, state.NO_DEVICES, "no_devices"),
    (None, True, state.NO_DEVICES, "no_devices"),
    (None, False, state.NO_DEVICES, "no_devices"),
    (0, False, state.NO_DEVICES, "no_gpu"),
    (0, True, state.NO_DEVICES, "unknown"),
    (0, None, state.NO_DEVICES, "unknown"),
    (8, False, state.NO_DRIVER, "driver_not_loaded"),
    (0, False, state.NO_DRIVER, "driver_not_loaded"),
    (None, False, state.NO_DRIVER, "driver_not_loaded"),
    (8, True, state.NO_DRIVER, "unknown"),
    (8, None, state.NO_DRIVER, "unknown"),
    (8, True, state.NO_LIBRARY, "library_missing"),
    (0, True, state.NO_LIBRARY, "library_missing"),
    (None, True, state.NO_LIBRARY, "library_missing"),
    (8, False, state.NO_LIBRARY, "driver_missing"),
    (1, False, state.NO_LIBRARY, "driver_missing"),
    (0, False, state.NO_LIBRARY, "no_gpu"),
    (None, False, state.NO_LIBRARY, "unknown"),
    (8, None, state.NO_LIBRARY, "unknown"),
    (0, None, state.NO_LIBRARY, "unknown"),
]


@pytest.mark.parametrize(("answer", "whole", "expected"), ANY_HOST)
def test_any_host(answer, whole, expected):
    assert {decide(Evidence(bus, module, answer, whole)) for bus in BUSES for module in MODULES} == {expected}


@pytest.mark.parametrize(("bus", "module", "answer", "expected"), ROWS)
def test_rows(bus, module, answer, expected):
    assert decide(Evidence(bus, module, answer, False)) == expected


def test_only_an_answer_of_every_gpu_is_ok():
    for bus, module, answer, whole in itertools.product(BUSES, MODULES, ANSWERS, (True, False)):
        assert (decide(Evidence(bus, module, answer, whole)) == "ok") == (answer == state.OK and whole)


def test_an_unknown_never_says_that_there_is_nothing():
    for module, answer in itertools.product(MODULES, ANSWERS):
        assert decide(Evidence(None, module, answer, False)) not in ("no_gpu", "driver_missing")
    for bus, answer in itertools.product(BUSES, ANSWERS):
        assert decide(Evidence(bus, None, answer, False)) not in ("no_gpu", "driver_missing", "library_missing")
