# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which of CUDA's errors speak against the GPU. Numbers: cuda.h, CUresult.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html
"""

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cuda import NOT_THE_GPU, check

ELSEWHERE = {
    "CUDA_ERROR_OUT_OF_MEMORY": 2,
    "CUDA_ERROR_STUB_LIBRARY": 34,
    "CUDA_ERROR_NO_DEVICE": 100,
    "CUDA_ERROR_SYSTEM_NOT_READY": 802,
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": 803,
    "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE": 804,
    "CUDA_ERROR_MPS_CONNECTION_FAILED": 805,
    "CUDA_ERROR_MPS_RPC_FAILURE": 806,
    "CUDA_ERROR_MPS_SERVER_NOT_READY": 807,
    "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED": 808,
    "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED": 809,
    "CUDA_ERROR_MPS_CLIENT_TERMINATED": 810,
}

IN_THE_GPU = {
    "CUDA_ERROR_DEVICE_UNAVAILABLE": 46,
    "CUDA_ERROR_ECC_UNCORRECTABLE": 214,
    "CUDA_ERROR_NVLINK_UNCORRECTABLE": 220,
    "CUDA_ERROR_ILLEGAL_ADDRESS": 700,
    "CUDA_ERROR_HARDWARE_STACK_ERROR": 714,
    "CUDA_ERROR_LAUNCH_FAILED": 719,
    "CUDA_ERROR_UNKNOWN": 999,
}


def test_errors_that_lie_elsewhere():
    assert {name: number for number, name in NOT_THE_GPU.items()} == ELSEWHERE


@pytest.mark.parametrize("name", sorted(IN_THE_GPU))
def test_errors_of_the_gpu(name):
    assert IN_THE_GPU[name] not in NOT_THE_GPU


def test_without_a_library(tmp_path):
    answer = check(str(tmp_path / "libcuda.so.1"), "0000:1b:00.0")
    assert answer["usable"] is False
    assert answer["blames_gpu"] is False
    assert "libcuda.so.1" in answer["error"]
