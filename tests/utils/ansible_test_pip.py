# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let ansible-test make its virtual environments with nothing but a package index: ``python tests/utils/ansible_test_pip.py``.

It fetches a get-pip script from a host of its own, unless its cache has one. This puts one there that installs the same
pinned pip from a wheel.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from ansible_test._internal.python_requirements import get_venv_packages

CACHE = Path.home() / ".ansible" / "test" / "cache"
SCRIPT = """\
import os, subprocess, sys
wheel = os.path.join(os.path.dirname(os.path.realpath(os.environ["GET_PIP"])), "pip-{version}-py3-none-any.whl")
arguments = [a for a in sys.argv[1:] if a not in ("--no-setuptools", "--no-wheel")]
environment = {{name: value for name, value in os.environ.items() if name != "GET_PIP"}}
sys.exit(subprocess.call([sys.executable, os.path.join(wheel, "pip"), "install"] + arguments, env=environment))
"""


def main() -> None:
    """Fill the cache, unless it is filled."""
    version = get_venv_packages(SimpleNamespace(version="3.11"))["pip"]
    script = CACHE / f"get_pip_{version.replace('.', '_')}.py"
    if script.exists():
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", CACHE, f"pip=={version}"]
    subprocess.run(download, check=True)
    script.write_text(SCRIPT.format(version=version))


if __name__ == "__main__":
    main()
