# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The stand-in nvidia-smi: the forms of the real tool, and the ways in which it goes wrong."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("yaml")

from tests.standin import load, names, recorded
from tests.standin.smi import COMMANDS, CSV

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
HOSTS = [name for name in names() if load(name).driver]
ANSWERING = [name for name in HOSTS if load(name).fault("nvmlInit_v2") is None]


def run(name, arguments, changes=None, timeout=30):
    tool = recorded(name, changes) / "bin" / "nvidia-smi"
    return subprocess.run([tool, *arguments.split(" ")], capture_output=True, timeout=timeout, check=False)


def spoil(**wish):
    return {"faults": {"smi": {"-q -x": wish}}}


@pytest.mark.parametrize("name", ANSWERING)
def test_xml_is_whole(name):
    log = ElementTree.fromstring(run(name, "-q -x").stdout)
    host = load(name)
    assert log.findtext("attached_gpus") == str(len(host.gpus))
    for element, gpu in zip(log.findall("gpu"), host.gpus):
        assert element.get("id") == f"0000{gpu.bus.upper()}"
        assert element.findtext("uuid") == gpu.uuid
        assert element.findtext("minor_number") == str(gpu.minor)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the recorded outputs of real tools are not here")
@pytest.mark.parametrize(("name", "real"), [("b200-rental", "01-b200-hw-qx.txt"), ("a6000-lost", "05-a100-hw-qx.txt")])
def test_xml_has_the_elements_of_the_real_one(name, real):
    """Both drivers' formats: the same elements in the same order, the lists of clocks aside."""
    ours = ElementTree.fromstring(run(name, "-q -x").stdout)
    theirs = ElementTree.fromstring((CORPUS / "nvidia-smi-q" / real).read_text())
    assert [child.tag for child in ours if child.tag != "gpu"] == [child.tag for child in theirs if child.tag != "gpu"]
    assert shape(ours.find("gpu")) == shape(theirs.find("gpu"))


def shape(element):
    varying = {"supported_clocks", "mig_devices", "processes"}
    return [element.tag, [] if element.tag in varying else [shape(child) for child in element]]


def test_topo_is_printed_as_by_the_real_tool():
    lines = run("kpro6", "topo -m").stdout.decode().split("\n")
    gpus = "\t".join(f"GPU{index}" for index in range(8))
    assert lines[0] == f"\t\x1b[4m{gpus}\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m"
    assert lines[1] == "GPU0\t X \tNODE\tNODE\tNODE\tSYS\tSYS\tSYS\tSYS\t0-63,128-191\t0\t\tN/A"
    assert lines[8] == "GPU7\tSYS\tSYS\tSYS\tSYS\tNODE\tNODE\tNODE\t X \t64-127,192-255\t1\t\tN/A"
    assert lines[9:12] == ["", "Legend:", ""]


def test_topo_with_network_cards():
    lines = run("hgx-b200", "topo -m").stdout.decode().split("\n")
    mesh = "\tNV18" * 7
    assert lines[1] == f"GPU0\t X {mesh}\tPIX\tNODE\tNODE\tNODE\tNODE\tSYS\tSYS\tSYS\tSYS\tSYS\t0-55,112-167\t0\t\tN/A"
    assert lines[9].startswith("NIC0\tPIX\tNODE\tNODE\tNODE\tSYS\tSYS\tSYS\tSYS\t X \tNODE")
    assert lines[9].endswith("SYS\t\t\t\t")
    assert lines[-5:] == ["  NIC7: mlx5_7", "  NIC8: mlx5_8", "  NIC9: mlx5_9", "", ""]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("kpro6", ["Device does not have or support Nvlink"]),
        ("a6000-lost", [f"\t Link {link}: 14.062 GB/s" for link in range(4)]),
        ("b200-rental", [f"\t Link {link}: 53.125 GB/s" for link in range(18)]),
    ],
)
def test_nvlink(name, lines):
    gpu = load(name).gpus[0]
    printed = run(name, "nvlink -s").stdout.decode().split("\n")
    assert printed[: 1 + len(lines)] == [f"GPU 0: {gpu.name} (UUID: {gpu.uuid})", *lines]
    assert printed[1 + len(lines)].startswith("GPU 1: ")


