# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks under Ansible: whatever is limited, skipped or unreachable, no host is missing from the report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.controller.conftest import Person
from tests.unit.plugins.plugin_utils import stories

HERE = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
NOWHERE = {"ansible_host": "127.0.0.1", "ansible_port": 1}
HOSTS = {"here-1": HERE, "here-2": HERE, "gone": NOWHERE}
HOSTILE = "{{ lookup('pipe', 'touch evaluated') }}\x1b[2J\nfake ok"
REPORT_ONLY = """\
- hosts: all
  gather_facts: false
  tasks:
    - inference.recon.fleet_report:
        hosts: "{{ ansible_play_hosts_all }}"
        result: survey
      run_once: true
      delegate_to: localhost
"""

Play = Callable[..., Any]


@pytest.fixture
def play(settled: Person, tmp_path: Path) -> Play:
    """Return a function that runs ansible-playbook in a folder of the person's own, with the checkout's settings."""
    folder = Path(settled.account.pw_dir) / tmp_path.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()

    def run(*arguments: str, hosts: Any = None, cwd: Path = folder, files: dict[str, str] | None = None, **environ: str) -> Any:
        for name, text in {"hosts.json": json.dumps({"all": {"hosts": hosts or HOSTS}}), **(files or {})}.items():
            (cwd / name).write_text(text)
        settled.owns(folder)
        environ = {"ANSIBLE_CONFIG": str(settled.checkout / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1", **environ}
        done = settled.types(
            str(settled.checkout / ".venv/bin/ansible-playbook"), "-i", "hosts.json", *arguments, cwd=cwd, **environ
        )
        assert "Traceback" not in done.stdout + done.stderr
        report = cwd / "recon-report" / "report.json"
        found = json.loads(report.read_text())["hosts"] if report.is_file() and report.stat().st_size else None
        done.states = {host["name"]: host["state"] for host in found} if found else None
        done.folder = cwd
        return done

    return run


def expect(done: Any, **states: str) -> None:
    assert done.states == {name.replace("_", "-"): state for name, state in states.items()}, done.stdout + done.stderr


@pytest.fixture
def here(settled: Person) -> str:
    """Return the true state of this machine, as a plain run of the door says."""
    assert settled.types("make", "survey").returncode == 0
    (host,) = json.loads((settled.checkout / "recon-report" / "report.json").read_text())["hosts"]
    return str(host["state"])


@pytest.mark.parametrize("name", ["inference.recon.survey", "inference.recon.recon"])
@pytest.mark.parametrize("arguments", [(), ("--check",)], ids=["run", "check"])
def test_by_name_from_anywhere(play: Play, here: str, name: str, arguments: tuple[str, ...]) -> None:
    done = play(name, *arguments)
    assert done.returncode == 0
    expect(done, here_1=here, here_2=here, gone="unreachable")


def test_typed_inside_playbooks(play: Play, settled: Person, here: str) -> None:
    folder = settled.checkout / "playbooks"
    (folder / "recon-report").mkdir(exist_ok=True)
    shutil.rmtree(folder / "recon-report")
    done = play("recon.yml", cwd=folder, ANSIBLE_CONFIG="")
    assert done.returncode == 0
    expect(done, here_1=here, here_2=here, gone="unreachable")


def test_by_path_with_settings_of_ones_own(play: Play, settled: Person, here: str) -> None:
    playbook = str(settled.checkout / "playbooks" / "survey.yml")
    mine = {"ansible.cfg": "[defaults]\nforks = 2\n"}
    collections = str(settled.checkout / "collections")
    done = play(playbook, files=mine, ANSIBLE_CONFIG="", ANSIBLE_COLLECTIONS_PATH=collections)
    assert done.returncode == 0
    expect(done, here_1=here, here_2=here, gone="unreachable")


def test_limit_reports_on_what_it_leaves(play: Play, here: str) -> None:
    expect(play("inference.recon.survey", "--limit", "here-1,gone"), here_1=here, gone="unreachable")


def test_only_unreachable_hosts_are_reported_too(play: Play) -> None:
    expect(play("inference.recon.survey", "--limit", "gone"), gone="unreachable")


def test_tags_that_skip_the_survey_leave_unknown_hosts(play: Play) -> None:
    expect(play("inference.recon.survey", "--tags", "other"), here_1="unknown", here_2="unknown", gone="unknown")


def test_gate_fails_with_its_line(play: Play, here: str) -> None:
    done = play("inference.recon.gate")
    assert done.returncode == 2
    assert "RECON-GATE verdict=unknown ready=0 not_ready=2 unreachable=1" in done.stdout.splitlines()
    expect(done, here_1=here, here_2=here, gone="unreachable")


def test_imported_before_a_play_that_goes_on(play: Play, here: str) -> None:
    done = play(
        "mine.yml",
        files={
            "mine.yml": """\
- ansible.builtin.import_playbook: inference.recon.survey
  vars: {recon_hosts: here-1}
- hosts: here-1
  gather_facts: false
  tasks:
    - ansible.builtin.debug:
        msg: "found {{ ansible_facts.nvidia_topology.state }}"
"""
        },
    )
    assert done.returncode == 0
    assert f"found {here}" in done.stdout
    expect(done, here_1=here)


def test_serial_with_a_report_of_its_own(play: Play, here: str) -> None:
    task = "  tasks: [{ansible.builtin.import_role: {name: inference.recon.sglang_host, tasks_from: %s}}]\n"
    mine = (
        "- hosts: all\n  gather_facts: false\n  serial: 1\n"
        + task % "survey"
        + "- hosts: all\n  gather_facts: false\n"
        + task % "report"
    )
    expect(play("mine.yml", files={"mine.yml": mine}), here_1=here, here_2=here, gone="unreachable")


def test_role_without_an_entry_point(play: Play, here: str) -> None:
    mine = "- hosts: all\n  gather_facts: false\n  roles: [inference.recon.sglang_host]\n"
    expect(play("mine.yml", files={"mine.yml": mine}), here_1=here, here_2=here, gone="unreachable")


def test_become_is_for_hosts_and_not_for_the_report(play: Play) -> None:
    done = play("inference.recon.survey", "--become", hosts={"here-1": HERE})
    assert done.returncode == 0
    expect(done, here_1="unknown")  # this person has no sudo; the report, which needs none, says so


def test_facts_that_gather_facts_brought(play: Play, here: str) -> None:
    mine = REPORT_ONLY.replace(
        "gather_facts: false", "gather_facts: true\n  vars: {ansible_facts_modules: [inference.recon.nvidia_topology]}"
    )
    expect(play("mine.yml", hosts={"here-1": HERE}, files={"mine.yml": mine}), here_1=here)


def story(facts: dict[str, Any]) -> dict[str, Any]:
    return {"survey": {"ansible_facts": facts}}


def test_what_a_host_says_is_never_evaluated(play: Play) -> None:
    facts = stories.kpro6()
    facts["nvidia_topology"]["gpus"][0]["processes"][0]["unit"] = HOSTILE
    facts["nvidia_topology"]["driver"]["version"] = HOSTILE
    done = play("mine.yml", hosts={"evil": story(facts)}, files={"mine.yml": REPORT_ONLY})
    assert done.returncode == 0
    assert "{{ lookup('pipe', 'touch evaluated') }}\\x1b[2J\\x0afake ok" in done.stdout
    assert not (done.folder / "evaluated").exists()
    report = json.loads((done.folder / "recon-report" / "report.json").read_text())
    assert report["hosts"][0]["facts"]["nvidia_topology"]["driver"]["version"] == HOSTILE


@pytest.mark.parametrize(
    ("environ", "stream"),
    [
        ({}, "stdout"),
        ({"ANSIBLE_STDOUT_CALLBACK": "inference.recon.brief"}, "stdout"),
        ({"ANSIBLE_CALLBACK_RESULT_FORMAT": "json"}, "stderr"),
        ({"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}, "stderr"),
        ({"ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.minimal"}, "stderr"),
    ],
    ids=str,
)
def test_the_report_leaves_standard_output_to_programs(play: Play, environ: dict[str, str], stream: str) -> None:
    done = play("mine.yml", hosts={"kpro6": story(stories.kpro6())}, files={"mine.yml": REPORT_ONLY}, **environ)
    line = "kpro6        ok           8x RTX PRO 6000 Blackwell Server: 7 free, 1 busy"
    assert {name for name in ("stdout", "stderr") if line in getattr(done, name).splitlines()} == {stream}


def test_colour_only_where_it_is_asked_for(play: Play) -> None:
    hosts = {"kpro6": story(stories.kpro6())}
    plain = play("mine.yml", hosts=hosts, files={"mine.yml": REPORT_ONLY}, ANSIBLE_NOCOLOR="")
    forced = play("mine.yml", hosts=hosts, files={"mine.yml": REPORT_ONLY}, ANSIBLE_NOCOLOR="", ANSIBLE_FORCE_COLOR="1")
    assert ("\x1b" in plain.stdout, "\x1b[0;32mkpro6 " in forced.stdout) == (False, True)


def test_a_report_that_cannot_be_written_is_a_failure(play: Play) -> None:
    done = play("mine.yml", hosts={"kpro6": story(stories.kpro6())}, files={"mine.yml": REPORT_ONLY, "recon-report": ""})
    assert done.returncode == 2
    assert "the report cannot be written to" in done.stdout + done.stderr
