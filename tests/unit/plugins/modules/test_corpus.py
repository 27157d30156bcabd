# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Public reports replayed through an executable nvidia-smi: their right readings, and nothing but unknowns from the rest."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.unit.plugins.modules.corpus_readings import BLANK, LOGS, NIC_PATHS, NO_COLUMN, NVLINK, PASTED, TOPOLOGY, registered

CORPUS = Path(__file__).resolve().parents[5] / "shared" / "corpus"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the public reports are not here (../shared/corpus)")

TAILS = ("cpu_affinity", "numa_affinity", "gpu_numa_id")
COMMANDS = (
    "-q -x",
    "topo -m",
    "nvlink -s",
    "--query-gpu=index,uuid,pci.bus_id,compute_cap --format=csv,noheader",
)
FAILURES = {
    "02-mismatch-570": 18,
    "03-mismatch-container-565": 18,
    "05-nvml-unknown-cgroup": 255,
    "06-nvml-function-not-found": 13,
    "07-no-driver": 9,
    "08-no-devices": 6,
    "11-handle-unknown-nospace": 255,
    "12-handle-unknown-space": 255,
    "14-handle-garbled-busid": 15,
}


def content(folder, name):
    return (CORPUS / folder / (name + ".txt")).read_bytes().decode("utf-8")


def others():
    read = set(TOPOLOGY) | set(NVLINK) | set(LOGS) | set(FAILURES)
    files = [path for folder in ("topology", "nvidia-smi-q", "driver-failures") for path in (CORPUS / folder).glob("*.txt")]
    return sorted("%s/%s" % (path.parent.name, path.stem) for path in files if path.stem not in read)


def as_printed(text, rows):
    """Turn a matrix that went through a terminal back into what nvidia-smi prints: TABs, an underlined header, and one
    more TAB before N/A and the GPU NUMA ID, as in the captures 19 and 41."""
    lines = [line.split() for line in text.replace("\x1b[4m", "").splitlines()]
    start = next(place for place, line in enumerate(lines) if line[:1] == ["GPU0"])
    matrix = list(itertools.takewhile(bool, lines[start + 1 :]))
    width = len(matrix)
    numa_id = rows[0][2] is not NO_COLUMN
    names = [row[0] for row in matrix] + ["CPU Affinity", "NUMA Affinity"] + ["GPU NUMA ID"] * numa_id
    printed = ["\t\x1b[4m" + "\t".join(names) + "\x1b[0m"]
    for place, row in enumerate(matrix):
        cells = [" X " if cell == "X" else cell for cell in row[1 : 1 + width]]
        printed.append("\t".join([row[0]] + cells + (_tail(rows[place]) if place < len(rows) else [""] * 4 * numa_id)))
    legend = text.splitlines()[start + 1 + len(matrix) :]
    return "\n".join(printed + legend) + "\n"


def _tail(row):
    cpu, numa, numa_id = row
    return [cpu] + (["", "N/A"] if numa == "N/A" else [numa]) + ([] if numa_id is NO_COLUMN else ["", numa_id])


def hold_links(facts, count, pairs):
    expected = {}
    for path, names in pairs.items():
        for name in names.split() if path != "*" else ():
            expected[name] = path
    for a, b in itertools.combinations(range(count), 2):
        expected.setdefault("%d-%d" % (a, b), pairs.get("*"))
    found = {"%(a)d-%(b)d" % link: link["path"] for link in facts["links"]}
    assert found == expected
    for link in facts["links"]:
        assert link["nvlinks"] == (int(link["path"][2:]) if link["path"].startswith("NV") else 0)


def hold_affinities(facts, rows):
    for gpu, row in zip(facts["gpus"], rows):
        for name, printed in zip(TAILS, row):
            if printed in ("N/A", NO_COLUMN, BLANK):
                assert gpu[name] is None
            else:
                assert str(gpu[name]) == printed
            assert (name in gpu["not_supported"]) == (printed == "N/A") or printed in (NO_COLUMN, BLANK)
        said = [p["message"] for p in facts["problems"] if p["subject"] == "GPU %d" % gpu["index"]]
        assert any("cpu_affinity" in message for message in said) == (row[0] == BLANK)


@pytest.mark.parametrize("form", ["printed", "pasted"])
@pytest.mark.parametrize("name", sorted(TOPOLOGY))
def test_matrices(host, name, form):
    pairs, nics, rows = TOPOLOGY[name]
    text = content("topology", name)
    if form == "printed":
        text = as_printed(text, rows) if "\t" not in text else text
    else:
        rows = PASTED.get(name, rows)
    host.replay({"topo -m": (text, 0)})
    facts = host.look()
    assert [gpu["index"] for gpu in facts["gpus"]] == list(range(len(rows)))
    hold_links(facts, len(rows), pairs)
    hold_affinities(facts, rows)
    assert len(facts["nics"]) == nics
    assert facts["state"] == "degraded"  # nothing but the matrix answers


@pytest.mark.parametrize("name", sorted(NIC_PATHS))
def test_nics(host, name):
    host.replay({"topo -m": (content("topology", name), 0)})
    found = [(nic["name"], nic["device"], " ".join(nic["paths"].values())) for nic in host.look()["nics"]]
    assert found == NIC_PATHS[name]


