# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whose a process on a GPU is."""

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.processes import describe
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Container, Process

STATUS = "Name:\tpython3\nUmask:\t0022\nState:\tS (sleeping)\nUid:\t%s\t%s\t%s\t%s\n"
PASSWD = "root:x:0:0:root:/root:/bin/bash\nollama:x:998:998::/usr/share/ollama:/bin/false\n"


def host(cgroup, uid=998):
    texts = {"/proc/4711/status": STATUS % ((uid,) * 4), "/proc/4711/comm": "python3\n", "/etc/passwd": PASSWD}
    return dict(texts, **{"/proc/4711/cgroup": "0::%s\n" % cgroup})


def row(**changes):
    return dict({"pid": 4711, "name": "python3", "type": "compute", "memory_mib": 8}, **changes)


OWNERS = [
    # what lies on the host, and the process's unit, manager, user and container
    (host("/system.slice/ollama.service"), ("ollama.service", "systemd", "ollama", None)),
    (host("/system.slice/ollama.service", 0), ("ollama.service", "systemd", "root", None)),
    (host("/system.slice/ollama.service", 1000), ("ollama.service", "systemd", "1000", None)),
    (host("/user.slice/user-0.slice/session-4.scope"), (None, None, "ollama", None)),
    (host("/lxc/105/system.slice/sglang.service"), ("sglang.service", "systemd", "ollama", Container("lxc", "105"))),
    (host("/system.slice/docker-0123.scope"), (None, None, "ollama", Container("docker", "0123"))),
]


@pytest.mark.parametrize(("texts", "owner"), OWNERS)
def test_owners(tree, texts, owner):
    described, problems = describe(tree.lay(texts), [row()])
    assert described == (Process(4711, "python3", "compute", 8, *owner),)
    assert problems == []


HIDDEN = [
    # (what lies on the host, what the driver says, the problems): all of them named by the PID
    (host("/"), row(), ["cgroup_hidden"]),
    ({}, row(), ["process_hidden"]),
    ({"/proc/4711/status": STATUS % ((0,) * 4)}, row(), ["process_hidden"]),
    (host("/init.scope"), row(memory_mib=None), ["memory_hidden"]),
    (host("/init.scope"), row(type=None), ["unreadable"]),
]


@pytest.mark.parametrize(("texts", "said", "codes"), HIDDEN)
def test_hidden(tree, texts, said, codes):
    described, problems = describe(tree.lay(texts), [said])
    assert [(problem.code, problem.subject) for problem in problems] == [(code, "pid 4711") for code in codes]
    assert described[0].unit is None
    assert described[0].memory_mib == said["memory_mib"]


NAMES = [("/usr/bin/python3 --api-key s3cret", "/usr/bin/python3 --api-key ***"), ("a\nb", "a b"), (None, "python3")]


@pytest.mark.parametrize(("said", "name"), NAMES)
def test_names(tree, said, name):
    assert describe(tree.lay(host("/init.scope")), [row(name=said)])[0][0].name == name


def test_order(tree):
    described, unused = describe(tree, [row(pid=900), row(pid=80)])
    assert [process.pid for process in described] == [80, 900]
