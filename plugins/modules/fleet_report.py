# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: fleet_report
short_description: Report once on all surveyed hosts of a play
version_added: 0.1.0
description:
  - Prints what is true about the GPUs of each host and a table of all hosts, worst first,
    and writes C(report.json) on the controller.
  - A host that was not reached or gave no facts stands in the report with the reason and the next step; it is never left out.
  - Runs on the controller and takes no connection. Nothing on any host is changed.
  - The report goes to standard output. Where another stdout callback than V(default) or a result format was chosen,
    standard output is for programs and the report goes to standard error.
attributes:
  check_mode:
    support: full
    description: The report is the record of a run and is written in check mode too.
  diff_mode:
    support: none
    description: Nothing is changed that could be shown.
  action:
    support: full
    description: Runs on the controller.
options:
  hosts:
    description:
      - The hosts to report on, usually C(ansible_play_hosts_all), which holds the unreachable ones too.
    type: list
    elements: str
    required: true
  result:
    description:
      - Name of the variable in which M(inference.recon.nvidia_topology) was registered. It tells why a host gave no facts.
      - Without it, or for a host that does not have it, the facts that the host has are used.
    type: str
    default: ''
  directory:
    description:
      - Directory on the controller, made with mode 0700; the file in it has mode 0600.
      - A directory of yours that holds nothing but reports gets mode 0700 as well, any other keeps its mode.
        A link in its place is replaced.
    type: path
    default: recon-report
  gate:
    description:
      - Whether to fail unless every host is ready, after a last line that starts with C(RECON-GATE).
      - Readiness is not judged yet, so V(true) always fails.
    type: bool
    default: false
author:
  - The inference.recon authors (@inference-recon)
seealso:
  - module: inference.recon.nvidia_topology
notes:
  - Use it with C(run_once) and C(delegate_to=localhost) as the last task of the play over the surveyed hosts.
  - With C(serial), use it in a play of its own over the same hosts.
"""

EXAMPLES = r"""
- name: Survey the GPUs
  inference.recon.nvidia_topology:
  register: survey
  ignore_unreachable: true
  failed_when: false

- name: Report on all hosts of the play
  inference.recon.fleet_report:
    hosts: "{{ ansible_play_hosts_all }}"
    result: survey
  run_once: true
  delegate_to: localhost
"""

RETURN = r"""
path:
  description: The report that was written.
  returned: success
  type: str
  sample: /home/me/recon-report/report.json
totals:
  description: How many hosts are in each state.
  returned: success
  type: dict
  sample:
    ok: 6
    degraded: 1
    unreachable: 1
gate:
  description: The gate's line.
  returned: when O(gate=true)
  type: str
  sample: RECON-GATE verdict=unknown ready=0 not_ready=3 unreachable=1
"""
