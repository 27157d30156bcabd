# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The log of nvidia-smi -q -x, one element at a time; whole logs of real cards are replayed in test_corpus.py."""

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.cells import (
    HIDDEN,
    LOST,
    MISSING,
    NOT_IN_FORMAT,
    NOT_PERMITTED,
    NOT_SUPPORTED,
    UNREADABLE,
    kind,
)
from ansible_collections.inference.recon.plugins.module_utils._nvidia.smi_xml import parse_log
from ansible_collections.inference.recon.plugins.module_utils._nvidia.types import ParseError

WHOLE = """<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">
<nvidia_smi_log>
  <driver_version>580.126.20</driver_version>
  <cuda_version>13.0</cuda_version>
  <attached_gpus>1</attached_gpus>
  <gpu id="00000000:1B:00.0">
    <product_name>NVIDIA B200</product_name>
    <product_architecture>Blackwell</product_architecture>
    <persistence_mode>Enabled</persistence_mode>
    <mig_mode><current_mig>Disabled</current_mig><pending_mig>Disabled</pending_mig></mig_mode>
    <mig_devices>None</mig_devices>
    <uuid>GPU-00000000-1111-2222-3333-444444444444</uuid>
    <minor_number>3</minor_number>
    <gpu_recovery_action>None</gpu_recovery_action>
    <pci>
      <pci_bus_id>00000000:1B:00.0</pci_bus_id>
      <pci_device_id>290110DE</pci_device_id>
      <pci_gpu_link_info>
        <pcie_gen><max_link_gen>5</max_link_gen><current_link_gen>1</current_link_gen></pcie_gen>
        <link_widths><max_link_width>16x</max_link_width><current_link_width>8x</current_link_width></link_widths>
      </pci_gpu_link_info>
    </pci>
    <fb_memory_usage>
      <total>183359 MiB</total><reserved>727 MiB</reserved><used>12 MiB</used><free>182620 MiB</free>
    </fb_memory_usage>
    <ecc_mode><current_ecc>Enabled</current_ecc></ecc_mode>
    <ecc_errors>
      <volatile>
        <sram_uncorrectable_parity>1</sram_uncorrectable_parity>
        <sram_uncorrectable_secded>2</sram_uncorrectable_secded>
        <dram_correctable>50</dram_correctable>
        <dram_uncorrectable>4</dram_uncorrectable>
      </volatile>
      <aggregate>
        <sram_uncorrectable_parity>0</sram_uncorrectable_parity>
        <sram_uncorrectable_secded>0</sram_uncorrectable_secded>
        <dram_uncorrectable>0</dram_uncorrectable>
      </aggregate>
    </ecc_errors>
    <remapped_rows>
      <remapped_row_pending>No</remapped_row_pending><remapped_row_failure>Yes</remapped_row_failure>
    </remapped_rows>
    <gpu_power_readings>
      <current_power_limit>1000.00 W</current_power_limit><default_power_limit>999.60 W</default_power_limit>
      <min_power_limit>200.00 W</min_power_limit><max_power_limit>1000.00 W</max_power_limit>
    </gpu_power_readings>
    <fabric>
      <state>Completed</state><status>Success</status><cliqueId>0</cliqueId>
      <clusterUuid>00000000-0000-0000-0000-000000000000</clusterUuid>
      <health>
        <summary>Healthy</summary><bandwidth>Full</bandwidth>
        <route_recovery_in_progress>False</route_recovery_in_progress><route_unhealthy>False</route_unhealthy>
        <access_timeout_recovery>False</access_timeout_recovery><incorrect_configuration>None</incorrect_configuration>
      </health>
    </fabric>
    <processes>
      <process_info>
        <pid>4711</pid><type>C</type><process_name>python3</process_name><used_memory>8 MiB</used_memory>
      </process_info>
    </processes>
  </gpu>
</nvidia_smi_log>
"""

VALUES = {
    "uuid": "GPU-00000000-1111-2222-3333-444444444444",
    "name": "NVIDIA B200",
    "architecture": "blackwell",
    "pci_bus_id": "0000:1b:00.0",
    "pci_device_id": "2901",
    "minor_number": 3,
    "memory_total_mib": 183359,
    "memory_used_mib": 12,
    "memory_free_mib": 182620,
    "pcie.generation_max": 5,
    "pcie.generation_current": 1,
    "pcie.width_max": 16,
    "pcie.width_current": 8,
    "power.limit_watts": 1000,
    "power.default_watts": 1000,
    "power.min_watts": 200,
    "power.max_watts": 1000,
    "persistence_mode": "enabled",
    "mig_mode": "disabled",
    "mig_devices": [],
    "ecc.enabled": True,
    "ecc.volatile_uncorrected": 7,
    "ecc.aggregate_uncorrected": 0,
    "remapped_rows.pending": False,
    "remapped_rows.failure": True,
    "recovery_action": "none",
    "fabric.state": "completed",
    "fabric.status": "success",
    "fabric.health": "healthy",
    "fabric.clique_id": 0,
    "fabric.cluster_uuid": "00000000-0000-0000-0000-000000000000",
    "processes": [{"pid": 4711, "name": "python3", "type": "compute", "memory_mib": 8}],
}


