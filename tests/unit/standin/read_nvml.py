# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prints as JSON what NVIDIA's own client, nvidia-ml-py, reads through the libnvidia-ml.so.1 of LD_LIBRARY_PATH."""

from __future__ import annotations

import ctypes
import json
import sys

import pynvml as nvml


def ask(call, *arguments):
    """Return a call's answer, or {"error": number}."""
    try:
        return call(*arguments)
    except nvml.NVMLError as failure:
        return {"error": failure.value}


def fabric(handle, struct):
    info = struct()
    refused = ask(nvml.nvmlDeviceGetGpuFabricInfoV, handle, ctypes.byref(info))
    if refused:
        return refused
    uuid = bytes(info.clusterUuid).hex()
    summary = getattr(info, "healthSummary", None)
    return {"state": info.state, "status": info.status, "clique": info.cliqueId, "cluster": uuid, "summary": summary}


def link(handle, number):
    if not nvml.nvmlDeviceGetNvLinkState(handle, number):
        return "down"
    if nvml.nvmlDeviceGetNvLinkRemoteDeviceType(handle, number) == nvml.NVML_NVLINK_DEVICE_TYPE_SWITCH:
        return "switch"
    return nvml.nvmlDeviceGetNvLinkRemotePciInfo(handle, number).busId


def links(handle):
    found = []
    for number in range(nvml.NVML_NVLINK_MAX_LINKS):
        answer = ask(link, handle, number)
        if isinstance(answer, dict):
            return {"found": found, **answer}
        found.append(answer)
    return {"found": found}


def processes(call, handle):
    answer = ask(call, handle)
    if isinstance(answer, dict):
        return answer
    return [[row.pid, row.usedGpuMemory, nvml.nvmlSystemGetProcessName(row.pid)] for row in answer]


def memory(handle):
    info = nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
    return {"total": info.total, "reserved": info.reserved, "used": info.used, "free": info.free}


def mig(handle):
    found = []
    for place in range(nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
        device = ask(nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, place)
        if isinstance(device, dict):
            break
        size = nvml.nvmlDeviceGetAttributes_v2(device).memorySizeMB
        found.append([nvml.nvmlDeviceGetUUID(device), nvml.nvmlDeviceGetName(device), size])
    return found


def recovery(handle):
    field = nvml.nvmlDeviceGetFieldValues(handle, [nvml.NVML_FI_DEV_GET_GPU_RECOVERY_ACTION])[0]
    return {"return": field.nvmlReturn, "type": field.valueType, "value": field.value.uiVal}


def gpu(handle):
    pci = nvml.nvmlDeviceGetPciInfo(handle)
    counters = [nvml.NVML_VOLATILE_ECC, nvml.NVML_AGGREGATE_ECC]
    uncorrected = nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED
    return {
        "uuid": nvml.nvmlDeviceGetUUID(handle),
        "name": nvml.nvmlDeviceGetName(handle),
        "architecture": nvml.nvmlDeviceGetArchitecture(handle),
        "capability": nvml.nvmlDeviceGetCudaComputeCapability(handle),
        "bus": [pci.busId, pci.busIdLegacy, pci.domain, pci.bus, pci.device, pci.pciDeviceId, pci.pciSubSystemId],
        "minor": nvml.nvmlDeviceGetMinorNumber(handle),
        "memory": ask(memory, handle),
        "nodes": ask(lambda: list(nvml.nvmlDeviceGetMemoryAffinity(handle, 2, nvml.NVML_AFFINITY_SCOPE_NODE))),
        "node": ask(nvml.nvmlDeviceGetNumaNodeId, handle),
        "cpus": list(nvml.nvmlDeviceGetCpuAffinityWithinScope(handle, 16, nvml.NVML_AFFINITY_SCOPE_NODE)),
        "generations": [nvml.nvmlDeviceGetMaxPcieLinkGeneration(handle), nvml.nvmlDeviceGetCurrPcieLinkGeneration(handle)],
        "widths": [nvml.nvmlDeviceGetMaxPcieLinkWidth(handle), nvml.nvmlDeviceGetCurrPcieLinkWidth(handle)],
        "limit": nvml.nvmlDeviceGetPowerManagementLimit(handle),
        "default": nvml.nvmlDeviceGetPowerManagementDefaultLimit(handle),
        "constraints": nvml.nvmlDeviceGetPowerManagementLimitConstraints(handle),
        "persistence": nvml.nvmlDeviceGetPersistenceMode(handle),
        "mig_mode": ask(nvml.nvmlDeviceGetMigMode, handle),
        "mig": mig(handle),
        "ecc": ask(nvml.nvmlDeviceGetEccMode, handle),
        "errors": [ask(nvml.nvmlDeviceGetTotalEccErrors, handle, uncorrected, counter) for counter in counters],
        "remapped": ask(nvml.nvmlDeviceGetRemappedRows, handle),
        "recovery": recovery(handle),
        "fabric_v2": fabric(handle, nvml.c_nvmlGpuFabricInfo_v2_t),
        "fabric_v3": fabric(handle, nvml.c_nvmlGpuFabricInfo_v3_t),
        "links": links(handle),
        "compute": processes(nvml.nvmlDeviceGetComputeRunningProcesses, handle),
        "graphics": processes(nvml.nvmlDeviceGetGraphicsRunningProcesses, handle),
        "mps": processes(nvml.nvmlDeviceGetMPSComputeRunningProcesses, handle),
    }


def host():
    nvml.nvmlInit()
    handles = [nvml.nvmlDeviceGetHandleByIndex(index) for index in range(nvml.nvmlDeviceGetCount())]
    answer = {
        "driver": nvml.nvmlSystemGetDriverVersion(),
        "nvml": nvml.nvmlSystemGetNVMLVersion(),
        "cuda": nvml.nvmlSystemGetCudaDriverVersion_v2(),
        "gpus": [gpu(handle) for handle in handles],
        "levels": [[nvml.nvmlDeviceGetTopologyCommonAncestor(a, b) for b in handles] for a in handles],
    }
    nvml.nvmlShutdown()
    return answer


json.dump(ask(host), sys.stdout)
