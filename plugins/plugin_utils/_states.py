# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# This plugin utility is private to the inference.recon collection:
# it may change in any way at any time, without notice.

from __future__ import annotations

"""Each state of a host as a plain answer with its next step: one table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class State:
    """What a state means to a person. `rank` orders the fleet, worst first; `label` is short, upper case if it stops one."""

    rank: int
    label: str
    answer: str
    step: str = "-"


STATES: dict[str, State] = {
    # What each state rests on stands in the decision table of the documentation.
    "unknown": State(0, "UNKNOWN", "could not be told", "see the problems"),
    "unresponsive": State(1, "HANGS", "the driver gives no answer in time", "reboot; inside a container: return the box"),
    "driver_library_mismatch": State(
        2, "MISMATCH", "the driver's libraries do not fit the loaded kernel module", "reboot into the installed driver"
    ),
    "access_denied": State(
        3,
        "DENIED",
        "the driver refuses us its devices",
        "survey as root; a container has lost its devices: restart it",
    ),
    "no_devices": State(4, "NO_DEVICES", "the driver runs and finds no GPU", "look why: dmesg | grep -i nvrm; then reboot"),
    "driver_not_loaded": State(5, "NOT_LOADED", "the driver is installed and its kernel module not loaded", "modprobe nvidia"),
    "library_missing": State(
        6,
        "NO_LIBRARY",
        "the kernel module is loaded, the driver's libraries are missing",
        "start the container with its driver libraries (NVIDIA_DRIVER_CAPABILITIES=compute,utility)",
    ),
    "driver_missing": State(7, "NO_DRIVER", "GPUs on the bus, no driver", "install the NVIDIA driver"),
    "degraded": State(8, "DEGRADED", "a GPU is lost, unreadable or missing", "reboot; if it stays: return the box"),
    "unreachable": State(9, "UNREACHED", "not reached", "see why"),
    "no_gpu": State(10, "no_gpu", "no NVIDIA GPU on this machine"),
    "ok": State(11, "ok", "every GPU answers"),
}


def state_of(name: str) -> State:
    """Return the row of a state; one that a newer target invents is no better than unknown."""
    return STATES.get(name, STATES["unknown"])
