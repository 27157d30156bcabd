# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""The document of nvidia-smi -q -x, in the shape of the real tool (templates/gpu.v12.xml, gpu.v13.xml)."""

from pathlib import Path
from string import Template
from typing import Any
from xml.sax.saxutils import escape

from tests.standin.host import Gpu, Host

TEMPLATES = Path(__file__).with_name("templates")
NONE = "N/A"
# How the tool prints NVML's refusal of the one call behind a cell.
REFUSED = {
    3: NONE,
    4: "Insufficient Permissions",
    10: "Timeout",
    15: "GPU is lost",
    16: "GPU requires reset",
    999: "Unknown Error",
}
KINDS = {"C": "C", "G": "G", "C+G": "C+G", "M": "M+C"}


def bus_id(bus: str) -> str:
    """Return the bus id as the driver prints it: eight digits of domain, upper case."""
    return f"0000{bus.upper()}"


def document(host: Host) -> str:
    version = 12 if int(host.driver["version"].split(".")[0]) < 580 else 13
    head = (
        f'<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v{version}.dtd">\n<nvidia_smi_log>\n'
        f"\t<timestamp>Tue Dec  1 09:00:00 2026</timestamp>\n\t<driver_version>{host.driver['version']}</driver_version>\n"
        f"\t<cuda_version>{host.driver['cuda']}</cuda_version>\n\t<attached_gpus>{len(host.gpus)}</attached_gpus>\n"
    )
    text = (TEMPLATES / f"gpu.v{version}.xml").read_text(encoding="utf-8")
    template = Template(text.rstrip("\n"))
    bodies = [template.substitute(_cells(host, index, gpu)) for index, gpu in enumerate(host.gpus)]
    rows = [body if gpu.remapped else _without_remapping(body) for body, gpu in zip(bodies, host.gpus)]
    return head + "\n\n".join(rows) + "\n\n</nvidia_smi_log>\n"


def _without_remapping(body: str) -> str:
    start, end = body.index("<remapped_rows>"), body.index("</remapped_rows>")
    return body[:start] + "<remapped_rows>" + NONE + body[end:]


def _cells(host: Host, index: int, gpu: Gpu) -> dict[str, Any]:
    def cell(call: str, text: Any) -> str:
        error = host.fault(call, index)
        return escape(str(NONE if text is None else text)) if error is None else REFUSED[error]

    domain, number, slot = gpu.bus.split(":")
    total, reserved, used = (gpu.memory[key] for key in ("total", "reserved", "used"))
    memory = {"total": total, "reserved": reserved, "used": used, "free": total - reserved - used}
    mig = None if gpu.mig is None else _switch(gpu.mig)
    ecc = gpu.ecc or {}
    cells = {
        "name": cell("nvmlDeviceGetName", gpu.name),
        "architecture": cell("nvmlDeviceGetArchitecture", gpu.architecture),
        "persistence": cell("nvmlDeviceGetPersistenceMode", _switch(gpu.persistence)),
        "addressing": "None" if gpu.card == "b200" else "HMM",
        "mig_mode": cell("nvmlDeviceGetMigMode", mig),
        "mig_devices": "".join(_mig(row, place) for place, row in enumerate(gpu.mig_devices)) or "\n\t\t\tNone",
        "serial": f"16500000000{index:02d}",
        "uuid": cell("nvmlDeviceGetUUID", gpu.uuid),
        "pdi": f"0x{index + 1:016x}",
        "minor": cell("nvmlDeviceGetMinorNumber", gpu.minor),
        "vbios": "97.00.B9.00.69",
        "part": f"{gpu.device_id.upper()}-886-A1",
        "peer_type": "Switch Connected" if host.nvlink == "switch" else NONE,
        "module": index + 1,
        "virtualization": "None",
        "recovery": cell("nvmlDeviceGetFieldValues", gpu.recovery),
        "driver": host.driver["version"],
        "bus_id": bus_id(gpu.bus),
        "pci_bus": number.upper(),
        "pci_device": slot.split(".")[0],
        "pci_domain": domain,
        "pci_sub_class": int(gpu.pci_class[4:6]),
        "pci_device_id": f"{gpu.device_id.upper()}10DE",
        "pci_sub_system_id": gpu.subsystem_id.upper(),
        "generation_max": cell("nvmlDeviceGetMaxPcieLinkGeneration", gpu.pcie["generation_max"]),
        "generation_current": cell("nvmlDeviceGetCurrPcieLinkGeneration", gpu.pcie["generation_current"]),
        "width_max": cell("nvmlDeviceGetMaxPcieLinkWidth", f"{gpu.pcie['width_max']}x"),
        "width_current": cell("nvmlDeviceGetCurrPcieLinkWidth", f"{gpu.pcie['width_current']}x"),
        "ecc_mode": cell("nvmlDeviceGetEccMode", None if gpu.ecc is None else _switch(gpu.has_ecc)),
        "ecc_none": cell("nvmlDeviceGetTotalEccErrors", 0 if ecc else None),
        "ecc_volatile": cell("nvmlDeviceGetTotalEccErrors", ecc.get("volatile")),
        "ecc_aggregate": cell("nvmlDeviceGetTotalEccErrors", ecc.get("aggregate")),
        **{f"memory_{key}": cell("nvmlDeviceGetMemoryInfo_v2", f"{value} MiB") for key, value in memory.items()},
        **_power(cell, gpu),
        **_remapped(cell, gpu.remapped or {}),
        **_fabric(cell, gpu.fabric or {}),
        "processes": "".join(_process(index, row) for row in host.processes if index in row["gpus"]),
    }
    refused = host.fault("nvmlDeviceGetComputeRunningProcesses_v3", index)
    return cells if refused is None else {**cells, "processes": f"\n\t\t\t{REFUSED[refused]}"}


