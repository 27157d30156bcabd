# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The right readings of the public reports in ../shared/corpus, written by hand from its INDEX.md."""

from __future__ import annotations

NO_COLUMN = None
"""This nvidia-smi prints no such column."""

BLANK = ""
"""The column is there and its cell is blank: unknown."""


def tails(*rows):
    """Rows of (how many GPUs, CPU affinity, NUMA affinity, GPU NUMA ID)."""
    return [row[1:] for row in rows for unused in range(row[0])]


TOPOLOGY = {
    # file: (pairs by path, "*" for the rest; NICs; what follows the matrix in each GPU's row)
    "01-b200-8-nonic": ({"*": "NV18"}, 0, tails((4, "0-55,112-167", "0", "N/A"), (4, "56-111,168-223", "1", "N/A"))),
    "02-b200-8-12nic": (
        {"*": "NV18"},
        12,
        tails(
            (2, "0-27,112-139", "0", "N/A"),
            (2, "28-55,140-167", "1", "N/A"),
            (2, "56-83,168-195", "2", "N/A"),
            (2, "84-111,196-223", "3", "N/A"),
        ),
    ),
    "03-b200-8-2nic": ({"*": "NV18"}, 2, tails((4, "0-55,112-167", "0", "N/A"), (4, "56-111,168-223", "1", "N/A"))),
    "05-gb200-4-numaid": (
        {"*": "NV18"},
        4,
        [("0-71", "0", "2"), ("0-71", "0", "10"), ("72-143", "1", "18"), ("72-143", "1", "26")],
    ),
    "06-l20-2gpu-62nic": ({"*": "SYS"}, 62, [(BLANK, BLANK, "N/A"), ("88-91,184-187", "1", "N/A")]),
    "07-h100-1gpu-61nic": ({}, 63, [("56-111,168-223", "1", "N/A")]),
    "08-h100-5of8": ({"*": "NV18"}, 12, tails((1, "0-55,112-167", "0", NO_COLUMN), (4, "56-111,168-223", "1", NO_COLUMN))),
    "09-v100-hcm-8": (
        {
            "NV2": "0-1 0-2 1-5 2-3 3-7 4-5 4-6 6-7",
            "NV1": "0-3 0-4 1-2 1-3 2-6 4-7 5-6 5-7",
            "NODE": "0-5 0-6 0-7 1-4 1-6 1-7 2-4 2-5 2-7 3-4 3-5 3-6",
        },
        0,
        tails((8, "20-39", "1", "N/A")),
    ),
    "13-a6000-8-nv4-pairs": (
        {"NV4": "0-1 2-3 4-5 6-7", "*": "SYS"},
        0,
        tails((4, "0-13,56-69", "0", "N/A"), (4, "14-27,70-83", "1", "N/A")),
    ),
    "14-a6000-2-nv4": ({"*": "NV4"}, 0, tails((2, "0-191", "0", "N/A"))),
    "15-a6000-8-nonvlink": ({"*": "SYS"}, 0, tails((4, "0-15,32-47", "0", "N/A"), (4, "16-31,48-63", "1", "N/A"))),
    "16-a100pcie-mlx5-col": ({}, 1, [("72-95", "3", NO_COLUMN)]),
    "19-a100-numa-na": ({}, 2, [("0-23", "N/A", "N/A")]),
    "20-h20-numa-range": ({"*": "NV18"}, 0, tails((8, "0-127", "0-1", "N/A"))),
    "22-4080-10gpu": (
        {
            "PIX": "0-1 2-3 2-4 3-4 5-6 7-8 7-9 8-9",
            "NODE": "0-2 0-3 0-4 1-2 1-3 1-4 5-7 5-8 5-9 6-7 6-8 6-9",
            "*": "SYS",
        },
        0,
        tails((5, "0-15,32-47", "0", "N/A"), (5, "16-31,48-63", "1", "N/A")),
    ),
    "23-h100-glued-0NA": ({"*": "NV18"}, 19, tails((4, "0-55,112-167", "0", "N/A"), (4, "56-111,168-223", "1", "N/A"))),
    "25-h100nvl-4": ({"NV12": "0-1 2-3", "*": "PHB"}, 0, tails((4, "0-253", "0-1", "N/A"))),
    "26-rtxpro6000ws-1": ({}, 0, [("0-31", "0", "N/A")]),
    "27-mixed-3090-5090-6": (
        {"PHB": "2-3 4-5", "NODE": "0-1 0-2 0-3 0-4 0-5 1-2 1-3 1-4 1-5 2-4 2-5 3-4 3-5"},
        0,
        tails((6, "0-47", "0", "N/A")),
    ),
    "28-h200-mig-1": ({}, 2, [("2,66", "0", "N/A")]),
    "29-vgpu-a100-40c-3": ({"*": "PIX"}, 0, tails((3, "0-31", "0-1", "N/A"))),
    "30-a100-truncated-row": ({"*": "NV12"}, 9, tails((4, "0-47", "0", "N/A"), (4, "48-95", "1", "N/A"))),
    "32-a100-3of8": ({"*": "NV12"}, 1, tails((2, "0-31,64-95", "0", NO_COLUMN), (1, "32-63,96-127", "1", NO_COLUMN))),
    "33-h20-8-8nic": ({"*": "NV18"}, 8, tails((4, "0-95,192-287", "0", "N/A"), (4, "96-191,288-383", "1", "N/A"))),
    "34-rtx4000ada-8-blank": ({"*": "SYS"}, 0, tails((8, BLANK, BLANK, "N/A"))),
    "35-l20y-cutlist": ({"*": "NV8"}, 8, tails((4, "0,2,4,6,8,10", "0", "N/A"), (4, "1,3,5,7,9,11", "1", "N/A"))),
    "36-a100-numa-na-8": ({"*": "NV12"}, 4, tails((8, "0-63", "N/A", "N/A"))),
    "38-rtxpro6000se-8-nic-ansi-stripped": (
        {"NODE": "0-1 0-2 0-3 1-2 1-3 2-3 4-5 4-6 4-7 5-6 5-7 6-7", "*": "SYS"},
        1,
        tails((4, "0-63,128-191", "0", "N/A"), (4, "64-127,192-238", "1", "N/A")),
    ),
    "41-h100-1-ansi": ({}, 0, [("0-19", "0", "N/A")]),
    "52-rtxpro6000ws-2-phb": ({"*": "PHB"}, 0, tails((2, "0-63", "0", "N/A"))),
    "53-rtxpro6000ws-2-no-numaid": ({"*": "PHB"}, 0, tails((2, "0-13", "0", NO_COLUMN))),
    "54-a100-2-mlx5-tabs": ({"*": "NV12"}, 8, tails((2, "48-95,144-191", "1", NO_COLUMN))),
    "56-rtx6000ada-4-4nic": (
        {"NODE": "0-1 2-3", "*": "SYS"},
        4,
        tails((2, "0-31", "0", "N/A"), (2, "32-63", "1", "N/A")),
    ),
}

