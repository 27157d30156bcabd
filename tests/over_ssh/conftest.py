# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Brings a lab up once for all tests over SSH."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

# Beside a person's lab; said before anything reads it.
os.environ.setdefault("RECON_LAB", "76")

from tests.over_ssh.controller import Controller, Results, lab, look

MISSING = 3
"""The exit status of the lab where this machine cannot run it."""

DEADLINE = {"timeout": 20, "deadline": 60}


@pytest.fixture(scope="session")
def inventory() -> Iterator[str]:
    lab("down")  # what a killed run left
    up = lab("up")
    if up.returncode == MISSING and os.environ.get("CI") != "true":
        pytest.skip(up.stderr.strip())
    assert up.returncode == 0, up.stderr
    if os.environ.get("CI") == "true":
        assert "left out" not in up.stderr, up.stderr
    yield lab("inventory").stdout
    down = lab("down")
    assert down.returncode == 0, down.stderr


@pytest.fixture(scope="session")
def controller(inventory: str, tmp_path_factory: pytest.TempPathFactory) -> Controller:
    folder = tmp_path_factory.mktemp("controller")
    file = folder / "lab.yml"
    file.write_text(inventory)
    return Controller(folder, file)


@pytest.fixture(scope="session")
def looks(controller: Controller) -> Results:
    """Every host of the lab, looked at by one play: twice, in check mode, and with all its GPUs computing."""
    tasks = {
        "first": look(**DEADLINE),
        "second": look(**DEADLINE),
        "check": {**look(**DEADLINE), "check_mode": True},
        "nvidia_smi": look(readers=["nvidia_smi"], **DEADLINE),
        "cuda": look(cuda_check="all", **DEADLINE),
    }
    return controller.results("all", tasks)
