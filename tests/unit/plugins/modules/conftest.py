# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Starts a module as Ansible does, on a host whose nvidia-smi, bus and kernel modules a test lays out."""

from __future__ import annotations

import json
import shlex
from functools import partial

import pytest
from ansible.module_utils import basic
from ansible_collections.inference.recon.plugins.module_utils._host.files import Root
from ansible_collections.inference.recon.plugins.module_utils._nvidia.collect import Place, collect
from ansible_collections.inference.recon.plugins.modules import nvidia_topology

FAILED = ("nvidia-smi: this command failed\n", 1)


class Host:
    """A machine: `replay` writes its nvidia-smi, `lay` its kernel modules and cards, `look` returns the facts."""

    def __init__(self, folder, monkeypatch, capsys):
        self.tree, self.smi = folder / "root", folder / "nvidia-smi"
        self._monkeypatch, self._capsys = monkeypatch, capsys
        place = Place(Root(str(self.tree)), nvml=str(folder / "no-nvml"), cuda=str(folder / "no-cuda"))
        monkeypatch.setattr(nvidia_topology, "collect", partial(collect, place=place))
        self.lay()

    def lay(self, modules=(), cards=()):
        """`cards` are (bus id, device id, driver)."""
        self._write("proc/modules", "".join("%s 16384 0 - Live 0x0000000000000000\n" % name for name in modules))
        for folder in ("sys/bus/pci/devices", "sys/class"):
            (self.tree / folder).mkdir(parents=True, exist_ok=True)
        for bus_id, device, driver in cards:
            folder = "sys/bus/pci/devices/%s/" % bus_id
            for name, text in (("vendor", "0x10de"), ("class", "0x030200"), ("device", device), ("numa_node", "-1")):
                self._write(folder + name, text + "\n")
            (self.tree / folder / "driver").symlink_to("../../../../bus/pci/drivers/" + driver)

    def replay(self, outputs, other=FAILED):
        """`outputs` maps arguments to (what is printed, exit status); all other arguments do `other`."""
        lines = ["#!/bin/sh", 'case "$*" in']
        for number, (arguments, (text, status)) in enumerate(list(outputs.items()) + [("", other)]):
            printed = self.smi.with_name("printed-%d" % number)
            printed.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
            pattern = shlex.quote(arguments) if arguments else "*"
            lines.append("%s) cat %s; exit %d ;;" % (pattern, shlex.quote(str(printed)), status))
        self.smi.write_text("\n".join(lines + ["esac", ""]))
        self.smi.chmod(0o755)

    def look(self):
        """Run the module, and once more in check mode: neither may change anything, and both say the same."""
        results = [self.start({"_ansible_check_mode": check_mode}) for check_mode in (False, True)]
        assert results[0] == results[1]
        result, status = results[0]
        assert (status, result["changed"], list(result["ansible_facts"])) == (0, False, ["nvidia_topology"])
        return result["ansible_facts"]["nvidia_topology"]

    def start(self, options):
        """Run the module and return (what it prints, its exit status)."""
        arguments = {
            "readers": ["nvidia_smi"],
            "executable": str(self.smi),
            "_ansible_remote_tmp": str(self.tree),
            "_ansible_keep_remote_files": False,
        }
        packed = json.dumps({"ANSIBLE_MODULE_ARGS": dict(arguments, **options)}).encode("utf-8")
        self._monkeypatch.setattr(basic, "_ANSIBLE_ARGS", packed)
        self._monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
        with pytest.raises(SystemExit) as end:
            nvidia_topology.main()
        return json.loads(self._capsys.readouterr().out), end.value.code

    def _write(self, path, text):
        target = self.tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


@pytest.fixture
def host(tmp_path, monkeypatch, capsys):
    return Host(tmp_path, monkeypatch, capsys)
