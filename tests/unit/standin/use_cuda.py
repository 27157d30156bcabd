# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prints as JSON how each call of a copy to the first visible GPU and back went: [call, error, error's name]."""

from __future__ import annotations

import ctypes
import json

SIZE = 4096
cuda = ctypes.CDLL("libcuda.so.1")
log = []


def call(name, *arguments):
    error = getattr(cuda, name)(*arguments)
    text = ctypes.c_char_p()
    cuda.cuGetErrorName(error, ctypes.byref(text))
    log.append([name, error, text.value and text.value.decode()])
    return error == 0


def use():
    count, device, context, memory = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    bus, sent, back = ctypes.create_string_buffer(32), b"recon!" * 600, ctypes.create_string_buffer(3600)
    done = (
        call("cuInit", 0)
        and call("cuDeviceGetCount", ctypes.byref(count))
        and call("cuDeviceGet", ctypes.byref(device), 0)
        and call("cuDeviceGetPCIBusId", bus, 32, device)
        and call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        and call("cuCtxSetCurrent", context)
        and call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(SIZE))
        and call("cuMemcpyHtoD_v2", memory, sent, ctypes.c_size_t(len(sent)))
        and call("cuMemcpyDtoH_v2", back, memory, ctypes.c_size_t(len(sent)))
        and call("cuMemFree_v2", memory)
        and call("cuDevicePrimaryCtxRelease_v2", device)
    )
    return {"count": count.value, "bus": bus.value.decode(), "same": back.raw == sent if done else None, "last": log[-1]}


version = ctypes.c_int()
cuda.cuDriverGetVersion(ctypes.byref(version))
print(json.dumps({**use(), "version": version.value}))
