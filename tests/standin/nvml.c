/* Copyright (c) 2026, The inference.recon authors
 * GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stand-in libnvidia-ml.so.1: answers from host_data.h as NVML would on that host.
 * It proves that a reader calls NVML rightly, not what NVML means: that takes hardware. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef HOLD_TO_NVML_H
#include <nvml.h>
#else
#include "nvml_abi.h"
#endif

#define VERSION_OF(type, number) ((unsigned)sizeof(type) | (number) << 24) /* nvml.h, NVML_STRUCT_VERSION */
#define NO_INSTANCE 0xFFFFFFFF
#define FIELD_RECOVERY_ACTION 230
#define LAST_WORD(cpu_set) (sizeof(cpu_set) / sizeof((cpu_set)[0]))

static int users; /* NVML counts its nvmlInit calls */

static nvmlReturn_t fault(const char *call, int gpu)
{
    for (const struct fault *row = nvml_faults; row->call; row++) {
        if (strcmp(row->call, call) || (row->gpu != EVERY_GPU && row->gpu != gpu))
            continue;
        while (row->error == HANG)
            pause();
        return row->error;
    }
    return NVML_SUCCESS;
}

/* A handle is the address of a row: of a GPU, or of a MIG device. */
static const struct mig *mig_of(nvmlDevice_t device)
{
    const struct mig *row = (const struct mig *)device;
    return row >= migs && row < migs + COUNT_migs ? row : NULL;
}

static const struct gpu *gpu_of(nvmlDevice_t device)
{
    const struct gpu *row = (const struct gpu *)device;
    return row >= gpus && row < gpus + COUNT_gpus ? row : NULL;
}

static nvmlReturn_t refuse(const char *call, nvmlDevice_t device)
{
    if (!users)
        return NVML_ERROR_UNINITIALIZED;
    if (gpu_of(device))
        return fault(call, gpu_of(device) - gpus);
    return mig_of(device) ? fault(call, mig_of(device)->gpu) : NVML_ERROR_INVALID_ARGUMENT;
}

/* Leave a function that serves both kinds of handle, or GPUs only, where the host refuses the call. */
#define ASK(device) do { nvmlReturn_t no = refuse(__func__, device); if (no) return no; } while (0)
#define ASK_GPU(device) ASK(device); if (!gpu_of(device)) return NVML_ERROR_NOT_SUPPORTED
#define ASK_SYSTEM() do { if (!users) return NVML_ERROR_UNINITIALIZED; nvmlReturn_t no = fault(__func__, EVERY_GPU); if (no) return no; } while (0)
#define ANSWER(value, pointer) do { if ((long long)(value) == ABSENT) return NVML_ERROR_NOT_SUPPORTED; *(pointer) = (value); return NVML_SUCCESS; } while (0)

