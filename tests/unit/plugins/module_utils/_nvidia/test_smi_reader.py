# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The four commands of nvidia-smi joined: one failing costs only its own fields, and what it says decides the answer."""

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia import state
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import MISSING, NOT_SUPPORTED, UNREADABLE, kind
from ansible_collections.inference.recon.plugins.module_utils._nvidia.smi_reader import COMMANDS, commands, reading_of
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import Link
from ansible_collections.inference.recon.plugins.module_utils._run import Command, Outcome

XML, TOPO, NVLINK, QUERY = COMMANDS

UUIDS = ["GPU-00000000-0000-0000-0000-00000000000%d" % number for number in range(3)]
GPU = "<gpu id='00000000:%s:00.0'><product_name>NVIDIA B200</product_name><uuid>%s</uuid></gpu>"


def log(*gpus, attached=None):
    return "<nvidia_smi_log><driver_version>580.126.20</driver_version><attached_gpus>%s</attached_gpus>%s</nvidia_smi_log>" % (
        len(gpus) if attached is None else attached,
        "".join(GPU % gpu for gpu in gpus),
    )


def ok(text):
    return Outcome("ok", rc=0, out=text)


FAILED = Outcome("ok", rc=1, out="this command failed\n")
WHOLE = {
    XML: ok(log(("1B", UUIDS[0]), ("1C", UUIDS[1]))),
    TOPO: ok("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV18\t0-3\t0\nGPU1\tNV18\t X \t4-7\t1\n"),
    NVLINK: ok("".join("GPU %d: NVIDIA B200 (UUID: %s)\n\t Link 0: 50 GB/s\n" % row for row in enumerate(UUIDS[:2]))),
    QUERY: ok("0, %s, 00000000:1B:00.0, 10.0\n1, %s, 00000000:1C:00.0, 10.0\n" % (UUIDS[0], UUIDS[1])),
}


def reading(**changes):
    names = {"xml": XML, "topo": TOPO, "nvlink": NVLINK, "query": QUERY}
    return reading_of(dict(WHOLE, **{names[name]: outcome for name, outcome in changes.items()}))


def test_commands():
    assert commands("/opt/nvidia-smi", 5.0) == {
        "nvidia-smi -q -x": Command(("/opt/nvidia-smi", "-q", "-x"), 5.0),
        "nvidia-smi topo -m": Command(("/opt/nvidia-smi", "topo", "-m"), 5.0),
        "nvidia-smi nvlink -s": Command(("/opt/nvidia-smi", "nvlink", "-s"), 5.0),
        "nvidia-smi --query-gpu": Command(
            ("/opt/nvidia-smi", "--query-gpu=index,uuid,pci.bus_id,compute_cap", "--format=csv,noheader"), 5.0
        ),
    }


FIELDS = ("uuid", "name", "cpu_affinity", "nvlink.links_active", "compute_capability")


def told(found, index):
    cells = next(row.cells for row in found.rows if row.index == index)
    return tuple(cells.get(name, (None, ""))[0] for name in FIELDS)


COSTS = [
    # (command that fails, what is told of GPU 1 then, links)
    ({}, (UUIDS[1], "NVIDIA B200", "4-7", 1, "10.0"), True),
    ({"xml": FAILED}, (UUIDS[1], None, "4-7", 1, "10.0"), True),
    ({"topo": FAILED}, (UUIDS[1], "NVIDIA B200", None, 1, "10.0"), False),
    ({"nvlink": FAILED}, (UUIDS[1], "NVIDIA B200", "4-7", None, "10.0"), True),
    ({"query": FAILED}, (UUIDS[1], "NVIDIA B200", "4-7", 1, None), True),
    ({"topo": Outcome("timeout", why="no answer within 60 s")}, (UUIDS[1], "NVIDIA B200", None, 1, "10.0"), False),
    ({"nvlink": Outcome("crash", rc=-11, why="ended by signal 11")}, (UUIDS[1], "NVIDIA B200", "4-7", None, "10.0"), True),
]


@pytest.mark.parametrize(("changes", "expected", "has_links"), COSTS)
def test_one_that_fails_costs_its_own_fields(changes, expected, has_links):
    found = reading(**changes)
    assert found.answer == state.OK
    assert told(found, 1) == expected
    assert found.links == ((Link(0, 1, "NV18", 18),) if has_links else None)
    assert len(found.problems) == len(changes)


ANSWERS = [
    # (outcome of every command, how the driver answered)
    (Outcome("timeout", why="no answer within 60 s"), state.TIMEOUT),
    (Outcome("deadline", why="no answer within 1 s"), state.TIMEOUT),
    (Outcome("not_found", why="No such file or directory"), state.NO_LIBRARY),
    (Outcome("not_permitted", why="Permission denied"), state.FAILED),
    (Outcome("crash", rc=-11, why="ended by signal 11"), state.FAILED),
    (Outcome("too_much_output", why="printed more than 8388608 bytes"), state.FAILED),
    (FAILED, state.FAILED),
    (ok(""), state.FAILED),
    (
        Outcome("ok", rc=9, err="NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."),
        state.NO_DRIVER,
    ),
    (Outcome("ok", rc=0, out="No devices were found\n"), state.NO_DEVICES),
]


