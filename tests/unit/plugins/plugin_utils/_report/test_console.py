# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The console report, held to lines written by hand after BRIEF's sample."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from ansible_collections.inference.recon.plugins.plugin_utils._fleet import Host, read_host
from ansible_collections.inference.recon.plugins.plugin_utils._report import console

from tests.unit.plugins.plugin_utils import stories

CHANGED_KEY = "WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!"


def surveyed(name: str, facts: dict[str, Any]) -> Host:
    return read_host(name, {"survey": {"ansible_facts": facts}}, "survey")


def unreached(name: str) -> Host:
    result = {"unreachable": True, "msg": CHANGED_KEY}
    variables = {"ansible_host": "203.0.113.7", "ansible_port": 36472, "ansible_user": "root", "survey": result}
    return read_host(name, variables, "survey")


def lines(*hosts: Host) -> list[str]:
    return [line.text for line in console.render(hosts)]


HOSTS = {
    "kpro6": """\
kpro6        ok           8x RTX PRO 6000 Blackwell Server: 7 free, 1 busy
  GPU 0    BUSY   56077 of 97887 MiB   ddtree-qwen.service  pid 47028  user root
  GPU 1-7  free   97887 MiB each       healthy, CUDA works, PCIe 5 x16
  links    PCIe only (0-3 | 4-7 by socket)
  driver   580.126.20 open, CUDA 13.0

1 host: 1 ok""",
    "dflash_train": """\
dflash_train ok           8x RTX PRO 6000 Blackwell Server: 7 free, 1 busy
  GPU 0    BUSY   56077 of 97887 MiB   owner ? (not visible from here)
  GPU 1-7  free   97887 MiB each       healthy, CUDA works, PCIe 5 x16
  links    PCIe only (0-3 | 4-7 by socket)
  driver   580.126.20 open, CUDA 13.0
  problems nvml owner_hidden  GPU 0: 56077 MiB in use and no process to be seen

1 host: 1 ok""",
    "b200_rental": """\
b200_rental  ok           7x B200: 7 free
  GPU 0-6  free   183359 MiB each      healthy, CUDA works, fabric up, PCIe 5 x16
  links    NV18 between every pair
  driver   580.126.20 open, CUDA 13.0
  granted  7 of the 8 GPUs on the bus; the others are not for this host

1 host: 1 ok""",
    "a6000_lost": """\
a6000_lost   ok           2x RTX A6000: 1 free, 1 at fault
  next     GPU 1: see its fault
  GPU 1    BROKEN 49140 MiB            CUDA fails: 719 CUDA_ERROR_LAUNCH_FAILED
  GPU 0    free   49140 MiB            healthy, CUDA works, PCIe 5 x16
  links    NV4 between every pair
  driver   580.126.20 open, CUDA 13.0

1 host: 1 ok""",
    "degraded": """\
degraded     DEGRADED     1x RTX A6000, 1x ?: 1 free, 1 at fault
  answer   a GPU is lost, unreadable or missing
  next     GPU 1: reboot; if it stays: return the box
  GPU 1    LOST   ? MiB                gpu_lost: GPU is lost
  GPU 0    free   49140 MiB            healthy, CUDA works, PCIe 5 x16
  links    ?
  driver   580.126.20 open, CUDA 13.0

1 host: 1 degraded""",
    "mismatch": """\
mismatch     MISMATCH     the driver's libraries do not fit the loaded kernel module
  next     reboot into the installed driver
  driver   570.172.08 open, CUDA ?
  driver   REBOOT PENDING: module 570.133.20 is loaded, libraries are 570.172.08

1 host: 1 driver_library_mismatch""",
    "no_gpu": """\
no_gpu       no_gpu       no NVIDIA GPU on this machine

1 host: 1 no_gpu""",
}


@pytest.mark.parametrize("name", HOSTS)
def test_host(name: str) -> None:
    assert lines(surveyed(name, getattr(stories, name)())) == HOSTS[name].splitlines()


def test_unreached_host() -> None:
    assert lines(unreached("old-rental")) == [
        "old-rental   UNREACHED    another host key than last time: rented anew, or somebody in between",
        "  next     make forget HOST=root@203.0.113.7:36472",
        "",
        "1 host: 1 unreachable",
    ]


def test_fleet() -> None:
    hosts = [
        surveyed("dflash-train", stories.dflash_train()),
        surveyed("kpro6", stories.kpro6()),
        surveyed("b200-rental", stories.b200_rental()),
        unreached("old-rental"),
        surveyed("mismatch", stories.mismatch()),
        surveyed("bench", stories.no_gpu()),
        read_host("lost", {}, "survey"),
    ]
    table = lines(*hosts)[-9:]
    assert table == [
        "HOST          STATE      GPUS       FREE  LINKS  DRIVER      NEXT",
        "lost          UNKNOWN    ?          ?     ?      ?           run without --tags and --start-at-task",
        "mismatch      MISMATCH   ?/8        ?     ?      570.172.08  reboot into the installed driver",
        "old-rental    UNREACHED  -          -     -      -           make forget HOST=root@203.0.113.7:36472",
        "bench         no_gpu     -          -     -      -           -",
        "dflash-train = kpro6",
        "kpro6         ok         8 PRO6000  7     PCIe   580.126.20  -",
        "b200-rental   ok         7/8 B200   7     NV18   580.126.20  -",
        "7 names, 6 machines: 3 ok, 1 no_gpu, 1 unreachable, 1 driver_library_mismatch, 1 unknown",
    ]
    assert "  note     same machine as kpro6 (8 equal GPU UUIDs)" in lines(*hosts)


def test_tones() -> None:
    hosts = [surveyed("a", stories.kpro6()), surveyed("b", stories.a6000_lost()), surveyed("c", stories.no_gpu()), unreached("d")]
    tones = {line.text[0]: line.tone for line in console.render(hosts) if line.text[:2] in ("a ", "b ", "c ", "d ")}
    assert tones == {"a": "good", "b": "bad", "c": "plain", "d": "bad"}


HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07 {{ lookup('pipe', 'id') }}\r\nfake        ok   8x B200: 8 free \u202egnp.exe\u2028\x9b31m \ud800"
)


def poison(value: Any) -> Any:
    """Put hostile text into every string but those that the shape of the facts needs."""
    if isinstance(value, dict):
        return {key: item if key in ("state", "code", "path", "interconnect") else poison(item) for key, item in value.items()}
    if isinstance(value, list):
        return [poison(item) for item in value]
    return value + HOSTILE * 3 if isinstance(value, str) else value


@pytest.mark.parametrize("name", [*HOSTS, "hgx_off_mesh"])
def test_hostile_strings_are_inert(name: str) -> None:
    facts = poison(copy.deepcopy(getattr(stories, name)()))
    hosts = [surveyed("evil\x1b[31m\n" + name, facts), surveyed("kpro6", stories.kpro6())]
    text = lines(*hosts)
    assert [line for line in text if len(line) > 100 or not line.isascii() or not (line.isprintable())] == []
    assert not any(line.startswith("fake") for line in text)


def test_hostile_error_texts_are_inert() -> None:
    host = read_host("h", {"survey": {"unreachable": True, "msg": HOSTILE}}, "survey")
    assert [line for line in lines(host) if len(line) > 100 or not line.isascii() or not line.isprintable()] == []


def test_at_most_twenty_lines_a_host() -> None:
    assert [name for name in HOSTS if len(lines(surveyed(name, getattr(stories, name)()))) > 20] == []
