# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook that people run, on the whole lab and a host that is not there."""

from __future__ import annotations

import json

from tests.lab import settings
from tests.over_ssh.controller import Controller, Results, topology


def test_survey_reports_every_host_reached_or_not(controller: Controller, looks: Results) -> None:
    absent = controller.folder / "absent.yml"
    # An address of the lab's own network that no host has.
    absent.write_text(json.dumps({"all": {"hosts": {"old-rental": {"ansible_host": f"{settings.SUBNET}.254"}}}}))
    done = controller.playbook("inference.recon.survey", "-i", str(absent), "-e", "ansible_timeout=5")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((controller.folder / "recon-report/report.json").read_text())
    rows = {row["name"]: row for row in report["hosts"]}
    assert set(rows) == {*looks, "old-rental"}
    assert rows["old-rental"]["state"] == "unreachable"
    assert "old-rental" in done.stdout
    for name, look in looks.items():
        assert rows[name]["facts"]["nvidia_topology"]["gpus"] or not topology(look["first"])["gpus"], name
        assert name in done.stdout
    assert rows["b200-rental"]["state"] == "ok"
    assert rows["dflash-train"]["same_machine_as"] == "kpro6" or rows["kpro6"]["same_machine_as"] == "dflash-train"
