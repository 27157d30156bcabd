# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""The doubles of libnvidia-ml.so.1 and libcuda.so.1: nvml.c and cuda.c, compiled with a host's data."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.standin import topology
from tests.standin.host import Gpu, Host

SOURCES = Path(__file__).parent
MIB = 1 << 20
ARCHITECTURES = {"Turing": 6, "Ampere": 7, "Ada Lovelace": 8, "Hopper": 9, "Blackwell": 10}
# nvml.h: NVML_GPU_FABRIC_STATE_*, nvmlReturn_t, NVML_GPU_FABRIC_HEALTH_SUMMARY_*, nvmlDeviceGpuRecoveryAction_t
STATES = {"Not Supported": 0, "Not Started": 1, "In Progress": 2, "Completed": 3}
STATUSES = {"Success": 0, "Insufficient Resources": 23, "Not Ready": 27, "Unknown Error": 999}
HEALTHS = {"N/A": 0, "Healthy": 1, "Unhealthy": 2, "Limited Capacity": 3}
RECOVERY = {"None": 0, "Reset": 1, "Reboot": 2, "Drain P2P": 3, "Drain and Reset": 4}
LIBRARY_FOLDER = "usr/lib/x86_64-linux-gnu"
COMPAT_FOLDER = "usr/local/cuda/compat"
# error codes of host_data.h that no driver has
HANG, CORRUPT = -1, -2
SWITCH = 99
ABSENT = -1  # what the card does not have


def write(root: Path, host: Host) -> None:
    folder = root / LIBRARY_FOLDER
    folder.mkdir(parents=True)
    (root / "lib").mkdir()
    header = root / "host_data.h"
    header.write_text(data(host))
    for source, name in (("nvml.c", "libnvidia-ml.so"), ("cuda.c", "libcuda.so")):
        real = folder / f"{name}.{host.driver['version']}"
        _compile(SOURCES / source, header, real, f"{name}.1", host.faults.get("absent", []))
        (folder / f"{name}.1").symlink_to(real.name)
        (root / "lib" / f"{name}.1").symlink_to(f"../{LIBRARY_FOLDER}/{real.name}")
    header.unlink()
    if "compat" in host.driver:
        _put_compat_first(root, folder / f"libcuda.so.{host.driver['version']}", host.driver["compat"])


def _put_compat_first(root: Path, library: Path, version: str) -> None:
    """Let the loader take the libcuda of a container image's own, as its ld.so.conf would."""
    compat = root / COMPAT_FOLDER / f"libcuda.so.{version}"
    compat.parent.mkdir(parents=True)
    shutil.copy(library, compat)
    (compat.parent / "libcuda.so.1").symlink_to(compat.name)
    (root / "lib/libcuda.so.1").unlink()
    (root / "lib/libcuda.so.1").symlink_to(f"../{COMPAT_FOLDER}/{compat.name}")


def _compile(source: Path, header: Path, target: Path, soname: str, absent: list[str]) -> None:
    command = ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-include", str(header)]
    # Under another name a function is not found: as in a driver too old to have it.
    command += [f"-D{name}=hidden_{name}" for name in absent]
    subprocess.run([*command, f"-Wl,-soname,{soname}", "-o", str(target), str(source)], check=True)


def data(host: Host) -> str:
    """Return host_data.h: the rows whose types types.h declares."""
    cuda = host.driver["cuda"].split(".")
    gpus = host.gpus
    pairs = [[_level(gpus[row], gpus[column]) for column in range(len(gpus))] for row in range(len(gpus))]
    return "\n".join([
        f'#include "{SOURCES}/types.h"',
        f'#define DRIVER_VERSION "{host.driver["version"]}"',
        f'#define NVML_VERSION "{cuda[0]}.{host.driver["version"]}"',
        f"#define CUDA_VERSION {int(cuda[0]) * 1000 + int(cuda[1]) * 10}",
        f"#define FABRIC_VERSION {3 if int(host.driver['version'].split('.')[0]) >= 580 else 2}",
        _table("struct gpu", "gpus", [_gpu(host, index, gpu) for index, gpu in enumerate(gpus)]),
        _table("struct link", "links", [row for index in range(len(gpus)) for row in _links(host, index)]),
        _table("struct mig", "migs", [_mig(index, gpu, row) for index, gpu in enumerate(gpus) for row in gpu.mig_devices]),
        _table("struct process", "processes", [row for process in host.processes for row in _process(process)]),
        _table("struct fault", "nvml_faults", _faults(host.faults.get("nvml", []))),
        _table("struct fault", "cuda_faults", _faults(host.faults.get("cuda", []))),
        _table("int", "levels", [str(level) for row in pairs for level in row]),
        "",
    ])  # fmt: skip


def _table(kind: str, name: str, rows: list[str]) -> str:
    """Write an array; its last row is empty, so that no array is."""
    body = ",\n    ".join([*rows, "0" if kind == "int" else "{0}"])
    return f"#define COUNT_{name} {len(rows)}\nstatic const {kind} {name}[] __attribute__((unused)) = {{\n    {body}\n}};"


