# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""host.yml to tree: variants, the cache, and what the kernel shows."""

from __future__ import annotations

import json
import os

import pytest

pytest.importorskip("yaml")

from tests.standin import build, load, names, recorded
from tests.standin.host import HOSTS, merge
from tests.standin.topology import pcie, position


@pytest.mark.parametrize(
    ("below", "above", "merged"),
    [
        ({"a": 1, "b": {"c": 2}}, {"b": {"d": 3}}, {"a": 1, "b": {"c": 2, "d": 3}}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ([{"a": 1}, {"a": 2}], {1: {"b": 3}}, [{"a": 1}, {"a": 2, "b": 3}]),
        ([1, 2], [3], [3]),
    ],
)
def test_merge(below, above, merged):
    assert merge(below, above) == merged


def test_merge_leaves_its_sources_alone():
    below, above = {"a": {"b": [1]}}, {"a": {"c": [2]}}
    merge(below, above)["a"]["c"].append(3)
    assert (below, above) == ({"a": {"b": [1]}}, {"a": {"c": [2]}})


def test_an_unknown_key_is_refused():
    with pytest.raises(TypeError, match="memroy"):
        load("kpro6", {"gpus": {0: {"memroy": {}}}})


def test_a_host_is_built_once():
    assert recorded("no-gpu") == recorded("no-gpu")
    assert recorded("no-gpu") != recorded("no-gpu", {"container": "lxc"})


def test_a_built_host_can_be_moved(tmp_path):
    where = build("b200-rental", tmp_path / "one").rename(tmp_path / "two")
    assert (where / "lib/libcuda.so.1").resolve() == where / "usr/lib/x86_64-linux-gnu/libcuda.so.580.126.20"
    assert (where / "sys/bus/pci/devices/0000:1b:00.0/class").read_text() == "0x030200\n"
    assert not [path for path in where.rglob("*") if not path.exists()]


@pytest.mark.parametrize("name", names())
def test_facts_are_expected_of_every_host(name):
    facts = json.loads((HOSTS / name / "expected" / "nvidia_topology.json").read_text())
    assert facts["schema_version"] == 1
    assert facts["pci_gpu_count"] == len(load(name).cards)
    assert [gpu["pci_bus_id"] for gpu in facts["gpus"]] == [gpu.bus for gpu in load(name).gpus]


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        # (bus, bridges), as the legend of topo -m has it
        (("0000:1b:00.0", "15:01.0/16:00.0/17:01.0"), ("0000:18:00.0", "15:01.0/16:00.0/17:00.0"), "PIX"),
        (("0000:1b:00.0", "15:01.0/16:00.0/17:01.0/19:00.0"), ("0000:18:00.0", "15:01.0/16:00.0/17:00.0"), "PXB"),
        (("0000:01:00.0", "00:01.1"), ("0000:02:00.0", "00:01.2"), "PHB"),
        (("0000:17:00.0", None), ("0000:17:00.1", None), "PIX"),
        (("0000:17:00.0", None), ("0000:65:00.0", None), "NODE"),
    ],
)
def test_pcie_paths(one, other, path):
    assert pcie(position(*one), position(*other), same_node=True) == path
    assert pcie(position(*one), position(*other), same_node=False) == ("SYS" if path == "NODE" else path)


def drivers(root):
    devices = root / "sys/bus/pci/devices"
    return {path.name: os.path.basename(os.readlink(path / "driver")) for path in devices.iterdir() if (path / "driver").exists()}


def test_bus_of_lent_cards():
    root = recorded("vfio-lent")
    assert drivers(root) == {
        "0000:01:00.0": "vfio-pci",
        "0000:41:00.0": "nvidia",
        "0000:81:00.0": "vfio-pci",
        "0000:c1:00.0": "nvidia",
    }
    assert sorted(path.name for path in (root / "proc/driver/nvidia/gpus").iterdir()) == ["0000:41:00.0", "0000:c1:00.0"]
    assert sorted(path.name for path in (root / "dev").glob("nvidia[0-9]*")) == ["nvidia0", "nvidia1"]


def test_a_container_has_only_its_own_device_nodes():
    root = recorded("b200-rental")
    information = (root / "proc/driver/nvidia/gpus/0000:61:00.0/information").read_text()
    assert "Device Minor: \t 3\n" in information
    assert sorted(path.name for path in (root / "dev").glob("nvidia[0-9]*")) == [
        f"nvidia{minor}" for minor in (0, 1, 2, 4, 5, 6, 7)
    ]
    assert (root / ".dockerenv").exists()


def test_network_cards_are_found_by_both_ways():
    root = recorded("hgx-b200")
    device = root / "sys/bus/pci/devices/0000:18:00.0"
    assert (root / "sys/class/infiniband/mlx5_0/device").resolve() == device.resolve()
    assert [path.name for path in (device / "infiniband").iterdir()] == ["mlx5_0"]
    assert device.resolve().parts[-5:] == ("pci0000:15", "0000:15:01.0", "0000:16:00.0", "0000:17:00.0", "0000:18:00.0")


def test_the_loaded_module_may_be_another_than_the_libraries():
    root = recorded("mismatch")
    assert "580.105.08" in (root / "proc/driver/nvidia/version").read_text()
    assert (root / "lib/libcuda.so.1").resolve().name == "libcuda.so.580.126.20"


def test_an_image_may_bring_a_libcuda_of_its_own():
    root = recorded("b200-rental", {"driver": {"compat": "590.48.01"}})
    assert (root / "lib/libcuda.so.1").resolve() == root / "usr/local/cuda/compat/libcuda.so.590.48.01"
    assert (root / "lib/libnvidia-ml.so.1").resolve().name == "libnvidia-ml.so.580.126.20"


def test_a_host_without_a_driver_has_none_of_its_files():
    root = recorded("no-gpu")
    assert not [name for name in ("bin", "lib", "dev", "proc/driver") if (root / name).exists()]
    assert drivers(root) == {"0000:03:00.0": "ast", "0000:19:00.0": "i40e"}


@pytest.mark.parametrize(
    ("name", "cgroup"),
    [
        ("kpro6", "0::/lxc/105/ns/system.slice/ddtree-qwen.service\n"),
        ("dflash-train", "0::/system.slice/ddtree-qwen.service\n"),
    ],
)
def test_the_process_that_holds_gpu_0(name, cgroup):
    folder = recorded(name) / "proc/47028"
    assert (folder / "cgroup").read_text() == cgroup
    assert (folder / "cmdline").read_bytes().split(b"\0")[0] == b"/root/venv/bin/python"
    assert "Uid:\t0\t0\t0\t0\n" in (folder / "status").read_text()
    assert len((folder / "stat").read_text().split()) == 52
