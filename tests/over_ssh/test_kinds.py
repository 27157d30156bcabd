# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What holds on every kind of host: systemd or not, sftp or not, each Python, root or not."""

from __future__ import annotations

import pytest

from tests.lab.hosts import KINDS, all_hosts
from tests.over_ssh.controller import Controller, Results, lab, look, of, topology

PYTHONS = {host.name: host.python for host in KINDS if host.python}


@pytest.mark.parametrize("name", all_hosts())
def test_second_look_and_check_mode_say_the_same_and_change_nothing(name: str, looks: Results) -> None:
    first = of(name, looks)["first"]
    assert first["changed"] is False
    for task in ("second", "check"):
        assert looks[name][task]["changed"] is False
        assert topology(looks[name][task]) == topology(first), task


@pytest.mark.parametrize("name", ["bookworm", "trixie", "no-systemd", "no-sftp"])
def test_host_without_gpu_is_told_so(name: str, looks: Results) -> None:
    facts = topology(of(name, looks)["first"])
    assert (facts["state"], facts["pci_gpu_count"], facts["gpus"], facts["problems"]) == ("no_gpu", 0, [], [])


@pytest.mark.parametrize("name", PYTHONS)
def test_every_python_reads_what_the_system_python_reads(name: str, looks: Results) -> None:
    assert topology(of(name, looks)["first"]) == topology(looks["hgx-b200"]["first"])


def test_gather_facts_runs_the_module_with_its_defaults(controller: Controller, looks: Results) -> None:
    """A play that only asks for facts, on every Python of the lab."""
    play = {
        "gather_facts": True,
        "vars": {"ansible_facts_modules": ["ansible.builtin.setup", "inference.recon.nvidia_topology"]},
        "module_defaults": {
            "ansible.builtin.setup": {"gather_subset": ["!all", "min"]},
            "inference.recon.nvidia_topology": {"readers": ["nvidia_smi"], "timeout": 20},
        },
    }
    seen = {"python": "{{ ansible_facts.python_version }}", "gpus": "{{ ansible_facts.nvidia_topology }}"}
    show = {"ansible.builtin.set_fact": seen}
    hosts = {name: version for name, version in PYTHONS.items() if name in looks}
    results = controller.results(",".join(hosts), {"show": show}, **play)
    for name, version in hosts.items():
        facts = results[name]["show"]["ansible_facts"]
        assert facts["python"].startswith(f"{version}.")
        # The default came through module_defaults: without it NVML would have answered.
        assert (facts["gpus"]["state"], facts["gpus"]["source"]) == ("ok", "nvidia_smi")


def test_unprivileged_user_sees_the_same(controller: Controller, looks: Results) -> None:
    hosts = ("no-systemd", "b200-rental", "kpro6", "a6000-lost")
    tasks = {"who": {"ansible.builtin.command": "id -un"}, "look": look(cuda_check="all")}
    results = controller.results(",".join(hosts), tasks, "-e", "ansible_user=recon")
    for name in hosts:
        assert results[name]["who"]["stdout"] == "recon"
        assert topology(results[name]["look"]) == topology(looks[name]["cuda"])


def test_host_without_sftp_takes_modules_as_files_too(controller: Controller, looks: Results) -> None:
    offers_sftp = "grep -q ^Subsystem /etc/ssh/sshd_config"
    assert lab("ssh", "no-gpu", offers_sftp).returncode == 0
    assert lab("ssh", "no-sftp", offers_sftp).returncode == 1
    # Ansible's own default: no pipelining, sftp first, then whatever works.
    plain = Controller(controller.folder, controller.inventory, {"ANSIBLE_PIPELINING": "false"})
    assert topology(plain.results("no-sftp", {"look": look()})["no-sftp"]["look"]) == topology(looks["no-sftp"]["first"])


@pytest.mark.parametrize("name", ["kpro6", "b200-rental"])
def test_look_leaves_nothing_on_the_host(name: str, controller: Controller) -> None:
    before = files(name)
    controller.results(name, {"look": look(cuda_check="all")})
    assert files(name) == before


def files(name: str) -> list[str]:
    """Every file of a host and when it was written, but for the records of sshd and systemd."""
    found = lab("ssh", name, "find / /tmp /dev/shm -xdev -path /var/log -prune -o -type f -printf '%p %T@\\n'")
    assert found.returncode == 0, found.stderr
    return sorted(found.stdout.splitlines())
