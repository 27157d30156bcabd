/* Copyright (c) 2026, The inference.recon authors
 * GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stand-in libcuda.so.1: the few calls of a check that a card computes, answered from host_data.h.
 * A "copy" really copies, and an error comes where the host's story has it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_CONTEXT = 201 };
#define MAX_GPUS 64

static int visible[MAX_GPUS], visible_count, initialized;
static int *current; /* a context is the address of its row in visible */

/* CUDA C Programming Guide, CUDA_VISIBLE_DEVICES: indexes or UUIDs; a UUID may be cut as long as it names one card;
 * what follows the first invalid entry is not looked at. */
static int gpu_named(const char *word)
{
    char *end;
    long index = strtol(word, &end, 10);
    if (end != word && !*end)
        return index >= 0 && index < COUNT_gpus ? (int)index : -1;
    int found = -1;
    for (int gpu = 0; gpu < COUNT_gpus; gpu++) {
        if (strlen(word) > 4 && !strncmp(gpus[gpu].uuid, word, strlen(word))) {
            if (found >= 0)
                return -1;
            found = gpu;
        }
    }
    return found;
}

static void see(void)
{
    const char *wish = getenv("CUDA_VISIBLE_DEVICES");
    visible_count = 0;
    if (!wish) {
        while (visible_count < COUNT_gpus) {
            visible[visible_count] = visible_count;
            visible_count++;
        }
        return;
    }
    char *copy = strdup(wish), *rest = copy, *word;
    while ((word = strsep(&rest, ",")) && visible_count < MAX_GPUS) {
        int gpu = gpu_named(word);
        if (gpu < 0)
            break;
        visible[visible_count++] = gpu;
    }
    free(copy);
}

static int fault(const char *call, int gpu)
{
    for (const struct fault *row = cuda_faults; row->call; row++) {
        if (strcmp(row->call, call) || (row->gpu != EVERY_GPU && row->gpu != gpu))
            continue;
        while (row->error == HANG)
            pause();
        return row->error;
    }
    return SUCCESS;
}

int cuInit(unsigned int flags)
{
    if (flags)
        return INVALID_VALUE;
    see();
    if (!visible_count)
        return NO_DEVICE;
    for (int place = 0; place < visible_count; place++) {
        int error = fault(__func__, visible[place]);
        if (error)
            return error;
    }
    initialized = 1;
    return SUCCESS;
}

int cuDriverGetVersion(int *version)
{
    *version = CUDA_VERSION;
    return SUCCESS; /* the only call that needs no cuInit */
}

int cuDeviceGetCount(int *count)
{
    *count = visible_count;
    return initialized ? SUCCESS : NOT_INITIALIZED;
}

static int refuse(const char *call, int device)
{
    if (!initialized)
        return NOT_INITIALIZED;
    return device >= 0 && device < visible_count ? fault(call, visible[device]) : INVALID_DEVICE;
}

static int refuse_current(const char *call)
{
    if (!initialized)
        return NOT_INITIALIZED;
    return current ? fault(call, *current) : INVALID_CONTEXT;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return refuse(__func__, ordinal);
}

int cuDeviceGetPCIBusId(char *bus_id, int length, int device)
{
    int error = refuse(__func__, device);
    if (!error)
        snprintf(bus_id, length, "%s", gpus[visible[device]].bus_id_legacy);
    return error;
}

int cuDevicePrimaryCtxRetain(int **context, int device)
{
    int error = refuse(__func__, device);
    if (!error)
        *context = &visible[device];
    return error;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    return refuse(__func__, device);
}

int cuCtxSetCurrent(int *context)
{
    if (!initialized)
        return NOT_INITIALIZED;
    current = context;
    return context ? fault(__func__, *context) : SUCCESS;
}

int cuMemAlloc_v2(unsigned long long *address, size_t size)
{
    int error = refuse_current(__func__);
    if (error)
        return error;
    *address = (unsigned long long)malloc(size);
    return *address ? SUCCESS : OUT_OF_MEMORY;
}

int cuMemFree_v2(unsigned long long address)
{
    int error = refuse_current(__func__);
    if (!error)
        free((void *)address);
    return error;
}

static int copy(int error, void *to, const void *from, size_t size)
{
    if (error && error != CORRUPT)
        return error;
    memcpy(to, from, size);
    if (error == CORRUPT && size)
        ((unsigned char *)to)[size / 2] ^= 1; /* one bit, and success all the same */
    return SUCCESS;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t size)
{
    return copy(refuse_current(__func__), (void *)to, from, size);
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size)
{
    return copy(refuse_current(__func__), to, (const void *)from, size);
}

int cuGetErrorName(int error, const char **name)
{
    static const struct { int error; const char *name; } names[] = {
        {0, "CUDA_SUCCESS"}, {1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"}, {3, "CUDA_ERROR_NOT_INITIALIZED"},
        {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"}, {100, "CUDA_ERROR_NO_DEVICE"}, {101, "CUDA_ERROR_INVALID_DEVICE"},
        {201, "CUDA_ERROR_INVALID_CONTEXT"}, {214, "CUDA_ERROR_ECC_UNCORRECTABLE"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {719, "CUDA_ERROR_LAUNCH_FAILED"}, {802, "CUDA_ERROR_SYSTEM_NOT_READY"}, {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
        {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"}, {999, "CUDA_ERROR_UNKNOWN"},
    };
    *name = NULL;
    for (size_t row = 0; row < sizeof names / sizeof names[0]; row++)
        if (names[row].error == error)
            *name = names[row].name;
    return *name ? SUCCESS : INVALID_VALUE;
}
