/* Copyright (c) 2026, The inference.recon authors
 * GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rows of host_data.h, which libraries.py writes from a host.yml. -1 = the card does not have it. */

enum { ABSENT = -1, HANG = -1, CORRUPT = -2, EVERY_GPU = -1, SWITCH = 99 }; /* as in libraries.py */

struct gpu {
    const char *uuid, *name, *bus_id, *bus_id_legacy;
    unsigned domain, bus, device, pci_device_id, pci_subsystem_id, minor, architecture;
    int major_capability, minor_capability;
    unsigned long long total, reserved, used, free;
    unsigned long cpus[16], nodes;
    unsigned generation_max, generation_current, width_max, width_current;
    unsigned power_limit, power_default, power_min, power_max;
    int persistence, mig, ecc;
    long long ecc_volatile, ecc_aggregate;
    int remap_pending, remap_failure;
    unsigned recovery;
    int fabric_state, fabric_status, fabric_health;
    unsigned clique_id;
    unsigned char cluster_uuid[16];
    int links, link_count; /* its rows in `links` */
};

struct link { int up, peer; }; /* peer: a GPU's index, SWITCH, or -1 */
struct mig { int gpu; const char *uuid, *name; unsigned long long memory_mib; unsigned multiprocessors; };
struct process { int gpu; unsigned pid; const char *name; char kind; long long memory; }; /* kind: C, G, M */
struct fault { const char *call; int gpu, error; };
