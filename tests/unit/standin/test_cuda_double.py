# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The CUDA double: what a new process on a recorded host gets from CUDA."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("yaml")

from tests.standin import load, recorded

USER = Path(__file__).with_name("use_cuda.py")
LAST = "cuDevicePrimaryCtxRelease_v2"


def use(name, visible=None, changes=None):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(recorded(name, changes) / "lib")}
    environment.pop("CUDA_VISIBLE_DEVICES", None)
    if visible is not None:
        environment["CUDA_VISIBLE_DEVICES"] = visible
    done = subprocess.run([sys.executable, USER], env=environment, capture_output=True, timeout=60, check=True)
    return json.loads(done.stdout)


def test_a_healthy_gpu_computes():
    gpu = load("kpro6").gpus[5]
    answer = use("kpro6", gpu.uuid)
    assert answer == {
        "count": 1,
        "bus": gpu.bus.upper(),
        "same": True,
        "last": [LAST, 0, "CUDA_SUCCESS"],
        "version": 13000,
    }


@pytest.mark.parametrize(
    ("visible", "count"),
    [
        (None, 7),
        ("", 0),
        ("3,1", 2),
        ("7", 0),  # seven GPUs: 0 to 6
        ("GPU-00000000-0000-0000-0000-000000000000", 0),
        ("GPU-72962c60", 1),  # the start of one UUID
        ("GPU-1", 0),  # the start of several
        ("0,nonsense,1", 1),
    ],
)
def test_visible_devices(visible, count):
    answer = use("b200-rental", visible)
    assert answer["count"] == count
    assert answer["last"] == ([LAST, 0, "CUDA_SUCCESS"] if count else ["cuInit", 100, "CUDA_ERROR_NO_DEVICE"])


def test_the_order_is_the_callers():
    assert use("b200-rental", "6,0")["bus"] == load("b200-rental").gpus[6].bus.upper()


def test_the_lost_a6000_gives_no_context():
    good, lost = load("a6000-lost").gpus
    assert use("a6000-lost", good.uuid)["same"] is True
    assert use("a6000-lost", lost.uuid)["last"] == ["cuDevicePrimaryCtxRetain", 46, "CUDA_ERROR_DEVICE_UNAVAILABLE"]


def test_a_fabric_in_progress_stops_its_gpu_only():
    gpus = load("hgx-b200-fabric").gpus
    assert use("hgx-b200-fabric", gpus[3].uuid)["last"] == ["cuInit", 802, "CUDA_ERROR_SYSTEM_NOT_READY"]
    assert use("hgx-b200-fabric", gpus[0].uuid)["same"] is True


def test_memory_that_lies():
    lie = {"faults": {"cuda": [{"call": "cuMemcpyDtoH_v2", "gpu": 1, "error": "corrupt"}]}}
    uuids = [gpu.uuid for gpu in load("kpro6").gpus]
    assert use("kpro6", uuids[0], lie)["same"] is True
    assert use("kpro6", uuids[1], lie) == {**use("kpro6", uuids[1]), "same": False}
