# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The controller of these tests: the real ansible-playbook, on plays given as data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
MODULE = "inference.recon.nvidia_topology"

Task = dict[str, Any]
Results = dict[str, dict[str, Any]]


def lab(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.lab", *words]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)


@dataclass(frozen=True)
class Controller:
    """Runs plays from a folder of its own, as somebody would who has installed the collection."""

    folder: Path
    inventory: Path
    environment: dict[str, str] = field(default_factory=dict)

    def playbook(self, playbook: str, *arguments: str, timeout: float = 240) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": os.environ["HOME"],
            "LC_ALL": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(CHECKOUT / "collections"),
            "ANSIBLE_INJECT_FACT_VARS": "false",
            "ANSIBLE_PIPELINING": "true",
            "ANSIBLE_NOCOLOR": "true",
            "ANSIBLE_FORKS": "8",
            **self.environment,
        }
        command = ["ansible-playbook", "-i", str(self.inventory), *arguments, playbook]
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )

    def results(self, hosts: str, tasks: dict[str, Task], *arguments: str, **play: Any) -> Results:
        """Run tasks on hosts; return {host: {name of the task: its whole result}}."""
        results = self.folder / f"results-{time.monotonic_ns()}"
        results.mkdir()
        named = [{"name": name, "register": f"result_{number}", **task} for number, (name, task) in enumerate(tasks.items())]
        rows = ", ".join(f"{json.dumps(name)}: result_{number}" for number, name in enumerate(tasks))
        keep = {
            "name": "Keep the results",
            "ansible.builtin.copy": {"content": "{{ {%s} | to_json }}" % rows, "dest": f"{results}/{{{{ inventory_hostname }}}}"},
            "delegate_to": "localhost",
            "check_mode": False,
            "vars": {"ansible_connection": "local", "ansible_python_interpreter": sys.executable},
        }
        playbook = results.with_suffix(".yml")
        # JSON is YAML.
        playbook.write_text(json.dumps([{"hosts": hosts, "gather_facts": False, "tasks": [*named, keep], **play}]))
        done = self.playbook(str(playbook), *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        return {file.name: json.loads(file.read_text()) for file in results.iterdir()}


def look(**options: Any) -> Task:
    """A task that looks at the GPUs."""
    return {MODULE: options}


def topology(result: dict[str, Any]) -> dict[str, Any]:
    return dict(result["ansible_facts"]["nvidia_topology"])


def of(name: str, results: Results) -> dict[str, Any]:
    """The results of a host, if this machine's lab has it: CI's has them all."""
    if name not in results:
        pytest.skip(f"{name} is left out of this lab")
    return results[name]