def _struct(**cells: Any) -> str:
    return "{" + ", ".join(f".{name} = {_literal(value)}" for name, value in cells.items()) + "}"


def _literal(value: Any) -> str:
    if value is None:
        return str(ABSENT)
    if isinstance(value, str):
        return json.dumps(value)  # what ASCII needs to be quoted, C quotes alike
    if isinstance(value, (list, tuple)):
        return "{" + ", ".join(_literal(item) for item in value) + "}"
    return f"{int(value)}{'ULL' if int(value) >= 1 << 31 else ''}"


def _gpu(host: Host, index: int, gpu: Gpu) -> str:
    domain, number, slot = gpu.bus.split(":")
    major, minor = gpu.compute.split(".")
    total, reserved, used = (gpu.memory[key] * MIB for key in ("total", "reserved", "used"))
    fabric = gpu.fabric or {}
    rows = gpu.remapped
    return _struct(
        uuid=gpu.uuid, name=gpu.name,
        bus_id=f"0000{gpu.bus.upper()}", bus_id_legacy=gpu.bus.upper(),
        domain=int(domain, 16), bus=int(number, 16), device=int(slot.split(".")[0], 16),
        pci_device_id=int(gpu.device_id + "10de", 16), pci_subsystem_id=int(gpu.subsystem_id, 16),
        minor=gpu.minor, architecture=ARCHITECTURES[gpu.architecture], major_capability=int(major), minor_capability=int(minor),
        total=total, reserved=reserved, used=used, free=total - reserved - used,
        cpus=_words(host.cpus(gpu.numa)), nodes=0 if gpu.numa is None else 1 << gpu.numa,
        generation_max=gpu.pcie["generation_max"], generation_current=gpu.pcie["generation_current"],
        width_max=gpu.pcie["width_max"], width_current=gpu.pcie["width_current"],
        power_limit=gpu.power["limit"] * 1000, power_default=gpu.power["default"] * 1000,
        power_min=gpu.power["min"] * 1000, power_max=gpu.power["max"] * 1000,
        persistence=gpu.persistence, mig=gpu.mig, ecc=None if gpu.ecc is None else gpu.has_ecc,
        ecc_volatile=(gpu.ecc or {}).get("volatile"), ecc_aggregate=(gpu.ecc or {}).get("aggregate"),
        remap_pending=None if rows is None else rows["pending"], remap_failure=None if rows is None else rows["failure"],
        recovery=RECOVERY[gpu.recovery],
        fabric_state=STATES[fabric["state"]] if fabric else None, fabric_status=STATUSES[fabric.get("status", "Success")],
        fabric_health=HEALTHS[fabric.get("health", "N/A")], clique_id=fabric.get("clique_id", 0),
        cluster_uuid=list(bytes.fromhex(fabric.get("cluster_uuid", "0" * 32).replace("-", ""))),
        links=sum(other.nvlinks for other in host.gpus[:index]), link_count=gpu.nvlinks,
    )  # fmt: skip


def _words(cpus: str) -> list[int]:
    """Return a CPU list ("0-3,8") as NVML's words of 64 bits."""
    mask = 0
    for part in filter(None, cpus.split(",")):
        first, unused, last = part.partition("-")
        for cpu in range(int(first), int(last or first) + 1):
            mask |= 1 << cpu
    return [(mask >> shift) & ((1 << 64) - 1) for shift in range(0, 1024, 64)]


def _links(host: Host, index: int) -> list[str]:
    peers = {"switch": SWITCH}
    return [_struct(up=row["up"], peer=peers.get(row["peer"], row["peer"])) for row in topology.links(host, index)]


def _mig(index: int, gpu: Gpu, row: dict[str, Any]) -> str:
    name = f"{gpu.name} MIG {row['profile']}"
    size = {"memory_mib": row["memory"], "multiprocessors": row["multiprocessors"]}
    return _struct(gpu=index, uuid=row["uuid"], name=name, **size)


def _process(process: dict[str, Any]) -> list[str]:
    kinds = {"C": ["C"], "G": ["G"], "C+G": ["C", "G"], "M": ["M"]}[process["type"]]
    return [
        _struct(gpu=gpu, pid=process["pid"], name=process["name"], kind=ord(kind), memory=mib and mib * MIB)
        for gpu, mib in process["gpus"].items()
        for kind in kinds
    ]


def _faults(rows: list[dict[str, Any]]) -> list[str]:
    words = {"hang": HANG, "corrupt": CORRUPT}
    return [_struct(call=row["call"], gpu=row.get("gpu"), error=words.get(row["error"], row["error"])) for row in rows]


def _level(one: Gpu, other: Gpu) -> int:
    if one is other:
        return 0
    return topology.LEVELS[topology.path_of(topology.place(one), topology.place(other))]