PASTED = {
    # where the paste lost what the tool printed: "0N/A" is no NUMA node, and what else stands there is unknown too
    "23-h100-glued-0NA": tails((8, BLANK, BLANK, BLANK)),
}

NIC_PATHS = {
    # file: (NIC, device, its path to each GPU)
    "16-a100pcie-mlx5-col": [("mlx5_0", "mlx5_0", "SYS")],
    "05-gb200-4-numaid": [
        ("NIC0", "mlx5_0", "NODE NODE SYS SYS"),
        ("NIC1", "mlx5_1", "NODE NODE SYS SYS"),
        ("NIC2", "mlx5_4", "SYS SYS NODE NODE"),
        ("NIC3", "mlx5_5", "SYS SYS NODE NODE"),
    ],
    "38-rtxpro6000se-8-nic-ansi-stripped": [("NIC0", "rocep49s0", "NODE NODE NODE NODE SYS SYS SYS SYS")],
    "54-a100-2-mlx5-tabs": [
        ("mlx5_0", "mlx5_0", "SYS SYS"),
        ("mlx5_1", "mlx5_1", "SYS SYS"),
        ("mlx5_2", "mlx5_2", "SYS SYS"),
        ("mlx5_3", "mlx5_3", "SYS SYS"),
        ("mlx5_4", "mlx5_4", "NODE NODE"),
        ("mlx5_5", "mlx5_5", "NODE NODE"),
        ("mlx5_6", "mlx5_6", "PXB PXB"),
        ("mlx5_7", "mlx5_7", "PXB PXB"),
    ],
}