def test_a_whole_log():
    log = parse_log(WHOLE)
    assert (log.driver_version, log.cuda_version, log.attached) == ("580.126.20", "13.0", 1)
    assert [{name: cell[0] for name, cell in gpu.items()} for gpu in log.gpus] == [VALUES]
    assert [name for name, cell in log.gpus[0].items() if cell[1]] == []


CELLS = [
    # (what stands there, what stands there instead, field, value or why there is none)
    ("<total>183359 MiB<", "<total>N/A<", "memory_total_mib", NOT_SUPPORTED),
    ("<total>183359 MiB<", "<total>183359<", "memory_total_mib", UNREADABLE),
    ("<total>183359 MiB<", "<total>179 GiB<", "memory_total_mib", UNREADABLE),
    ("<total>183359 MiB<", "<total><", "memory_total_mib", MISSING),
    ("<used>12 MiB</used>", "", "memory_used_mib", MISSING),
    ("<minor_number>3<", "<minor_number>GPU is lost<", "minor_number", LOST),
    ("<uuid>GPU-", "<uuid>", "uuid", UNREADABLE),
    ("<product_name>NVIDIA B200<", "<product_name>[Unknown Error]<", "name", UNREADABLE),
    (">Blackwell<", ">Ada Lovelace<", "architecture", "ada_lovelace"),
    (">Blackwell<", "><", "architecture", MISSING),
    (">290110DE<", ">29011002<", "pci_device_id", UNREADABLE),
    (">290110DE<", ">0x2901<", "pci_device_id", UNREADABLE),
    ("<pci_bus_id>00000000:1B:00.0</pci_bus_id>", "", "pci_bus_id", "0000:1b:00.0"),
    (">1000.00 W</current", ">Insufficient Permissions</current", "power.limit_watts", NOT_PERMITTED),
    (">1000.00 W</current", ">nan W</current", "power.limit_watts", UNREADABLE),
    (">8x<", ">8<", "pcie.width_current", UNREADABLE),
    ("<persistence_mode>Enabled<", "<persistence_mode>Perhaps<", "persistence_mode", UNREADABLE),
    ("<current_mig>Disabled<", "<current_mig>N/A<", "mig_mode", NOT_SUPPORTED),
    ("<mig_mode><current_mig>Disabled</current_mig><pending_mig>Disabled</pending_mig></mig_mode>", "", "mig_mode", MISSING),
    ("<gpu_recovery_action>None<", "<gpu_recovery_action>GPU Reset<", "recovery_action", "gpu_reset"),
    ("<gpu_recovery_action>None<", "<gpu_recovery_action>Drain and Reset<", "recovery_action", "drain_and_reset"),
    ("<gpu_recovery_action>None<", "<gpu_recovery_action>Pray<", "recovery_action", UNREADABLE),
    ("<gpu_recovery_action>None</gpu_recovery_action>", "", "recovery_action", MISSING),
    ("<current_ecc>Enabled<", "<current_ecc>Disabled<", "ecc.enabled", False),
    ("<current_ecc>Enabled<", "<current_ecc>N/A<", "ecc.enabled", NOT_SUPPORTED),
    ("<mig_devices>None<", "<mig_devices>N/A<", "mig_devices", []),
    (">No</remapped_row_pending>", ">Yes</remapped_row_pending>", "remapped_rows.pending", True),
    ("<dram_uncorrectable>4<", "<dram_uncorrectable>N/A<", "ecc.volatile_uncorrected", 3),
    ("<dram_uncorrectable>4<", "<dram_uncorrectable>ERR!<", "ecc.volatile_uncorrected", UNREADABLE),
    ("<dram_uncorrectable>4</dram_uncorrectable>", "", "ecc.volatile_uncorrected", MISSING),
    ("<dram_uncorrectable>4<", "<dram_uncorrectable><", "ecc.volatile_uncorrected", MISSING),
    ("<state>Completed<", "<state>In Progress<", "fabric.state", "in_progress"),
    ("<status>Success<", "<status>Insufficient Resources<", "fabric.status", "insufficient_resources"),
    ("<status>Success<", "<status>N/A<", "fabric.status", NOT_SUPPORTED),
    ("<cliqueId>0<", "<cliqueId>32766<", "fabric.clique_id", 32766),
    ("<route_unhealthy>False<", "<route_unhealthy>True<", "fabric.health", "unhealthy"),
    ("<summary>Healthy</summary>", "", "fabric.health", MISSING),
    ("<mig_devices>None<", "<mig_devices>ERR!<", "mig_devices", MISSING),
    ("<pid>4711<", "<pid><", "processes", MISSING),
    ("<type>C<", "<type>C+G<", "processes", [{"pid": 4711, "name": "python3", "type": "compute_graphics", "memory_mib": 8}]),
    ("<type>C<", "<type>M+C<", "processes", [{"pid": 4711, "name": "python3", "type": "mps", "memory_mib": 8}]),
    (
        "<used_memory>8 MiB<",
        "<used_memory>N/A<",
        "processes",
        [{"pid": 4711, "name": "python3", "type": "compute", "memory_mib": None}],
    ),
]


