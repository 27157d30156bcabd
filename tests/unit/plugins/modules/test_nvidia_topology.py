# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module itself: its options, and the facts that come from nvidia-smi and the bus together."""

from __future__ import annotations

import json

import pytest

OPTIONS = [
    # (options, what the error says)
    ({"timeout": 0}, "timeout must be a number of seconds above 0, not 0"),
    ({"timeout": -1}, "timeout must be a number of seconds above 0, not -1"),
    ({"deadline": "nan"}, "deadline must be a number of seconds above 0, not nan"),
    ({"readers": []}, "readers must name at least one of nvml, nvidia_smi"),
    ({"readers": ["lspci"]}, "value of readers must be one or more of: nvml, nvidia_smi"),
    ({"cuda_check": "some"}, "value of cuda_check must be one of: none, idle, all"),
    ({"path": "/x"}, "Unsupported parameters"),
]


@pytest.mark.parametrize(("options", "words"), OPTIONS)
def test_wrong_options(host, options, words):
    host.replay({})
    result, status = host.start(options)
    assert status == 1
    assert result["failed"] is True
    assert words in result["msg"]
    assert "ansible_facts" not in result


def test_a_host_without_anything(host):
    facts = host.look()
    assert facts["state"] == "no_gpu"
    assert (facts["source"], facts["pci_gpu_count"], facts["granted_gpu_count"]) == (None, 0, 0)
    assert (facts["gpus"], facts["links"], facts["nics"], facts["interconnect"]) == ([], [], [], None)
    assert facts["problems"] == []


def test_cards_without_a_driver(host):
    host.lay((), [("0000:1b:00.0", "0x2901", "vfio-pci"), ("0000:1c:00.0", "0x2bb5", "vfio-pci")])
    facts = host.look()
    assert facts["state"] == "driver_missing"
    assert (facts["source"], facts["pci_gpu_count"], facts["granted_gpu_count"]) == ("pci", 2, 0)
    assert [(gpu["index"], gpu["product"], gpu["state"]) for gpu in facts["gpus"]] == [
        (None, "b200", "unknown"),
        (None, "rtx_pro_6000_server", "unknown"),
    ]


def test_a_module_without_libraries(host):
    host.lay(("nvidia",), [("0000:1b:00.0", "0x2901", "nvidia")])
    assert host.look()["state"] == "library_missing"


def matrix(*rows):
    names = ["GPU%d" % number for number in range(len(rows))]
    lines = ["\t" + "\t".join(names)] + ["\t".join([name] + row.split()) for name, row in zip(names, rows)]
    return "\n".join(lines) + "\n"


INTERCONNECTS = [
    (matrix("X NV18 NV18", "NV18 X NV18", "NV18 NV18 X"), "nvlink_mesh"),
    (matrix("X NV18 NV17", "NV18 X NV18", "NV17 NV18 X"), "nvlink_mesh"),
    (matrix("X NV4 SYS", "NV4 X SYS", "SYS SYS X"), "nvlink_partial"),
    (matrix("X PIX NODE", "PIX X PHB", "NODE PHB X"), "pcie"),
    (matrix("X"), "single"),
    (matrix("X NV18", "SYS X"), None),
    (matrix("X ERR!", "ERR! X"), None),
]


@pytest.mark.parametrize(("text", "interconnect"), INTERCONNECTS)
def test_interconnects(host, text, interconnect):
    host.replay({"topo -m": (text, 0)})
    assert host.look()["interconnect"] == interconnect


def test_bytes_that_are_no_text(host):
    host.replay({}, other=(bytes(range(256)) * 4, 0))
    facts = host.look()
    assert facts["state"] == "unknown"
    assert json.dumps(facts)
    assert [problem["message"] for problem in facts["problems"] if not problem["message"].isprintable()] == []