def _switch(on: bool) -> str:
    return "Enabled" if on else "Disabled"


def _power(cell: Any, gpu: Gpu) -> dict[str, str]:
    calls = {
        "limit": "nvmlDeviceGetPowerManagementLimit",
        "default": "nvmlDeviceGetPowerManagementDefaultLimit",
        "min": "nvmlDeviceGetPowerManagementLimitConstraints",
        "max": "nvmlDeviceGetPowerManagementLimitConstraints",
    }
    return {f"power_{key}": cell(call, f"{gpu.power[key]:.2f} W") for key, call in calls.items()}


def _remapped(cell: Any, rows: dict[str, bool]) -> dict[str, str]:
    call = "nvmlDeviceGetRemappedRows"
    words = {key: "Yes" if rows.get(key) else "No" for key in ("pending", "failure")}
    return {"remap_none": cell(call, 0), **{f"remap_{key}": cell(call, word) for key, word in words.items()}}


def _fabric(cell: Any, fabric: dict[str, Any]) -> dict[str, str]:
    """Status and the rest are told only once the probe has completed, as on a real node."""
    done = fabric.get("state") == "Completed"
    named = {"state": "state", "status": "status", "clique": "clique_id", "cluster": "cluster_uuid", "health": "health"}
    state = None if fabric.get("state") == "Not Supported" else fabric.get("state")
    told = {key: fabric.get(name) if done else None for key, name in named.items()}
    return {f"fabric_{key}": cell("nvmlDeviceGetGpuFabricInfoV", value) for key, value in {**told, "state": state}.items()}


def _process(index: int, row: dict[str, Any]) -> str:
    memory = row["gpus"][index]
    cells = {
        "gpu_instance_id": NONE,
        "compute_instance_id": NONE,
        "pid": row["pid"],
        "type": KINDS[row["type"]],
        "process_name": row["name"],
        "used_memory": NONE if memory is None else f"{memory} MiB",
    }
    return "\n\t\t\t<process_info>" + _elements(cells, 4) + "\n\t\t\t</process_info>"


def _mig(row: dict[str, Any], place: int) -> str:
    memory = row["memory"]
    usage = {"total": f"{memory} MiB", "reserved": "0 MiB", "used": "0 MiB", "free": f"{memory} MiB"}
    shared = {"multiprocessor_count": row["multiprocessors"], "copy_engine_count": 1, "encoder_count": 0}
    shared.update({"decoder_count": 1, "ofa_count": 0, "jpg_count": 1})
    ids = {"index": place, "gpu_instance_id": row["instance"], "compute_instance_id": 0}
    return (
        "\n\t\t\t<mig_device>" + _elements(ids, 4)
        + "\n\t\t\t\t<device_attributes>\n\t\t\t\t\t<shared>" + _elements(shared, 6)
        + "\n\t\t\t\t\t</shared>\n\t\t\t\t</device_attributes>"
        + "\n\t\t\t\t<ecc_error_count>\n\t\t\t\t\t<volatile_count>" + _elements({"sram_uncorrectable": 0}, 6)
        + "\n\t\t\t\t\t</volatile_count>\n\t\t\t\t</ecc_error_count>"
        + "\n\t\t\t\t<fb_memory_usage>" + _elements(usage, 5) + "\n\t\t\t\t</fb_memory_usage>\n\t\t\t</mig_device>"
    )  # fmt: skip


def _elements(cells: dict[str, Any], depth: int) -> str:
    return "".join(f"\n{chr(9) * depth}<{tag}>{escape(str(value))}</{tag}>" for tag, value in cells.items())