static nvmlReturn_t text(const char *from, char *to, unsigned length)
{
    if (!to)
        return NVML_ERROR_INVALID_ARGUMENT;
    if (strlen(from) + 1 > length)
        return NVML_ERROR_INSUFFICIENT_SIZE;
    strcpy(to, from);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlInitWithFlags(unsigned int flags)
{
    nvmlReturn_t no = fault("nvmlInit_v2", EVERY_GPU);
    (void)flags;
    users += no == NVML_SUCCESS;
    return no;
}

nvmlReturn_t nvmlInit_v2(void)
{
    return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlShutdown(void)
{
    if (!users)
        return NVML_ERROR_UNINITIALIZED;
    users--;
    return NVML_SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t result)
{
    static const char *const texts[] = {
        "Success", "Uninitialized", "Invalid Argument", "Not Supported", "Insufficient Permissions", "Already Initialized", "Not Found",
        "Insufficient Size", "Insufficient External Power", "Driver Not Loaded", "Timeout", "Interrupt Request Issue",
        "NVML Shared Library Not Found", "Function Not Found", "Corrupted infoROM", "GPU is lost", "GPU requires reset",
        "GPU access blocked by the operating system", "Driver/library version mismatch", "In use by another client",
        "Insufficient memory", "No data", "Operation not available due to ECC mode", "Insufficient resources", "Frequency not supported",
        "Argument version mismatch", "Deprecated functionality", "Not ready",
    };
    return (unsigned)result < sizeof texts / sizeof texts[0] ? texts[result] : "Unknown Error";
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    ASK_SYSTEM();
    return text(DRIVER_VERSION, version, length);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length)
{
    return text(NVML_VERSION, version, length); /* the only call that needs no nvmlInit */
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    ASK_SYSTEM();
    ANSWER(CUDA_VERSION, version);
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length)
{
    ASK_SYSTEM();
    for (const struct process *row = processes; row < processes + COUNT_processes; row++) {
        if (row->pid == pid) {
            snprintf(name, length, "%s", row->name);
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count)
{
    ASK_SYSTEM();
    *count = COUNT_gpus;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device)
{
    if (index >= COUNT_gpus)
        return users ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_UNINITIALIZED;
    ASK((nvmlDevice_t)&gpus[index]);
    *device = (nvmlDevice_t)&gpus[index];
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length)
{
    ASK(device);
    return text(mig_of(device) ? mig_of(device)->uuid : gpu_of(device)->uuid, uuid, length);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length)
{
    ASK(device);
    return text(mig_of(device) ? mig_of(device)->name : gpu_of(device)->name, name, length);
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *architecture)
{
    ASK_GPU(device);
    ANSWER(gpu_of(device)->architecture, architecture);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
    ASK_GPU(device);
    *major = gpu_of(device)->major_capability;
    *minor = gpu_of(device)->minor_capability;
    return NVML_SUCCESS;
}

static nvmlReturn_t pci(const struct gpu *gpu, nvmlPciInfo_t *info)
{
    *info = (nvmlPciInfo_t){
        .domain = gpu->domain, .bus = gpu->bus, .device = gpu->device,
        .pciDeviceId = gpu->pci_device_id, .pciSubSystemId = gpu->pci_subsystem_id,
    };
    strcpy(info->busIdLegacy, gpu->bus_id_legacy);
    strcpy(info->busId, gpu->bus_id);
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *info)
{
    ASK_GPU(device);
    return pci(gpu_of(device), info);
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor)
{
    ASK_GPU(device);
    ANSWER(gpu_of(device)->minor, minor);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
    ASK_GPU(device);
    const struct gpu *gpu = gpu_of(device);
    if (memory->version != VERSION_OF(nvmlMemory_v2_t, 2))
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    memory->total = gpu->total;
    memory->reserved = gpu->reserved;
    memory->free = gpu->free;
    memory->used = gpu->used;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNumaNodeId(nvmlDevice_t device, unsigned int *node)
{
    ASK_GPU(device);
    (void)node;
    return NVML_ERROR_NOT_SUPPORTED; /* only where a GPU's memory is a node of its own: Grace */
}

nvmlReturn_t nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned int size, unsigned long *nodes, nvmlAffinityScope_t scope)
{
    ASK_GPU(device);
    if (!size || !nodes || scope > 1)
        return NVML_ERROR_INVALID_ARGUMENT;
    memset(nodes, 0, size * sizeof *nodes);
    nodes[0] = gpu_of(device)->nodes;
    return nodes[0] ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t device, unsigned int size, unsigned long *cpus, nvmlAffinityScope_t scope)
{
    ASK_GPU(device);
    if (!size || !cpus || scope > 1)
        return NVML_ERROR_INVALID_ARGUMENT;
    memset(cpus, 0, size * sizeof *cpus);
    for (unsigned word = 0; word < LAST_WORD(gpus->cpus); word++) {
        unsigned long bits = gpu_of(device)->cpus[word];
        if (word < size)
            cpus[word] = bits;
        else if (bits)
            return NVML_ERROR_INSUFFICIENT_SIZE;
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned int *generation)
{
    ASK_GPU(device);
    ANSWER(gpu_of(device)->generation_max, generation);
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned int *generation)
{
    ASK_GPU(device);
    ANSWER(gpu_of(device)->generation_current, generation);
}

nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned int *width)
{
    ASK_GPU(device);
    ANSWER(gpu_of(device)->width_max, width);
}

nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned int *width)
{
    ASK_GPU(device);
    ANSWER(gpu_of(device)->width_current, width);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int *milliwatts)
{
    ASK_GPU(device);
    ANSWER(gpu_of(device)->power_limit, milliwatts);
}

nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned int *milliwatts)
{
    ASK_GPU(device);
    ANSWER(gpu_of(device)->power_default, milliwatts);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned int *least, unsigned int *most)
{
    ASK_GPU(device);
    *least = gpu_of(device)->power_min;
    *most = gpu_of(device)->power_max;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
    ASK_GPU(device);
    ANSWER(gpu_of(device)->persistence, mode);
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending)
{
    ASK_GPU(device);
    *pending = gpu_of(device)->mig;
    ANSWER(gpu_of(device)->mig, current);
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned int *count)
{
    ASK_GPU(device);
    *count = gpu_of(device)->mig == 1 ? 7 : 0;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned int index, nvmlDevice_t *mig)
{
    ASK_GPU(device);
    for (const struct mig *row = migs; row < migs + COUNT_migs; row++) {
        if (row->gpu == gpu_of(device) - gpus && index-- == 0) {
            *mig = (nvmlDevice_t)row;
            return NVML_SUCCESS;
        }
    }
    return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t *attributes)
{
    ASK(device);
    const struct mig *mig = mig_of(device);
    if (!mig)
        return NVML_ERROR_NOT_SUPPORTED;
    *attributes = (nvmlDeviceAttributes_t){.multiprocessorCount = mig->multiprocessors, .memorySizeMB = mig->memory_mib};
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current, nvmlEnableState_t *pending)
{
    ASK_GPU(device);
    *pending = gpu_of(device)->ecc;
    ANSWER(gpu_of(device)->ecc, current);
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type, nvmlEccCounterType_t counter, unsigned long long *count)
{
    ASK_GPU(device);
    if (type > 1 || counter > 1)
        return NVML_ERROR_INVALID_ARGUMENT;
    long long errors = counter ? gpu_of(device)->ecc_aggregate : gpu_of(device)->ecc_volatile;
    if (type == 0 && errors != ABSENT)
        errors = 0; /* no story tells of corrected errors */
    ANSWER(errors, count);
}

nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned int *corrected, unsigned int *uncorrected, unsigned int *pending, unsigned int *failed)
{
    ASK_GPU(device);
    if (gpu_of(device)->remap_pending == ABSENT)
        return NVML_ERROR_NOT_SUPPORTED;
    *corrected = *uncorrected = 0;
    *pending = gpu_of(device)->remap_pending;
    *failed = gpu_of(device)->remap_failure;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values)
{
    ASK_GPU(device);
    for (nvmlFieldValue_t *field = values; field < values + count; field++) {
        if (field->fieldId != FIELD_RECOVERY_ACTION) {
            field->nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
            continue;
        }
        field->nvmlReturn = NVML_SUCCESS;
        field->valueType = 1; /* unsigned int */
        field->value.uiVal = gpu_of(device)->recovery;
    }
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t *info)
{
    ASK_GPU(device);
    const struct gpu *gpu = gpu_of(device);
    if (gpu->fabric_state == ABSENT)
        return NVML_ERROR_NOT_SUPPORTED;
    int third = FABRIC_VERSION >= 3 && info->version == VERSION_OF(nvmlGpuFabricInfo_v3_t, 3);
    if (!third && info->version != VERSION_OF(nvmlGpuFabricInfo_v2_t, 2))
        return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    memcpy(info->clusterUuid, gpu->cluster_uuid, sizeof info->clusterUuid);
    info->status = gpu->fabric_status;
    info->cliqueId = gpu->clique_id;
    info->state = gpu->fabric_state;
    info->healthMask = 0; /* no detail is told */
    if (third)
        info->healthSummary = gpu->fabric_health;
    return NVML_SUCCESS;
}

static const struct link *link_of(nvmlDevice_t device, unsigned int link)
{
    return (int)link < gpu_of(device)->link_count ? &links[gpu_of(device)->links + link] : NULL;
}

/* nvml.h: NOT_SUPPORTED where the card has no NVLink, INVALID_ARGUMENT beyond its last one. */
#define ASK_LINK(device, link) ASK_GPU(device); if (!gpu_of(device)->link_count) return NVML_ERROR_NOT_SUPPORTED; \
    if (!link_of(device, link)) return NVML_ERROR_INVALID_ARGUMENT

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int link, nvmlEnableState_t *active)
{
    ASK_LINK(device, link);
    *active = link_of(device, link)->up;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned int link, nvmlIntNvLinkDeviceType_t *type)
{
    ASK_LINK(device, link);
    if (!link_of(device, link)->up)
        return NVML_ERROR_NOT_SUPPORTED;
    *type = link_of(device, link)->peer == SWITCH ? 2 : 0; /* nvml.h, NVML_NVLINK_DEVICE_TYPE_SWITCH and _GPU */
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned int link, nvmlPciInfo_t *info)
{
    ASK_LINK(device, link);
    if (!link_of(device, link)->up)
        return NVML_ERROR_NOT_SUPPORTED;
    if (link_of(device, link)->peer != SWITCH)
        return pci(&gpus[link_of(device, link)->peer], info);
    *info = (nvmlPciInfo_t){.busIdLegacy = "0000:00:00.0", .busId = "00000000:00:00.0"}; /* a switch behind the driver's back */
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t one, nvmlDevice_t other, nvmlGpuTopologyLevel_t *level)
{
    ASK_GPU(one);
    ASK_GPU(other);
    *level = levels[(gpu_of(one) - gpus) * COUNT_gpus + (gpu_of(other) - gpus)];
    return NVML_SUCCESS;
}

/* With too small a buffer: the number needed and INSUFFICIENT_SIZE; that is how a caller asks for the number. */
static nvmlReturn_t running(nvmlDevice_t device, char kind, unsigned int *count, nvmlProcessInfo_t *infos)
{
    unsigned int room = *count, found = 0;
    for (const struct process *row = processes; row < processes + COUNT_processes; row++) {
        if (row->kind != kind || row->gpu != gpu_of(device) - gpus)
            continue;
        if (infos && found < room)
            infos[found] = (nvmlProcessInfo_t){row->pid, row->memory, NO_INSTANCE, NO_INSTANCE}; /* -1 = not available */
        found++;
    }
    *count = found;
    return found > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos)
{
    ASK_GPU(device);
    return running(device, 'C', count, infos);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos)
{
    ASK_GPU(device);
    return running(device, 'G', count, infos);
}

nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *infos)
{
    ASK_GPU(device);
    return running(device, 'M', count, infos);
}