@pytest.mark.parametrize("name", sorted(NVLINK))
def test_nvlink(host, name):
    host.replay({"nvlink -s": (content("topology", name), 0)})
    facts = host.look()
    assert [(gpu["nvlink"]["links_active"], gpu["nvlink"]["links_total"]) for gpu in facts["gpus"]] == NVLINK[name]
    says_none = name.startswith("46")
    assert all(("nvlink.links_active" in gpu["not_supported"]) == says_none for gpu in facts["gpus"])
    assert facts["state"] == "degraded"


@pytest.mark.parametrize("name", sorted(LOGS))
def test_logs(host, name):
    versions, buses, each = LOGS[name]
    host.replay({"-q -x": (content("nvidia-smi-q", name), 0)})
    facts = host.look()
    assert (facts["driver"]["version"], facts["driver"]["cuda_version"]) == versions
    assert [gpu["pci_bus_id"] for gpu in facts["gpus"]] == ["0000:%s:00.0" % bus for bus in buses.split()]
    assert [gpu["minor_number"] for gpu in facts["gpus"]] == list(range(len(buses.split())))
    for gpu in facts["gpus"]:
        assert {key: gpu[key] for key in each} == each
        assert [key for key, value in each.items() if value is None and key not in gpu["not_supported"]] == []
        assert gpu["ecc"]["enabled"] is True
        assert gpu["processes"] == []
        assert gpu["state"] == "ok"
    assert (facts["source"], facts["state"]) == ("nvidia_smi", "ok")
    assert facts["links"] is None


def test_a_gpu_off_the_fabric(host):
    host.replay({"-q -x": (content("nvidia-smi-q", "08-gb200-fabric-degraded-qx"), 0)})
    cluster = "00000000-0000-0000-0000-000000000001"
    assert [gpu["fabric"] for gpu in host.look()["gpus"]] == [
        registered(0, "healthy", cluster),
        registered(0, "unhealthy", cluster),
    ]


def test_a_gpu_with_memory_errors(host):
    host.replay({"-q -x": (content("nvidia-smi-q", "09-gb200-ecc-injected-qx"), 0)})
    first, second = host.look()["gpus"]
    assert first["ecc"] == {"enabled": True, "volatile_uncorrected": 5, "aggregate_uncorrected": 8}
    assert first["remapped_rows"] == {"pending": False, "failure": True}
    assert second["ecc"] == {"enabled": True, "volatile_uncorrected": 0, "aggregate_uncorrected": 0}
    assert second["remapped_rows"] == {"pending": False, "failure": False}


@pytest.mark.parametrize(
    ("name", "modules", "state", "nvml_version"),
    [
        ("02-mismatch-570", ("nvidia",), "driver_library_mismatch", "570.124"),
        ("03-mismatch-container-565", ("nvidia",), "driver_library_mismatch", "565.57"),
        ("05-nvml-unknown-cgroup", ("nvidia",), "access_denied", None),
        ("06-nvml-function-not-found", ("nvidia",), "unknown", None),
        ("07-no-driver", (), "driver_not_loaded", None),
        ("08-no-devices", ("nvidia",), "no_devices", None),
    ],
)
def test_failures(host, name, modules, state, nvml_version):
    host.lay(modules, [("0000:01:00.0", "0x2b85", "nvidia")])
    text = content("driver-failures", name)
    host.replay({}, other=(text, FAILURES[name]))
    facts = host.look()
    assert facts["state"] == state
    assert facts["driver"]["nvml_version"] == nvml_version
    assert facts["driver"]["version"] is None
    assert facts["source"] == "pci"
    assert [(gpu["pci_bus_id"], gpu["name"], gpu["state"]) for gpu in facts["gpus"]] == [("0000:01:00.0", None, "unknown")]
    assert text.splitlines()[0] in [problem["message"] for problem in facts["problems"]]


def test_no_devices_and_none_on_the_bus(host):
    host.replay({}, other=(content("driver-failures", "08-no-devices"), 6))
    assert host.look()["state"] == "no_gpu"


@pytest.mark.parametrize(
    ("name", "bus"),
    [
        ("11-handle-unknown-nospace", "0000:07:00.0"),
        ("12-handle-unknown-space", "0000:09:00.0"),
        ("14-handle-garbled-busid", None),
    ],
)
def test_lost_handles(host, name, bus):
    host.lay(("nvidia",))
    text = content("driver-failures", name)
    host.replay({}, other=(text, FAILURES[name]))
    facts = host.look()
    assert facts["state"] == "degraded"
    assert [(gpu["index"], gpu["pci_bus_id"], gpu["state"]) for gpu in facts["gpus"]] == [(None, bus, "error")]
    assert [fault["message"] for fault in facts["gpus"][0]["faults"]] == [text.strip()]


@pytest.mark.parametrize("status", [0, 255])
@pytest.mark.parametrize("name", others())
def test_everything_else_is_unknown(host, name, status):
    """A text that a command does not print gives nulls and problems, whichever command prints it and however that ends."""
    text = (CORPUS / (name + ".txt")).read_bytes()
    for printing in [[command] for command in COMMANDS] + [COMMANDS]:
        host.replay(dict.fromkeys(printing, (text, status)))
        result, ended = host.start({})
        assert ended == 0
        facts = result["ansible_facts"]["nvidia_topology"]
        assert facts["state"] == ("degraded" if facts["gpus"] else "unknown")
        assert facts["driver"]["version"] is None
        assert facts["links"] is None
        assert [gpu for gpu in facts["gpus"] if gpu["state"] == "ok" or gpu["uuid"] or gpu["name"]] == []
        assert facts["problems"]


def test_every_other_file_is_replayed():
    assert len(others()) == 13
