# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Which card it is: by its whole name, else by its PCI device id."""

import re
from typing import Dict, Optional

_NAMES: Dict[str, str] = {
    # The NVML name without "NVIDIA " and what stands for memory and form factor, lower case. GB200 is not B200 and
    # GH200 not H200: names are compared whole. KNOWLEDGE: nvidia-smi captures of each, NVML names of the cards.
    "b200": "b200",
    "b300": "b300",
    "b300 sxm6 ac": "b300",
    "gb200": "gb200",
    "gb300": "gb300",
    "rtx pro 6000 blackwell server edition": "rtx_pro_6000_server",
    "rtx pro 6000 blackwell workstation edition": "rtx_pro_6000_workstation",
    "rtx pro 6000 blackwell max-q workstation edition": "rtx_pro_6000_max_q",
    "h100": "h100",
    "h100 nvl": "h100_nvl",
    "h20": "h20",
    "h200": "h200",
    "h200 nvl": "h200_nvl",
    "gh200": "gh200",
    "a100": "a100",
    "a40": "a40",
    "l4": "l4",
    "l20": "l20",
    "l40": "l40",
    "l40s": "l40s",
    "v100": "v100",
    "t4": "t4",
    "gb10": "gb10",
    "rtx a6000": "rtx_a6000",
    "rtx 6000 ada generation": "rtx_6000_ada",
    "rtx 4000 ada generation": "rtx_4000_ada",
    "geforce rtx 3090": "rtx_3090",
    "geforce rtx 4090": "rtx_4090",
    "geforce rtx 5090": "rtx_5090",
}

_DEVICE_IDS: Dict[str, str] = {
    # Used where no driver gives a name. https://pci-ids.ucw.cz/read/PC/10de and the captures of KNOWLEDGE §1.
    "2901": "b200",
    "2909": "b200",
    "2941": "gb200",
    "2bb5": "rtx_pro_6000_server",
    "2bb1": "rtx_pro_6000_workstation",
    "2bb4": "rtx_pro_6000_max_q",
    "2330": "h100",
    "2335": "h200",
    "2342": "gh200",
    "20b0": "a100",
    "20b2": "a100",
    "2230": "rtx_a6000",
    "26b9": "l40s",
    "2b85": "rtx_5090",
}

_DETAIL = re.compile(r"^(\d+gb?|hbm\d+e?|sxm\d?|pcie)$")


def product_of(name: Optional[str], device_id: Optional[str]) -> Optional[str]:
    """Return the product of a card, or None for one that we do not know; a known id never overrules a strange name."""
    if name is None:
        return _DEVICE_IDS.get(device_id or "")
    bare = name.strip().lower()
    for maker in ("nvidia ", "tesla "):
        bare = bare[len(maker) :] if bare.startswith(maker) else bare
    model = " ".join(word for word in re.split("[ -]", bare) if not _DETAIL.match(word))
    return _NAMES.get(bare) or _NAMES.get(model)
