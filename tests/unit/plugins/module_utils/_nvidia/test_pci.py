# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.pci import (
    Card,
    common_path,
    infiniband,
    normal_bus_id,
    read_cards,
)

BUS_IDS = [
    ("00000000:1B:00.0", "0000:1b:00.0"),
    ("0000:1b:00.0", "0000:1b:00.0"),
    ("0000:8F:00.0", "0000:8f:00.0"),
    ("00000008:01:00.0", "0008:01:00.0"),
    ("00010000:01:00.0", "10000:01:00.0"),
    (" 00000000:E1:1F.7 ", "0000:e1:1f.7"),
]


@pytest.mark.parametrize(("text", "bus_id"), BUS_IDS)
def test_bus_ids(text, bus_id):
    assert normal_bus_id(text) == bus_id


@pytest.mark.parametrize(
    "text", ["", "N/A", "000:BA:80.0", "0000:BA:80.0", "0000:BA:00.8", "BA:00.0", "0000:BA:00", "0000:XX:00.0", "0:0:0.0"]
)
def test_texts_that_are_no_bus_id(text):
    with pytest.raises(ValueError):  # noqa: PT011  int() says it in words of its own
        normal_bus_id(text)


PATHS = [
    # (path of a, path of b, same NUMA node, how they meet): what topo -m's legend says of each word
    ("pci0000:15/0000:15:01.0/0000:16:00.0", "pci0000:26/0000:26:01.0/0000:27:00.0", True, "NODE"),
    ("pci0000:15/0000:15:01.0/0000:16:00.0", "pci0000:97/0000:97:01.0/0000:98:00.0", False, "SYS"),
    ("pci0000:15/0000:15:01.0/0000:16:00.0", "pci0000:97/0000:97:01.0/0000:98:00.0", None, None),
    ("pci0000:15/0000:15:01.0/0000:16:00.0", "pci0000:15/0000:15:02.0/0000:1a:00.0", True, "PHB"),
    (
        "pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0",
        "pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0/0000:19:00.0",
        True,
        "PIX",
    ),
    (
        "pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0/0000:19:00.0/0000:1a:00.0",
        "pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0/0000:1b:00.0",
        True,
        "PXB",
    ),
    ("virtual/net", "pci0000:15/0000:15:01.0/0000:16:00.0", True, None),
]


@pytest.mark.parametrize(("a", "b", "same_numa", "path"), PATHS)
def test_common_path(a, b, same_numa, path):
    assert common_path("/sys/devices/" + a, "/sys/devices/" + b, same_numa) == path
    assert common_path("/sys/devices/" + b, "/sys/devices/" + a, same_numa) == path


DEVICE = "/sys/bus/pci/devices/0000:%s:00.0/"


def device(bus, vendor="0x10de", kind="0x030200", number="0x2901", numa="0"):
    names = {"vendor": vendor, "class": kind, "device": number, "numa_node": numa}
    return {DEVICE % bus + name: text + "\n" for name, text in names.items() if text is not None}


BUSES = [
    # what lies in /sys, and which cards these are
    (device("1b"), [Card("0000:1b:00.0", "2901", "", 0)]),
    (device("1b", kind="0x030000", numa="-1"), [Card("0000:1b:00.0", "2901", "", None)]),
    (device("1b", number=None), [Card("0000:1b:00.0", None, "", 0, ("device",))]),
    (device("1b", number="2901"), [Card("0000:1b:00.0", None, "", 0, ("device",))]),
    (device("1b", numa=None), [Card("0000:1b:00.0", "2901", "", None, ("numa_node",))]),
    (device("1b", numa="x"), [Card("0000:1b:00.0", "2901", "", None, ("numa_node",))]),
    (device("1b", kind="0x040300"), []),  # the audio function of a card
    (device("1b", kind="0x068000"), []),  # an NVSwitch
    (device("1b", vendor="0x8086"), []),
    (dict(device("1b"), **device("1c", vendor="0x15b3", kind="0x020700")), [Card("0000:1b:00.0", "2901", "", 0)]),
    (device("1b", vendor=None), None),
    (device("1b", vendor=""), None),
    (device("1b", vendor="nonsense"), None),
    (device("1b", kind=None), None),
    (device("1b", kind="?"), None),
    ({"/sys/kernel/uevent_seqnum": "1"}, None),
    ({}, None),
]


@pytest.mark.parametrize(("files", "cards"), BUSES)
def test_cards(tree, files, cards):
    assert read_cards(tree.lay(files)) == cards


@pytest.mark.parametrize("driver", ["nvidia", "vfio-pci", "nouveau"])
def test_kernel_drivers(tree, driver):
    tree.lay(device("1b"), {DEVICE % "1b" + "driver": "../../../../bus/pci/drivers/" + driver})
    assert [card.driver for card in read_cards(tree)] == [driver]


def test_an_unreadable_kernel_driver_is_not_none(tree):
    tree.lay(dict(device("1b"), **{DEVICE % "1b" + "driver": "no link"}))
    assert [card.driver for card in read_cards(tree)] == [None]


def test_infiniband(tree):
    tree.lay({"/sys/devices/pci0000:15/0000:16:00.0/numa_node": "0", "/sys/class/net/bonding_masters": ""})
    assert infiniband(tree) == {}
    tree.lay((), {"/sys/class/infiniband/mlx5_0": "../../devices/pci0000:15/0000:16:00.0/infiniband/mlx5_0"})
    tree.lay({"/sys/devices/pci0000:15/0000:16:00.0/infiniband/mlx5_0/node_desc": "mlx5_0"})
    tree.lay((), {"/sys/devices/pci0000:15/0000:16:00.0/infiniband/mlx5_0/device": "../.."})
    assert infiniband(tree) == {"mlx5_0": tree.real("/sys/devices/pci0000:15/0000:16:00.0")}


def test_infiniband_where_sysfs_is_hidden(tree):
    assert infiniband(tree) is None
