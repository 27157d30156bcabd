# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one playbook for a person: ``python bin/play.py recon|survey|gate``, settings in the environment (see the Makefile).

Ends with 0 when every host was surveyed (gate: is ready), 2 when not, 1 when it was asked wrongly.
"""

from __future__ import annotations

import contextlib
import json
import locale
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping

from addresses import AddressError, make_inventory, parse_addresses
from environment import ROOT, VENV, say

THIS_MACHINE = {
    "all": {
        "hosts": {
            "localhost": {
                "ansible_connection": "local",
                "ansible_python_interpreter": "{{ ansible_playbook_python }}",
            },
        },
    },
}
NO = frozenset(["", "0", "n", "no", "false"])
READER_GONE = 141
"""What a shell says of a program that SIGPIPE ended."""

NOBODY_ASKED = "RECON-GATE verdict=unknown ready=0 not_ready=0 unreachable=0"


class UsageError(Exception):
    """The settings do not fit together; the text is one line that says what would."""


def choose_inventory(settings: Mapping[str, str]) -> str | dict[str, object]:
    """Return the inventory to use: what INVENTORY names, or one made of HOST, or of this machine."""
    host, inventory = settings.get("HOST", ""), settings.get("INVENTORY", "")
    if host and inventory:
        raise UsageError("give HOST or INVENTORY, not both")
    if host:
        addresses = parse_addresses(host)
        for address in addresses:
            if address.key and not os.path.isfile(os.path.expanduser(address.key)):
                raise UsageError(f"there is no key file {address.key} (-i in HOST)")
        return make_inventory(addresses)
    if not inventory:
        return THIS_MACHINE
    if not os.path.exists(inventory):
        raise UsageError(f"INVENTORY={inventory} does not exist; for one address: HOST=root@203.0.113.7:36472")
    return inventory


def choose_report_dir(settings: Mapping[str, str]) -> str:
    """Return the directory for the report; it is asked for before any host is, which may take long."""
    path = os.path.abspath(settings.get("REPORT") or "recon-report")
    there = os.path.dirname(path) if os.path.islink(path) else path  # a link in its place is replaced
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise UsageError(f"the report cannot be written to {path}: {there} is no directory; REPORT=dir names another")
    if not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(f"the report cannot be written to {path}: {there} is closed to you; REPORT=dir names another")
    return path


@contextlib.contextmanager
def inventory_file(inventory: str | dict[str, object]) -> Iterator[str]:
    """Lend the inventory as a file; one that was made here goes away again."""
    if isinstance(inventory, str):
        yield inventory
        return
    with tempfile.NamedTemporaryFile("w", prefix="recon-", suffix=".yml") as handle:
        json.dump(inventory, handle)
        handle.flush()
        yield handle.name


def is_dry(playbook: str, settings: Mapping[str, str]) -> bool:
    """Tell whether nothing may change: without APPLY that is so where nobody named a host."""
    if "APPLY" in settings:
        return settings["APPLY"].lower() in NO
    return playbook == "recon" and not (settings.get("HOST") or settings.get("INVENTORY"))


def compose_command(playbook: str, settings: Mapping[str, str], inventory: str, report_dir: str) -> list[str]:
    """Return the ansible-playbook command line."""
    command = [sys.executable, os.path.join(VENV, "bin", "ansible-playbook")]
    command += [os.path.join(ROOT, "playbooks", f"{playbook}.yml"), "--inventory", inventory]
    if is_dry(playbook, settings):
        command.append("--check")
    if settings.get("LIMIT"):
        command += ["--limit", settings["LIMIT"]]
    try:
        command += shlex.split(settings.get("EXTRA", ""))
    except ValueError as error:
        raise UsageError(f"EXTRA={settings['EXTRA']!r}: {error}") from None
    # Last, so that the report read afterwards is the one that was written.
    return [*command, "--extra-vars", json.dumps({"sglang_host_report_dir": report_dir})]


def compose_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which this checkout and its settings win over what lies elsewhere."""
    paths = [os.path.join(ROOT, "collections"), environ.get("ANSIBLE_COLLECTIONS_PATH", "")]
    return {
        "ANSIBLE_STDOUT_CALLBACK": "inference.recon.brief",
        "ANSIBLE_LOCALHOST_WARNING": "false",
        **environ,
        **utf8_locale(),
        **writable_home(),
        "ANSIBLE_CONFIG": os.path.join(ROOT, "ansible.cfg"),
        "ANSIBLE_COLLECTIONS_PATH": os.pathsep.join(filter(None, paths)),
    }


def utf8_locale() -> dict[str, str]:
    """Return what gives Ansible the UTF-8 locale that it insists on, where the person's is another."""
    try:
        locale.setlocale(locale.LC_ALL, "")
        if locale.nl_langinfo(locale.CODESET).upper() == "UTF-8":
            return {}
    except locale.Error:
        pass  # a locale that this machine does not have: ssh carries them from one to the next
    return {"LC_ALL": "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"}


def writable_home() -> dict[str, str]:
    """Return a place for Ansible's own files where the home takes none, as a service account's."""
    home = os.path.expanduser("~")
    place = os.path.join(home, ".ansible")
    if os.access(place if os.path.exists(place) else home, os.W_OK):
        return {}
    return {"ANSIBLE_HOME": os.path.join(ROOT, ".cache", "ansible")}


def identify(path: str) -> tuple[int, int] | None:
    """Return what tells one written report from the next."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def run_ansible(command: list[str], environ: Mapping[str, str]) -> int:
    """Run a command to its end and return its status, or end it when whoever reads its output has gone (| head).

    ansible-core itself waits for ever then: the thread that prints its results dies, and nobody asks for more.
    """
    if sys.stdout.isatty():
        return subprocess.run(command, env=environ, check=False).returncode
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, bufsize=0) as child:
        assert child.stdout  # noqa: S101  asked for above
        try:
            while chunk := child.stdout.read(1 << 16):
                while chunk:
                    chunk = chunk[os.write(1, chunk) :]
        except BrokenPipeError:
            child.terminate()
            return READER_GONE
    return child.returncode


def judge_run(playbook: str, status: int, report: str, before: tuple[int, int] | None) -> int:
    """Return the exit status: a run that says all is well is believed only with a fresh report of every host."""
    if identify(report) in (None, before):
        if status == 0:
            say("no host was surveyed: the inventory names none, or LIMIT or EXTRA leave none")
        if playbook == "gate":
            print(NOBODY_ASKED)
        return status or 2
    with open(report, encoding="ascii") as handle:
        missing = [host["name"] for host in json.load(handle)["hosts"] if host["facts"] is None]
    return status or (2 if missing else 0)


def play(playbook: str, settings: Mapping[str, str]) -> int:
    """Run the playbook and return the exit status."""
    report_dir = choose_report_dir(settings)
    report = os.path.join(report_dir, "report.json")
    before = identify(report)
    chosen = choose_inventory(settings)
    with inventory_file(chosen) as inventory:
        command = compose_command(playbook, settings, inventory, report_dir)
        if chosen is THIS_MACHINE:
            say("this machine only; HOST= or INVENTORY= names others")
        status = run_ansible(command, compose_environment(os.environ))
    if status == READER_GONE:
        return status
    return judge_run(playbook, status, report, before)


def main() -> int:
    """Run the playbook that the command line names."""
    try:
        return play(sys.argv[1], os.environ)
    except (AddressError, UsageError) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
