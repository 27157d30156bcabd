# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""A recorded host: tests/hosts/NAME/host.yml over the table of cards, as typed rows."""

import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

HOSTS = Path(__file__).resolve().parents[1] / "hosts"


@dataclass(frozen=True)
class Gpu:
    """One card on the bus. What the card does not have is None; `granted: false` = on the bus, but not ours."""

    card: str
    bus: str  # "0000:1b:00.0"
    minor: int
    name: str
    architecture: str
    compute: str
    device_id: str
    subsystem_id: str
    pci_class: str
    memory: dict[str, int]  # total, reserved, used; MiB
    pcie: dict[str, int]  # generation_max, generation_current, width_max, width_current
    power: dict[str, int]  # limit, default, min, max; W
    persistence: bool
    mig: bool | None
    ecc: dict[str, int] | None  # volatile, aggregate: uncorrected errors; None = the card has none, {} = switched off
    remapped: dict[str, bool] | None  # pending, failure
    recovery: str
    fabric: dict[str, Any] | None
    nvlinks: int  # the card's, in use or not
    nvlink_speed: str
    uuid: str = ""  # the driver's: a card that it does not hold has none
    nvlinks_down: list[int] = field(default_factory=list)
    mig_devices: list[dict[str, Any]] = field(default_factory=list)
    numa: int | None = None
    driver: str | None = "nvidia"
    granted: bool = True
    path: str | None = None  # bridges from the root port on: "15:01.0/16:00.0/17:01.0"

    @property
    def answers(self) -> bool:
        return self.granted and self.driver == "nvidia"

    @property
    def has_ecc(self) -> bool:
        return bool(self.ecc)


@dataclass(frozen=True)
class Host:
    """One machine, virtual machine or container, as its readers would see it."""

    name: str
    container: str | None = None
    # version, cuda, module; loaded: another version in the kernel, or none; compat: that of a libcuda in front of it
    driver: dict[str, Any] = field(default_factory=dict)
    numa: dict[int, str] = field(default_factory=dict)  # node: its CPUs
    cards: list[Gpu] = field(default_factory=list)
    nvlink: str | list[dict[str, Any]] | None = None  # "switch", or the bridges [{pair: [0, 1], links: 4}]
    nics: list[dict[str, Any]] = field(default_factory=list)
    pci: list[dict[str, str]] = field(default_factory=list)  # whatever else sits on the bus
    processes: list[dict[str, Any]] = field(default_factory=list)
    faults: dict[str, Any] = field(default_factory=dict)

    @property
    def gpus(self) -> list[Gpu]:
        """The cards that answer, by index."""
        return [card for card in self.cards if card.answers]

    @property
    def module(self) -> str | None:
        """The version of the loaded kernel module."""
        return self.driver.get("loaded", self.driver["version"]) if self.driver else None

    def cpus(self, numa: int | None) -> str:
        return self.numa.get(numa, "") if numa is not None else ""

    def fault(self, call: str, gpu: int | None = None) -> int | str | None:
        """The error with which NVML refuses a call, for one GPU or for all."""
        for row in self.faults.get("nvml", []):
            if row["call"] == call and row.get("gpu", gpu) == gpu:
                return row["error"]
        return None


def names() -> list[str]:
    return sorted(path.parent.name for path in HOSTS.glob("*/host.yml"))


def load(name: str, changes: dict[str, Any] | None = None) -> Host:
    """Return the host, or a variant of it: `changes` goes over host.yml, dict by dict; a dict over a list edits by index."""
    data = merge(_read(HOSTS / name / "host.yml"), changes or {})
    cards = _read(HOSTS / "cards.yml")
    shared = data.pop("gpu", {})
    rows = [_card(cards, merge(shared, row), minor) for minor, row in enumerate(data.pop("gpus", []))]
    return Host(name=name, cards=rows, **data)


def merge(below: Any, above: Any) -> Any:
    if isinstance(below, dict) and isinstance(above, dict):
        merged = {key: merge(below[key], above[key]) if key in below else above[key] for key in above}
        return copy.deepcopy({**below, **merged})
    if isinstance(below, list) and isinstance(above, dict):
        return [merge(value, above.get(place, {})) if place in above else value for place, value in enumerate(below)]
    return copy.deepcopy(above)


def _card(cards: dict[str, Any], row: dict[str, Any], minor: int) -> Gpu:
    return Gpu(**merge(merge(cards[row["card"]], {"minor": minor}), row))


def _read(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))
