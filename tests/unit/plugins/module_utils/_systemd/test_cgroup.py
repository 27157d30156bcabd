# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Paths as systemd, the container engines and LXC make them; cgroups(7)."""

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._systemd.cgroup import Membership, parse_cgroup

ID = "3f5e8c9a7b2d4e6f8a1c0b9d7e5f3a2c1b0d9e8f7a6c5b4d3e2f1a0b9c8d7e6f"

PATHS = [
    ("/system.slice/ollama.service", Membership("ollama.service")),
    ("/system.slice/docker.service", Membership("docker.service")),
    ("/system.slice/system-sglang.slice/sglang@0.service", Membership("sglang@0.service")),
    ("/user.slice/user-1000.slice/user@1000.service/app.slice/vllm.service", Membership("vllm.service")),
    ("/user.slice/user-1000.slice/user@1000.service/app.slice/run-r1.scope", Membership("user@1000.service")),
    ("/user.slice/user-0.slice/session-4.scope", Membership()),
    ("/init.scope", Membership()),
    ("/lxc/105/ns/system.slice/sglang.service", Membership("sglang.service", "lxc", "105")),
    ("/lxc/105", Membership(None, "lxc", "105")),
    ("/lxc.payload.web/system.slice/sglang.service", Membership("sglang.service", "lxc", "web")),
    ("/system.slice/docker-%s.scope" % ID, Membership(None, "docker", ID)),
    ("/docker/%s" % ID, Membership(None, "docker", ID)),
    ("/system.slice/docker-%s.scope/system.slice/nginx.service" % ID, Membership("nginx.service", "docker", ID)),
    ("/machine.slice/libpod-%s.scope/container" % ID, Membership(None, "podman", ID)),
    ("/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-%s.scope" % ID, Membership(None, "podman", ID)),
    (
        r"/machine.slice/machine-web\x2d1.scope/payload/system.slice/nginx.service",
        Membership("nginx.service", "systemd-nspawn", "web-1"),
    ),
    (
        "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/cri-containerd-%s.scope" % ID,
        Membership(None, "containerd", ID),
    ),
    ("/kubepods.slice/kubepods-pod1.slice/crio-%s.scope" % ID, Membership(None, "cri-o", ID)),
    ("/", Membership(hidden=True)),
]


@pytest.mark.parametrize(("path", "membership"), PATHS)
def test_paths(path, membership):
    assert parse_cgroup("0::%s\n" % path) == membership


TEXTS = [
    # (text, membership): cgroup v1, hybrid, nothing
    ("5:memory:/docker/x\n1:name=systemd:/system.slice/ollama.service\n", Membership("ollama.service")),
    ("1:name=systemd:/system.slice/ollama.service\n0::/\n", Membership("ollama.service")),
    ("1:name=systemd:/\n0::/system.slice/vllm.service\n", Membership("vllm.service")),
    ("12:pids:/docker/%s\n1:name=systemd:/docker/%s\n0::/\n" % (ID, ID), Membership(None, "docker", ID)),
    ("1:name=systemd:/\n0::/\n", Membership(hidden=True)),
    ("5:memory:/user.slice\n", Membership(hidden=True)),
    ("", Membership(hidden=True)),
]


@pytest.mark.parametrize(("text", "membership"), TEXTS)
def test_texts(text, membership):
    assert parse_cgroup(text) == membership