@pytest.mark.parametrize(("outcome", "answer"), ANSWERS)
def test_answers(outcome, answer):
    found = reading_of(dict.fromkeys(COMMANDS, outcome))
    assert found.answer == answer
    assert found.rows == ()
    assert found.links is None
    assert found.problems


WORDS = [
    # (what nvidia-smi says, code and message of the problem)
    ("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.", "not_found"),
    ("Failed to initialize NVML: Unknown Error", "driver_answer"),
]


@pytest.mark.parametrize(("line", "code"), WORDS)
def test_words(line, code):
    found = reading_of(dict.fromkeys(COMMANDS, Outcome("ok", rc=12, out="\n" + line + "\nPlease help.\n")))
    assert [(problem.source, problem.code, problem.message) for problem in found.problems] == [("nvidia-smi", code, line)]


def test_a_log_that_hangs_is_no_answer_whatever_else_answers():
    assert reading(xml=Outcome("timeout", why="no answer within 60 s")).answer == state.TIMEOUT


def test_gpus_are_found_by_bus_id_not_by_their_order():
    found = reading(xml=ok(log(("1C", UUIDS[1]), ("1B", UUIDS[0]))))
    assert told(found, 0)[:3] == (UUIDS[0], "NVIDIA B200", "0-3")
    assert told(found, 1)[:3] == (UUIDS[1], "NVIDIA B200", "4-7")


def test_a_gpu_that_only_the_log_knows():
    found = reading(xml=ok(log(("1B", UUIDS[0]), ("1C", UUIDS[1]), ("1D", UUIDS[2]))))
    assert [(row.index, row.cells["uuid"][0]) for row in found.rows] == [(0, UUIDS[0]), (1, UUIDS[1]), (None, UUIDS[2])]


def test_a_gpu_that_the_log_leaves_out():
    found = reading(xml=ok(log(("1B", UUIDS[0]), attached=2)))
    assert found.expected == 2
    assert [row.index for row in found.rows] == [0, 1]
    assert kind(found.rows[1].cells["name"]) == MISSING


def test_a_gpu_that_is_lost():
    line = "Unable to determine the device handle for GPU0000:1D:00.0: Unknown Error"
    found = reading(xml=ok(line + "\n" + log(("1B", UUIDS[0]), ("1C", UUIDS[1]))))
    assert [(row.index, row.cells["pci_bus_id"][0], [fault.message for fault in row.faults]) for row in found.rows] == [
        (0, "0000:1b:00.0", []),
        (1, "0000:1c:00.0", []),
        (None, "0000:1d:00.0", [line]),
    ]


def test_a_lost_gpu_that_the_log_names_too():
    line = "Unable to determine the device handle for GPU0000:1C:00.0: Unknown Error"
    declared = '<?xml version="1.0" ?>\n' + log(("1B", UUIDS[0]), ("1C", UUIDS[1]))
    found = reading(xml=ok(line + "\n\n" + declared))
    assert [(row.index, [fault.message for fault in row.faults]) for row in found.rows] == [(0, []), (1, [line])]
    assert told(found, 1)[0] == UUIDS[1]


def test_directions_that_differ():
    text = WHOLE[TOPO].out.replace("GPU1\tNV18", "GPU1\tSYS")
    found = reading(topo=ok(text))
    assert found.links == (Link(0, 1, None, None),)
    assert [(problem.code, problem.subject) for problem in found.problems] == [("asymmetric_matrix", "GPU 0-1")]


def test_no_promise_of_how_many_there_are():
    found = reading(xml=ok(WHOLE[XML].out.replace("<attached_gpus>2<", "<attached_gpus>ERR!<")))
    assert found.expected is None
    assert [problem.code for problem in found.problems] == [MISSING]


NUMA_IDS = [("", NOT_SUPPORTED), ("\t\tN/A", NOT_SUPPORTED), ("\t\t2", 2), ("\t\t0-1", UNREADABLE)]


@pytest.mark.parametrize(("tail", "expected"), NUMA_IDS)
def test_numa_ids(tail, expected):
    header = "\tGPU0\tCPU Affinity\tNUMA Affinity" + ("\tGPU NUMA ID" if tail else "")
    found = reading_of(dict(dict.fromkeys(COMMANDS, FAILED), **{TOPO: ok(header + "\nGPU0\t X \t0-3\t0" + tail + "\n")}))
    cell = found.rows[0].cells["gpu_numa_id"]
    assert (kind(cell) or cell[0]) == expected