def test_nvlink_off_the_mesh():
    printed = run("hgx-b200-off-mesh", "nvlink -s").stdout.decode()
    assert printed.count("NVML: Unable to retrieve Nvlink information as all links are inActive\n") == 1
    assert printed.count("Link ") == 7 * 18


def test_csv():
    uuids = [gpu.uuid for gpu in load("a6000-lost").gpus]
    rows = [f"0, {uuids[0]}, 00000000:17:00.0, 8.6", f"1, {uuids[1]}, 00000000:65:00.0, 8.6", ""]
    assert run("a6000-lost", CSV).stdout.decode().split("\n") == rows


@pytest.mark.parametrize("arguments", list(COMMANDS))
@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (9, 9, b"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."),
        (18, 18, b"Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.126\n"),
        (999, 255, b"Failed to initialize NVML: Unknown Error\n"),
    ],
)
def test_nvml_does_not_start(arguments, error, code, words):
    done = run("kpro6", arguments, {"faults": {"nvml": [{"call": "nvmlInit_v2", "error": error}]}})
    assert done.returncode == code
    assert done.stdout.startswith(words)


def test_no_card_answers():
    done = run("vfio-lent", "topo -m", {"gpu": {"driver": "vfio-pci"}})
    assert (done.returncode, done.stdout) == (6, b"No devices were found\n")


def test_a_lost_card_silences_the_log():
    lost = {"faults": {"nvml": [{"call": "nvmlDeviceGetHandleByIndex_v2", "gpu": 1, "error": 999}]}}
    done = run("a6000-lost", "-q -x", lost)
    assert done.returncode == 255
    assert done.stdout == b"Unable to determine the device handle for GPU0000:65:00.0: Unknown Error\n"


def test_a_refused_call_is_a_word_in_its_cell():
    refused = {"faults": {"nvml": [{"call": "nvmlDeviceGetMemoryInfo_v2", "gpu": 0, "error": 4}]}}
    log = ElementTree.fromstring(run("kpro6", "-q -x", refused).stdout)
    used = [gpu.findtext("fb_memory_usage/used") for gpu in log.findall("gpu")]
    assert used == ["Insufficient Permissions", *["0 MiB"] * 7]


def test_other_arguments_are_refused():
    assert run("kpro6", "-pm 1").returncode == 2


def test_cells_of_an_error_with_exit_0():
    done = run("kpro6", "-q -x", spoil(replace=[["<used>56077 MiB</used>", "<used>ERR!</used>"]]))
    assert (done.returncode, done.stdout.count(b"ERR!")) == (0, 1)


def test_replacing_nothing_is_a_mistake():
    with pytest.raises(ValueError, match="is not in the output"):
        run("kpro6", "-q -x", spoil(replace=[["<used>1 MiB", ""]]))


def test_half_an_xml():
    done = run("kpro6", "-q -x", spoil(keep=0.5))
    assert len(done.stdout) == len(run("kpro6", "-q -x").stdout) // 2


def test_latin_1():
    done = run("kpro6", "-q -x", spoil(replace=[["Server Edition", "Ausführung"]], latin1=True))
    assert b"Ausf\xfchrung" in done.stdout


def test_a_flood():
    assert len(run("kpro6", "-q -x", spoil(flood_mib=3)).stdout) > 3 << 20


def test_words_and_exit_code():
    done = run("kpro6", "-q -x", spoil(stdout="oh", stderr="no", exit=7))
    assert (done.stdout, done.stderr, done.returncode) == (b"oh", b"no", 7)


@pytest.mark.parametrize(("wish", "code"), [({"hang": True}, -15), ({"hang": True, "ignore_term": True}, None)])
def test_it_hangs(wish, code):
    tool = recorded("kpro6", spoil(**wish)) / "bin" / "nvidia-smi"
    hanging = subprocess.Popen([tool, "-q", "-x"], stdout=subprocess.PIPE)
    try:
        while not hanging.stdout.readline().startswith(b"</nvidia_smi_log>"):
            pass
        hanging.terminate()
        assert ended(hanging) == code
    finally:
        hanging.kill()
        hanging.wait(10)
        hanging.stdout.close()


def ended(process):
    try:
        return process.wait(1)
    except subprocess.TimeoutExpired:
        return None


def test_a_grandchild_holds_the_output():
    began = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        run("kpro6", "-q -x", spoil(orphan=True), timeout=2)
    assert time.monotonic() - began < 10
