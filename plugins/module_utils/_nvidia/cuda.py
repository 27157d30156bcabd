# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Whether a GPU computes: a context, one MiB there and back, in a child per GPU. The CUDA driver API by ctypes.

https://docs.nvidia.com/cuda/cuda-driver-api/ ; signatures as in cuda.h
"""

import ctypes
import os
from typing import Any, Dict

MEBIBYTE = 1 << 20

NOT_THE_GPU = {
    # Errors that lie with the libraries, the driver, the fabric or what else runs there (cuda.h, CUresult).
    2: "CUDA_ERROR_OUT_OF_MEMORY",
    34: "CUDA_ERROR_STUB_LIBRARY",
    100: "CUDA_ERROR_NO_DEVICE",
    802: "CUDA_ERROR_SYSTEM_NOT_READY",
    803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
    804: "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
    805: "CUDA_ERROR_MPS_CONNECTION_FAILED",
    806: "CUDA_ERROR_MPS_RPC_FAILURE",
    807: "CUDA_ERROR_MPS_SERVER_NOT_READY",
    808: "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED",
    809: "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED",
    810: "CUDA_ERROR_MPS_CLIENT_TERMINATED",
}


class CudaError(Exception):
    """A call that did not return CUDA_SUCCESS."""

    def __init__(self, call: str, code: int, name: str) -> None:
        super().__init__("%s: %s (%d)" % (call, name, code))
        self.code = code


class _Driver:
    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)

    def call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._library, name)(*arguments)
        if code:
            raise CudaError(name, code, self._name(code))

    def _name(self, code: int) -> str:
        text = ctypes.c_char_p()
        self._library.cuGetErrorName(ctypes.c_int(code), ctypes.byref(text))
        return (text.value or b"unknown error").decode("ascii", "replace")


class WrongResultError(Exception):
    """The GPU computes, and wrongly."""


def check(library: str, bus_id: str) -> Dict[str, Any]:
    """Return {usable, error, blames_gpu}; the one visible GPU must be the one at `bus_id`. Runs in a child of _run.py."""
    try:
        _compute(_Driver(library), bus_id)
    except CudaError as failure:
        return {"usable": False, "error": str(failure), "blames_gpu": failure.code not in NOT_THE_GPU}
    except WrongResultError as failure:
        return {"usable": False, "error": str(failure), "blames_gpu": True}
    except (AttributeError, OSError) as failure:  # a call or the library is missing
        return {"usable": False, "error": str(failure), "blames_gpu": False}
    return {"usable": True, "error": None, "blames_gpu": False}


def _compute(cuda: _Driver, bus_id: str) -> None:
    device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    cuda.call("cuInit", ctypes.c_uint(0))
    cuda.call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
    _expect(cuda, device, bus_id)
    cuda.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    cuda.call("cuCtxSetCurrent", context)
    sent = os.urandom(MEBIBYTE)
    back = ctypes.create_string_buffer(MEBIBYTE)
    cuda.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(MEBIBYTE))
    cuda.call("cuMemcpyHtoD_v2", memory, sent, ctypes.c_size_t(MEBIBYTE))
    cuda.call("cuMemcpyDtoH_v2", back, memory, ctypes.c_size_t(MEBIBYTE))
    cuda.call("cuMemFree_v2", memory)
    cuda.call("cuDevicePrimaryCtxRelease_v2", device)
    if back.raw != sent:
        raise WrongResultError("1 MiB came back changed")


def _expect(cuda: _Driver, device: ctypes.c_int, bus_id: str) -> None:
    text = ctypes.create_string_buffer(32)
    cuda.call("cuDeviceGetPCIBusId", text, ctypes.c_int(32), device)
    found = text.value.decode("ascii", "replace").lower()
    if found[-len(bus_id) :] != bus_id:
        raise WrongResultError("CUDA shows the GPU at %s in place of %s" % (found, bus_id))
