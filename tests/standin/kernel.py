# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""What the kernel shows of a recorded host: /sys/bus/pci, /sys/class/infiniband, /proc, /dev."""

import os
from pathlib import Path
from typing import Any

from tests.standin import topology
from tests.standin.host import Gpu, Host

SPEEDS = {
    1: "2.5 GT/s PCIe",
    2: "5.0 GT/s PCIe",
    3: "8.0 GT/s PCIe",
    4: "16.0 GT/s PCIe",
    5: "32.0 GT/s PCIe",
    6: "64.0 GT/s PCIe",
}
NVIDIA_MODULES = [
    "nvidia_uvm 1810432 0 -",
    "nvidia_drm 122880 0 -",
    "nvidia_modeset 1671168 1 nvidia_drm,",
    "nvidia 97640448 2 nvidia_uvm,nvidia_modeset,",
]
# Under another root than the kernel's /sys/devices, so that one bind mount over /sys/bus/pci carries the whole tree.
DEVICES = "sys/bus/pci/root"


def write(root: Path, host: Host) -> None:
    (root / "sys/bus/pci/devices").mkdir(parents=True)
    (root / "sys/class").mkdir()
    for card in host.cards:
        _device(root, topology.place(card), _gpu_files(host, card), card.driver)
    for nic in host.nics:
        where = _device(root, nic, _nic_files(host, nic), "mlx5_core")
        _infiniband(root, where, nic["device"])
    for row in host.pci:
        files = {"class": row["class"], "vendor": row["vendor"], "device": row["device"], "numa_node": "-1"}
        _device(root, row, files, row.get("driver"))
    _proc(root, host)
    _dev(root, host)


def _gpu_files(host: Host, card: Gpu) -> dict[str, str]:
    return {
        "class": card.pci_class,
        "vendor": "0x10de",
        "device": f"0x{card.device_id}",
        "numa_node": str(-1 if card.numa is None else card.numa),
        "local_cpulist": host.cpus(card.numa),
        "current_link_speed": SPEEDS[card.pcie["generation_current"]],
        "current_link_width": str(card.pcie["width_current"]),
        "max_link_speed": SPEEDS[card.pcie["generation_max"]],
        "max_link_width": str(card.pcie["width_max"]),
    }


def _nic_files(host: Host, nic: dict[str, Any]) -> dict[str, str]:
    numa = nic.get("numa")
    files = {"class": "0x020700", "vendor": "0x15b3", "device": "0x1021", "numa_node": str(-1 if numa is None else numa)}
    return {**files, "local_cpulist": host.cpus(numa)}


def _device(root: Path, row: dict[str, Any], files: dict[str, str], driver: str | None) -> Path:
    bus = row["bus"]
    where = root.joinpath(DEVICES, *topology.position(bus, row.get("path")))
    where.mkdir(parents=True)
    for name, text in files.items():
        (where / name).write_text(text + "\n")
    if driver:
        home = root / "sys/bus/pci/drivers" / driver
        home.mkdir(parents=True, exist_ok=True)
        _link(where / "driver", home)
        _link(home / bus, where)
    _link(root / "sys/bus/pci/devices" / bus, where)
    return where


def _infiniband(root: Path, where: Path, name: str) -> None:
    """A network device shows under its PCI device and, by link, under its class."""
    home = where / "infiniband" / name
    home.mkdir(parents=True)
    _link(home / "device", where)
    _link(root / "sys/class/infiniband" / name, home)


def _link(link: Path, target: Path) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(os.path.relpath(target, link.parent))


def _proc(root: Path, host: Host) -> None:
    proc = root / "proc"
    proc.mkdir()
    loaded = host.module is not None
    (proc / "modules").write_text("".join(_modules(host)))
    if loaded:
        _driver(proc / "driver/nvidia", host)
        _text(root / "sys/module/nvidia/version", host.module + "\n")
    for row in host.processes:
        _process(proc / str(row["pid"]), row)
    _text(root / "etc/passwd", "root:x:0:0:root:/root:/bin/bash\n")
    if host.container == "docker":
        _text(root / ".dockerenv", "")
    elif host.container:
        _text(root / "run/systemd/container", host.container)


def _modules(host: Host) -> list[str]:
    loaded = NVIDIA_MODULES if host.module is not None else []
    if any(card.driver == "vfio-pci" for card in host.cards):
        loaded = [*loaded, "vfio_pci 16384 2 -"]
    return [f"{line} Live 0x0000000000000000\n" for line in loaded]


def _driver(where: Path, host: Host) -> None:
    kind = "Open Kernel Module for x86_64" if host.driver["module"] == "open" else "x86_64 Kernel Module"
    release = "  Release Build  (dvs-builder@U22-I3-B17-02-5)" if host.driver["module"] == "open" else ""
    _text(
        where / "version",
        f"NVRM version: NVIDIA UNIX {kind}  {host.module}{release}  Tue Jan 13 02:26:42 UTC 2026\n"
        "GCC version:  gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2~24.04) \n",
    )
    for card in host.cards:
        if card.driver == "nvidia":
            _text(where / "gpus" / card.bus / "information", _information(host, card))


def _information(host: Host, card: Gpu) -> str:
    return (
        f"Model: \t\t {card.name}\nIRQ:   \t\t {200 + card.minor}\nGPU UUID: \t {card.uuid}\nVideo BIOS: \t 97.00.b9.00.69\n"
        f"Bus Type: \t PCIe\nDMA Size: \t 52 bits\nDMA Mask: \t 0xfffffffffffff\nBus Location: \t {card.bus}\n"
        f"Device Minor: \t {card.minor}\nGPU Firmware: \t {host.module}\nGPU Excluded:\t No\n"
    )


def _process(where: Path, row: dict[str, Any]) -> None:
    pid, command, uid = row["pid"], row["command"], row.get("uid", 0)
    comm = os.path.basename(command[0])[:15]  # the kernel keeps no more
    _text(where / "cmdline", "".join(f"{word}\0" for word in command))
    _text(where / "comm", comm + "\n")
    _text(where / "cgroup", row["cgroup"] + "\n")
    _text(where / "status", f"Name:\t{comm}\nState:\tS (sleeping)\nPid:\t{pid}\nPPid:\t1\nUid:{f'{chr(9)}{uid}' * 4}\n")
    _text(where / "stat", f"{pid} ({comm}) S 1 {pid} {pid} " + "0 " * 15 + "4211 " + "0 " * 29 + "0\n")


def _dev(root: Path, host: Host) -> None:
    if host.module is None:
        return
    for name in ["nvidiactl", "nvidia-uvm", *(f"nvidia{gpu.minor}" for gpu in host.gpus)]:
        _text(root / "dev" / name, "")


def _text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