@pytest.mark.parametrize(("there", "instead", "field", "expected"), CELLS)
def test_cells(there, instead, field, expected):
    assert WHOLE.count(there) == 1
    cell = parse_log(WHOLE.replace(there, instead)).gpus[0][field]
    assert (kind(cell) or cell[0]) == expected
    assert (cell[0] is None) == bool(cell[1])


def without(name):
    start, end = WHOLE.index("<%s>" % name), WHOLE.index("</%s>" % name)
    return WHOLE[: start + len(name) + 2], WHOLE[end:]


GROUPS = [
    # (element, what it says in place of what is below it, fields, why they have no value)
    ("ecc_mode", "N/A", ["ecc.enabled"], NOT_SUPPORTED),
    ("remapped_rows", "N/A", ["remapped_rows.pending", "remapped_rows.failure"], NOT_SUPPORTED),
    ("remapped_rows", "Insufficient Permissions", ["remapped_rows.pending", "remapped_rows.failure"], NOT_PERMITTED),
    ("fb_memory_usage", "", ["memory_total_mib", "memory_used_mib", "memory_free_mib"], MISSING),
    ("processes", "Insufficient Permissions", ["processes"], HIDDEN),
    ("processes", "N/A", ["processes"], HIDDEN),
]


@pytest.mark.parametrize(("element", "words", "fields", "why"), GROUPS)
def test_groups(element, words, fields, why):
    before, after = without(element)
    cells = parse_log(before + words + after).gpus[0]
    assert [(field, cells[field][0], kind(cells[field])) for field in fields] == [(field, None, why) for field in fields]


def test_a_card_that_counts_no_errors():
    before, after = without("volatile")
    counters = "<sram_uncorrectable_parity>N/A</sram_uncorrectable_parity><dram_uncorrectable>N/A</dram_uncorrectable>"
    assert parse_log(before + counters + after).gpus[0]["ecc.volatile_uncorrected"] == (None, NOT_SUPPORTED)


def test_mig_devices():
    before, after = without("mig_devices")
    device = "<mig_device><index>0</index><fb_memory_usage><total>%s</total></fb_memory_usage></mig_device>"
    found = parse_log(before + device % "18144 MiB" + device % "N/A" + after).gpus[0]["mig_devices"]
    assert found == ([{"uuid": None, "profile": None, "memory_mib": memory} for memory in (18144, None)], "")


def test_why_there_are_no_processes_is_kept():
    before, after = without("processes")
    cell = parse_log(before + "Insufficient Permissions" + after).gpus[0]["processes"]
    assert cell == (None, "%s: Insufficient Permissions" % HIDDEN)


def test_no_processes():
    before, after = without("processes")
    assert parse_log(before + "\n" + after).gpus[0]["processes"] == ([], "")


def test_drivers_that_do_not_print_the_recovery_action():
    text = WHOLE.replace("<gpu_recovery_action>None</gpu_recovery_action>", "").replace("580.126.20", "565.57.01")
    assert kind(parse_log(text).gpus[0]["recovery_action"]) == NOT_IN_FORMAT


@pytest.mark.parametrize("printed", ["ERR!", "", "580.x"])
def test_an_unknown_driver_should_print_everything(printed):
    text = WHOLE.replace("<gpu_recovery_action>None</gpu_recovery_action>", "").replace("580.126.20", printed)
    log = parse_log(text)
    assert log.driver_version is None
    assert kind(log.gpus[0]["recovery_action"]) == MISSING


ERRORS = [
    # what was printed, and what is wrong with it
    ("", "no whole XML"),
    (WHOLE[: len(WHOLE) // 2], "no whole XML"),
    (WHOLE.replace("</gpu>", ""), "no whole XML"),
    ("No devices were found\n", "no whole XML"),
    ("<html></html>", "no nvidia_smi_log but html"),
    ('<!DOCTYPE x [<!ENTITY a "aaaa">]><nvidia_smi_log>&a;</nvidia_smi_log>', "declares entities"),
]


@pytest.mark.parametrize(("text", "why"), ERRORS)
def test_errors(text, why):
    with pytest.raises(ParseError, match=why):
        parse_log(text)
