# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the project's own .venv once: ``python3 bin/environment.py``.

A stamp holds the hash of the requirements and the Python that made the environment. It is written last,
so a set-up that was killed leaves no stamp and the next one starts clean. Runs on Python 3.6+ to be able to
say that a newer one is needed.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(VENV, "bin", "python")
STAMP = os.path.join(VENV, "recon-stamp")
LOCK = os.path.join(ROOT, ".cache", "setup.lock")
REQUIREMENTS = os.path.join(ROOT, "requirements.txt")
OLDEST = (3, 10)
NEWER_NAMES = ("python3.14", "python3.13", "python3.12", "python3.11", "python3.10")


class SetupError(Exception):
    """Set-up cannot go on; the text is one line that says what to do."""


def say(line):
    """Tell the person what is going on, apart from the report on standard output."""
    print("recon: " + line, file=sys.stderr, flush=True)


def find_python():
    """Return the path of a Python new enough for ansible-core: this one, or a newer one on PATH."""
    if sys.version_info[:2] >= OLDEST:
        return os.path.realpath(sys.executable)  # not the link of an active environment: it may be ours
    for name in NEWER_NAMES:
        path = shutil.which(name)
        # A version manager's shim answers for versions that are not installed: ask it.
        if path and subprocess.run([path, "-c", ""], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return path
    how = "brew install python" if sys.platform == "darwin" else "apt install python3.11, or a newer release"
    raise SetupError(f"Python 3.10 or newer is needed here, this is {sys.version.split()[0]}: {how}")


def wanted_stamp(python):
    """Return what the stamp must say for the environment to be the wanted one."""
    with open(REQUIREMENTS, "rb") as handle:
        digest = hashlib.sha256(handle.read()).hexdigest()
    return f"{digest} {os.path.realpath(python)}\n"


def is_ready(wanted):
    """Tell whether the environment was finished for these requirements and its Python still starts."""
    try:
        with open(STAMP) as handle:
            return handle.read() == wanted and os.access(PYTHON, os.X_OK)
    except OSError:
        return False


def can_make_environments(python):
    """Tell whether this Python has ensurepip; Debian and Ubuntu ship it apart, in python3-venv."""
    code = "import ensurepip, venv"
    return subprocess.run([python, "-c", code], stderr=subprocess.DEVNULL, check=False).returncode == 0


def provide_venv(python):
    """Install python3-venv where we may, or say the command."""
    if can_make_environments(python):
        return
    command = "apt-get update && apt-get install -y python3-venv"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise SetupError(f"this Python cannot make environments; once, as root: {command}")
    say("installing python3-venv, which Debian and Ubuntu keep apart from python3")
    environ = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    done = subprocess.run(["sh", "-c", command], stdout=subprocess.DEVNULL, env=environ, check=False)
    if done.returncode or not can_make_environments(python):
        raise SetupError(f"python3-venv could not be installed; try: {command}")


def build(python, wanted):
    """Make the environment from nothing and stamp it."""
    provide_venv(python)
    say("setting up .venv from requirements.txt, once (about a minute)")
    shutil.rmtree(VENV, ignore_errors=True)
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "-qq", "--requirement", REQUIREMENTS]
    for command in ([python, "-m", "venv", VENV], pip):
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode:
            raise SetupError("set-up failed at: " + " ".join(command))
    with open(STAMP, "w") as handle:
        handle.write(wanted)


def ensure():
    """Return the Python of the finished environment; two set-ups at once wait for each other."""
    python = find_python()
    wanted = wanted_stamp(python)
    if is_ready(wanted):
        return PYTHON
    os.makedirs(os.path.dirname(LOCK), exist_ok=True)
    with open(LOCK, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_ready(wanted):
            build(python, wanted)
    return PYTHON


def main():
    """Make it, or say in one line what is missing."""
    try:
        ensure()
    except SetupError as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