NVLINK = {
    # file: (links up, links in all) of each GPU; None where the tool does not tell
    "44-h200-nvlink-s": [(18, 18)],
    "46-l40s-nvlink-s": [(None, None)],
    "47-2080-nvlink-inactive": [(0, None)],
    "49-a100-8-nvlink-s": [(12, 12)] * 8,
}

NO_FABRIC = {"state": None, "status": None, "health": None, "clique_id": None, "cluster_uuid": None}


def registered(clique_id, health, cluster_uuid="00000000-0000-0000-0000-000000000000"):
    return {
        "state": "completed",
        "status": "success",
        "health": health,
        "clique_id": clique_id,
        "cluster_uuid": cluster_uuid,
    }


LOGS = {
    # file: (driver, CUDA, bus ids in document order, what each GPU is)
    "01-b200-hw-qx": (
        ("580.105.08", "13.0"),
        "8f 90 96 97 c4 c5 cb cc",
        {
            "name": "NVIDIA B200",
            "product": "b200",
            "architecture": "blackwell",
            "pci_device_id": "2901",
            "memory_total_mib": 183359,
            "mig_mode": "disabled",
            "recovery_action": "none",
            "fabric": registered(0, "healthy"),
        },
    ),
    "02-gb200-hw-qx": (
        ("580.173.02", "13.0"),
        "29 3f 9c b2",
        {
            "name": "NVIDIA GB200",
            "product": "gb200",
            "architecture": "blackwell",
            "pci_device_id": "2941",
            "memory_total_mib": 189471,
            "mig_mode": "disabled",
            "recovery_action": "none",
            "fabric": registered(2, "healthy", "00000001-0000-0000-0000-000000000001"),
        },
    ),
    "04-h100-hw-qx": (
        ("580.105.08", "13.0"),
        "53 64 75 86 97 a8 b9 ca",
        {
            "name": "NVIDIA H100 80GB HBM3",
            "product": "h100",
            "architecture": "hopper",
            "pci_device_id": "2330",
            "memory_total_mib": 81559,
            "mig_mode": "disabled",
            "recovery_action": "none",
            "fabric": registered(0, None),
        },
    ),
    "05-a100-hw-qx": (
        ("570.148.08", "12.8"),
        "06",
        {
            "name": "NVIDIA A100-SXM4-40GB",
            "product": "a100",
            "architecture": "ampere",
            "pci_device_id": "20b0",
            "memory_total_mib": 40960,
            "mig_mode": "disabled",
            "recovery_action": "none",
            "fabric": NO_FABRIC,
        },
    ),
    "06-l40s-hw-qx": (
        ("595.91.07", "13.2"),
        "30",
        {
            "name": "NVIDIA L40S",
            "product": "l40s",
            "architecture": "ada_lovelace",
            "pci_device_id": "26b9",
            "memory_total_mib": 46068,
            "mig_mode": None,
            "recovery_action": "none",
            "fabric": NO_FABRIC,
        },
    ),
    "08-gb200-fabric-degraded-qx": (
        ("580.65.06", "13.0"),
        "0a 0b",
        {
            "name": "NVIDIA GB200",
            "product": "gb200",
            "architecture": "blackwell",
            "memory_total_mib": 196608,
            "mig_mode": "disabled",
            "recovery_action": None,
        },
    ),
    "09-gb200-ecc-injected-qx": (
        ("580.65.06", "13.0"),
        "0a 0b",
        {
            "name": "NVIDIA GB200",
            "product": "gb200",
            "architecture": "blackwell",
            "memory_total_mib": 196608,
            "mig_mode": "disabled",
            "recovery_action": None,
            "fabric": registered(0, None, "00000000-0000-0000-0000-000000000001"),
        },
    ),
}
