# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This module utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""The health of a GPU's fabric in one word, from its summary and the details below it (nvml.h, nvmlGpuFabricInfo_v3_t)."""

from typing import Dict

from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import (
    MISSING,
    NOT_SUPPORTED,
    UNREADABLE,
    Cell,
)

_SUMMARY = {"healthy": "healthy", "unhealthy": "unhealthy", "limited capacity": "limited_capacity", "n/a": ""}

_DETAILS = {
    # (element of nvidia-smi -q -x): (words of a healthy one, words of an unhealthy one); N/A says nothing
    "bandwidth": (("full",), ("degraded",)),
    "route_recovery_in_progress": (("false",), ("true",)),
    "route_unhealthy": (("false",), ("true",)),
    "access_timeout_recovery": (("false",), ("true",)),
}


def fabric_health(words: Dict[str, str], with_summary: bool) -> Cell:
    """Weigh `<health>`: any bad detail is unhealthy whatever the summary says.

    `words` are the texts of its elements by name; `with_summary` says that this driver should print a summary.
    """
    read = {name: text.strip().lower() for name, text in words.items()}
    expected = list(_DETAILS) + ["summary"] * with_summary
    for name in expected + list(read):
        if not read.get(name):
            return None, "%s: <fabric/health/%s>" % (MISSING, name)
    good, bad = False, False
    for name, (healthy, unhealthy) in _DETAILS.items():
        word = read[name]
        if word not in healthy + unhealthy + ("n/a",):
            return None, "%s: fabric health %s: %s" % (UNREADABLE, name, word)
        good, bad = good or word in healthy, bad or word in unhealthy
    bad = bad or read.get("incorrect_configuration", "n/a") not in ("n/a", "none")
    summary = _SUMMARY.get(read.get("summary", "n/a"))
    if summary is None:
        return None, "%s: fabric health summary: %s" % (UNREADABLE, read["summary"])
    if bad:
        return "unhealthy", ""
    if summary:
        return summary, ""
    return ("healthy", "") if good else (None, NOT_SUPPORTED)
