# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime, timezone
from itertools import groupby
from typing import Any

from ansible import constants
from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.inference.recon.plugins.plugin_utils._fleet import Host, count_states, read_host
from ansible_collections.inference.recon.plugins.plugin_utils._report import console, files, gate, json
from ansible_collections.inference.recon.plugins.plugin_utils._report.text import Line, safe

ARGUMENTS = {
    "hosts": {"type": "list", "elements": "str", "required": True},
    "result": {"type": "str", "default": ""},
    "directory": {"type": "path", "default": "recon-report"},
    "gate": {"type": "bool", "default": False},
}
COLORS = {"good": "COLOR_OK", "bad": "COLOR_ERROR"}


class ActionModule(ActionBase):  # type: ignore[misc]
    """Report once on all hosts of a play: to the terminal, and to report.json on the controller."""

    _requires_connection = False
    _supports_check_mode = True
    _supports_async = False
    _supports_diff = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Read every host's result, write the report and print it."""
        super().run(tmp, task_vars)
        unused, options = self.validate_argument_spec(argument_spec=ARGUMENTS)
        hostvars = (task_vars or {})["hostvars"]
        hosts = [read_host(name, _raw(hostvars, name), options["result"]) for name in options["hosts"]]
        path = self._write(hosts, os.path.abspath(options["directory"]))
        self._print([*console.render(hosts), Line(f"report  {safe(path)}")])
        result = {"changed": False, "path": path, "totals": count_states(hosts)}
        return {**result, **self._decide(hosts)} if options["gate"] else result

    def _write(self, hosts: list[Host], directory: str) -> str:
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        try:
            files.make_private(directory)
            return files.write_private(directory, "report.json", json.render(hosts, now))
        except OSError as error:
            raise AnsibleActionFail(f"the report cannot be written to {directory!r}: {error}") from error

    def _decide(self, hosts: list[Host]) -> dict[str, Any]:
        line = gate.render(hosts)
        self._print([Line(line)])
        return {"failed": True, "msg": "not every host is ready: readiness is not judged by this version", "gate": line}

    def _print(self, lines: list[Line]) -> None:
        aside = not _is_for_people()
        for tone, group in groupby(lines, key=lambda line: line.tone):
            color = getattr(constants, COLORS[tone]) if tone in COLORS else None
            self._display.display("\n".join(line.text for line in group), color=color, stderr=aside)


def _raw(hostvars: Any, name: str) -> Mapping[str, Any]:
    """Return a host's variables untemplated: what a host said about itself must never be evaluated, and this is quick."""
    found = hostvars.raw_get(name)
    return found if isinstance(found, Mapping) else {}


def _is_for_people() -> bool:
    """Tell whether standard output is read by a person.

    It is not where somebody chose another callback (junit, json) or a result format: programs read that, and the
    report goes to standard error.
    """
    if constants.DEFAULT_STDOUT_CALLBACK == "inference.recon.brief":
        return True
    if constants.DEFAULT_STDOUT_CALLBACK not in ("default", "ansible.builtin.default"):
        return False
    unused, origin = constants.config.get_config_value_and_origin("result_format", plugin_type="callback", plugin_name="default")
    return bool(origin == "default")
