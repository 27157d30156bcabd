# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""What nvidia-smi prints: one Answer per command line."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.standin import topology, xml
from tests.standin.host import Gpu, Host

CSV = "--query-gpu=index,uuid,pci.bus_id,compute_cap --format=csv,noheader"

NO_DRIVER = (
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
    "Make sure that the latest NVIDIA driver is installed and running.\n"
)
# NVML's error when it starts: (exit code, text). The texts stand in shared reports of people's hosts.
REFUSALS = {
    4: (4, "Failed to initialize NVML: Insufficient Permissions"),
    9: (9, NO_DRIVER),
    13: (13, "Failed to initialize NVML: Function Not Found"),
    18: (18, "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: {short}"),
    999: (255, "Failed to initialize NVML: Unknown Error"),
}
LOST = {15: "GPU is lost.  Reboot the system to recover this GPU", 16: "GPU requires reset", 999: "Unknown Error"}

LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks
"""


@dataclass(frozen=True)
class Answer:
    """`marks` are what the script does besides printing: hang, ignore-term, flood-mib, orphan (see templates/nvidia-smi)."""

    stdout: bytes
    exit: int = 0
    stderr: bytes = b""
    marks: dict[str, str] = field(default_factory=dict)


def answers(host: Host) -> dict[str, Answer]:
    """Return the answer to each command line that the collection uses."""
    refusal = _refusal(host)
    wishes = host.faults.get("smi", {})
    given = {}
    for arguments, write in COMMANDS.items():
        answer = _spoil(refusal or write(host), wishes.get("*", {}))
        given[arguments] = _spoil(answer, wishes.get(arguments, {}))
    return given


def _refusal(host: Host) -> Answer | None:
    error = host.fault("nvmlInit_v2")
    if error == "hang":
        return Answer(b"", marks={"hang": ""})
    if error is not None:
        code, text = REFUSALS[error]
        short = ".".join(host.driver["version"].split(".")[:2])  # as the real tool prints it: two components
        return Answer((text.format(short=short) + "\n").encode(), code)
    if not host.gpus:
        return Answer(b"No devices were found\n", 6)
    return None


def _query(host: Host) -> Answer:
    for index, gpu in enumerate(host.gpus):
        error = host.fault("nvmlDeviceGetHandleByIndex_v2", index)
        if error is not None:  # one card without a handle, and the real tool describes none
            text = f"Unable to determine the device handle for GPU{gpu.bus.upper()}: {LOST[error]}\n"
            return Answer(text.encode(), min(error, 255))
    return Answer(xml.document(host).encode())


def _topo(host: Host) -> Answer:
    gpus = [f"GPU{index}" for index in range(len(host.gpus))]
    nics = [f"NIC{number}" for number in range(len(host.nics))]
    lines = ["\t\x1b[4m" + "\t".join([*gpus, *nics, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"]) + "\x1b[0m"]
    for row, gpu in enumerate(host.gpus):
        cells = [" X " if row == column else topology.path(host, row, column) for column in range(len(gpus))]
        cells += [topology.path_of(topology.place(gpu), nic) for nic in host.nics]
        numa = "N/A" if gpu.numa is None else str(gpu.numa)
        lines.append("\t".join([gpus[row], *cells, host.cpus(gpu.numa) or "N/A", numa, "", "N/A"]))
    for row, nic in enumerate(host.nics):
        cells = [topology.path_of(nic, topology.place(gpu)) for gpu in host.gpus]
        cells += [" X " if row == column else topology.path_of(nic, other) for column, other in enumerate(host.nics)]
        lines.append("\t".join([nics[row], *cells, "", "", "", ""]))
    text = "\n".join(lines) + "\n" + LEGEND
    if nics:
        text += "\nNIC Legend:\n\n" + "".join(f"  {nic}: {row['device']}\n" for nic, row in zip(nics, host.nics))
    return Answer((text + "\n").encode())


def _nvlink(host: Host) -> Answer:
    lines = []
    for index, gpu in enumerate(host.gpus):
        lines.append(f"GPU {index}: {gpu.name} (UUID: {gpu.uuid})")
        rows = topology.links(host, index)
        if not rows:
            lines.append("Device does not have or support Nvlink")
        elif not any(row["up"] for row in rows):
            lines.append("NVML: Unable to retrieve Nvlink information as all links are inActive")
        else:
            speeds = [f"{gpu.nvlink_speed} GB/s" if row["up"] else "<inactive>" for row in rows]
            lines += [f"\t Link {link}: {speed}" for link, speed in enumerate(speeds)]
    return Answer(("\n".join(lines) + "\n").encode())


def _csv(host: Host) -> Answer:
    return Answer("".join(_csv_row(index, gpu) for index, gpu in enumerate(host.gpus)).encode())


def _csv_row(index: int, gpu: Gpu) -> str:
    return f"{index}, {gpu.uuid}, {xml.bus_id(gpu.bus)}, {gpu.compute}\n"


COMMANDS: dict[str, Callable[[Host], Answer]] = {"-q -x": _query, "topo -m": _topo, "nvlink -s": _nvlink, CSV: _csv}


def _spoil(answer: Answer, wish: dict[str, Any]) -> Answer:
    """Apply what a host.yml wishes under faults.smi for one command line (or * for all)."""
    stdout = wish["stdout"].encode() if "stdout" in wish else answer.stdout
    for old, new in wish.get("replace", []):
        stdout, count = re.subn(old.encode(), new.encode("latin-1" if wish.get("latin1") else "utf-8"), stdout)
        if not count:
            raise ValueError(f"faults.smi.replace: {old!r} is not in the output, nothing would be spoiled")
    if "keep" in wish:  # a share of the output, as of a tool that dies while printing
        stdout = stdout[: int(len(stdout) * wish["keep"])]
    marks = {mark: str(wish[key]) for key, mark in MARKS.items() if wish.get(key)}
    stderr = wish.get("stderr", "").encode() or answer.stderr
    code = wish.get("exit", answer.exit)
    return replace(answer, stdout=stdout, exit=code, stderr=stderr, marks={**answer.marks, **marks})


MARKS = {"hang": "hang", "ignore_term": "ignore-term", "flood_mib": "flood-mib", "orphan": "orphan"}
