# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What people install: the built collection, run by its full names under each ansible-core that it promises."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.utils.environments import ROOT, NoPythonError, make_environment

CORES = {"2.17.14": ("3.10", "3.11", "3.12"), "2.19.14": ("3.11", "3.12", "3.13"), "2.21.5": ("3.12", "3.13", "3.14")}
"""The newest of each, and the Pythons it runs on; meta/runtime.yml asks for 2.17 or newer."""

ONLY_IN_THE_CHECKOUT = ("tests/", "collections/", ".ci/", ".cache/", ".venv/", "ansible.cfg")


def clean(collections: Path) -> dict[str, str]:
    """Return an environment in which nothing leads to the checkout."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(collections),
        "LC_ALL": "C.UTF-8",
        "ANSIBLE_COLLECTIONS_PATH": str(collections),
    }


def has_nvidia_card() -> bool:
    """Look at the bus, as independent of the survey as can be."""
    return any(vendor.read_text().strip() == "0x10de" for vendor in Path("/sys/bus/pci/devices").glob("*/vendor"))


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    subprocess.run(["ansible-galaxy", "collection", "build", "--output-path", folder], cwd=ROOT, check=True)
    (built,) = folder.glob("*.tar.gz")
    return built


@pytest.fixture(scope="module")
def installed(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    install = ["ansible-galaxy", "collection", "install", "--offline", "-p", folder, tarball]
    subprocess.run(install, cwd=folder, env=clean(folder), check=True)
    return folder


@pytest.fixture(params=CORES)
def core(request: pytest.FixtureRequest) -> Path:
    """Return the folder of the commands of an ansible-core."""
    version = request.param
    try:
        return (
            make_environment(f"ansible-core-{version}", CORES[version], [f"ansible-core=={version}", "jmespath", "packaging"])
            / "bin"
        )
    except NoPythonError as lack:
        pytest.skip(f"ansible-core {version} {lack}")


def test_package_is_called_as_its_version(tarball: Path) -> None:
    assert tarball.name == "inference-recon-0.1.0.tar.gz"


def test_package_holds_no_file_of_the_checkout_alone(tarball: Path) -> None:
    with tarfile.open(tarball) as package:
        names = package.getnames()
    assert "plugins/modules/nvidia_topology.py" in names
    assert [name for name in names if name.startswith(ONLY_IN_THE_CHECKOUT)] == []


def test_package_surveys_this_machine(core: Path, installed: Path, tmp_path: Path) -> None:
    python = f"ansible_python_interpreter={sys.executable}"
    survey = [core / "ansible-playbook", "inference.recon.survey", "-i", "localhost,", "-c", "local", "-e", python]
    done = subprocess.run(survey, cwd=tmp_path, env=clean(installed), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (host,) = json.loads((tmp_path / "recon-report" / "report.json").read_text())["hosts"]
    assert (host["name"], host["failure"]) == ("localhost", None)
    assert (host["facts"]["nvidia_topology"]["state"] == "no_gpu") is not has_nvidia_card()
