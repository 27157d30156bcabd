#!/usr/bin/python
# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: nvidia_topology
short_description: Look at the NVIDIA GPUs of a host, their links, their driver and what runs on them
version_added: 0.1.0
description:
  - Reads the GPUs through NVML, or through C(nvidia-smi) where NVML cannot be loaded, and beside them the PCI bus and the
    kernel module, and says for each value that it could not tell why.
  - Changes nothing, starts no service, and never fails because a GPU, a driver or a tool is absent or broken. That is a fact.
  - A value is V(null) where it could not be told, and a row in RV(ansible_facts.nvidia_topology.problems) says why. A field
    that the card does not have is V(null) too, without a problem; its name stands in the GPU's RV(ignore:not_supported).
author:
  - The inference.recon authors (@inference-recon)
options:
  readers:
    description:
      - Ways to ask the driver, tried in this order until one has an answer.
      - V(nvml) loads C(libnvidia-ml.so.1) in a child process. V(nvidia_smi) runs C(nvidia-smi -q -x), C(topo -m),
        C(nvlink -s) and C(--query-gpu) side by side.
    type: list
    elements: str
    choices:
      - nvml
      - nvidia_smi
    default:
      - nvml
      - nvidia_smi
  executable:
    description:
      - Name or path of the C(nvidia-smi) that the reader V(nvidia_smi) runs.
    type: str
    default: nvidia-smi
  cuda_check:
    description:
      - Which GPUs to make a CUDA context on, copying 1 MiB there and back, each in a child process of its own.
      - V(idle) leaves GPUs with processes or memory in use alone, and those of which that is unknown.
      - It needs a few hundred MiB of a GPU's memory for a moment.
    type: str
    choices:
      - none
      - idle
      - all
    default: none
  timeout:
    description:
      - Seconds that each child process may take. The first look after boot starts the driver, which takes long without
        persistence mode.
    type: float
    default: 60
  deadline:
    description:
      - Seconds that the whole module may take. What is unfinished then is V(null), with a problem V(deadline).
    type: float
    default: 180
extends_documentation_fragment:
  - inference.recon.attributes
seealso:
  - name: NVML API reference
    description: The calls that the reader nvml makes.
    link: https://docs.nvidia.com/deploy/nvml-api/
  - name: nvidia-smi
    description: The manual of the tool that the reader nvidia_smi runs.
    link: https://docs.nvidia.com/deploy/nvidia-smi/
notes:
  - Without GPUs at hand, struct layouts were held to C(nvml.h) and the reading to recorded outputs. The guide lists what is
    unproven without hardware.
"""

EXAMPLES = r"""
- name: Look at the GPUs
  inference.recon.nvidia_topology:

- name: Look at the GPUs and let each idle one compute
  inference.recon.nvidia_topology:
    cuda_check: idle

- name: Go on only where every granted GPU answers
  ansible.builtin.assert:
    that:
      - ansible_facts.nvidia_topology.state == "ok"
      - ansible_facts.nvidia_topology.gpus | length == ansible_facts.nvidia_topology.granted_gpu_count
"""

RETURN = r"""
ansible_facts:
  description:
    - What is known of the host's GPUs.
  returned: always
  type: dict
  sample:
    nvidia_topology:
      schema_version: 1
      state: ok
  contains:
    nvidia_topology:
      description:
        - The facts.
      returned: always
      type: dict
      sample:
        state: ok
        pci_gpu_count: 8
        granted_gpu_count: 7
      contains:
        schema_version:
          description:
            - Version of this structure.
          returned: always
          type: int
          sample: 1
        problems:
          description:
            - Why something could not be told, sorted by source, code and subject.
          returned: always
          type: list
          elements: dict
          sample: []
          contains:
            source:
              description:
                - The file, command, reader or library.
              returned: always
              type: str
              sample: nvml
            code:
              description:
                - What kind of problem it is.
                - 'V(timeout), V(deadline), V(not_found), V(not_permitted), V(crash), V(too_much_output), V(failed):
                  how a child process ended.'
                - 'V(parse_error): a text is not what its format promises. V(driver_answer): the driver said why it
                  has no data.'
                - 'V(missing), V(unreadable), V(hidden), V(lost), V(reset_required), V(not_in_format): why fields
                  of a GPU are null. V(not_in_format) says that this driver is too old to print one.'
                - 'V(asymmetric_matrix): the two directions of a pair differ. V(grant_unknown): how many GPUs this
                  host was given is unknown.'
                - 'V(owner_hidden), V(process_hidden), V(cgroup_hidden), V(memory_hidden): whose memory or process
                  it is could not be told.'
              returned: always
              type: str
              sample: owner_hidden
            message:
              description:
                - One line for a person.
              returned: always
              type: str
              sample: '56077 MiB are in use and no process is visible: the owner lives in another PID namespace'
            subject:
              description:
                - The GPU, pair, process or path; empty for the host.
              returned: always
              type: str
              sample: GPU 0
        source:
          description:
            - 'Where the GPUs come from: V(nvml), V(nvidia_smi), V(pci) where only the bus tells of them, or null.'
          returned: always
          type: str
          sample: nvml
        state:
          description:
            - V(ok), V(degraded), V(unresponsive), V(driver_library_mismatch), V(access_denied), V(no_devices),
              V(driver_not_loaded),
              V(library_missing), V(driver_missing), V(no_gpu) or V(unknown). The first row of the decision table
              in the guide that matches.
          returned: always
          type: str
          sample: ok
        driver:
          description:
            - The driver, as its user side and its kernel side say.
          returned: always
          type: dict
          sample:
            version: 580.126.20
            cuda_version: '13.0'
          contains:
            version:
              description:
                - Version of the driver that answers.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: str
              sample: 580.126.20
            cuda_version:
              description:
                - Newest CUDA version that the driver supports.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: str
              sample: '13.0'
            nvml_version:
              description:
                - Version of the NVML library.
                - Given by nvml; nvidia-smi tells it only where it does not fit the module.
              returned: always
              type: str
              sample: 580.126.20
            module_version:
              description:
                - Version of the loaded kernel module, from /proc/driver/nvidia/version.
                - Given by /proc.
              returned: always
              type: str
              sample: 580.126.20
            module_flavor:
              description:
                - V(open) or V(proprietary), from /proc/driver/nvidia/version.
                - Given by /proc.
              returned: always
              type: str
              sample: open
            nouveau_loaded:
              description:
                - Whether the nouveau module is loaded, from /proc/modules.
                - Given by /proc.
              returned: always
              type: bool
              sample: false
            reboot_pending:
              description:
                - 'Whether the loaded module differs from the libraries on disk: what runs goes on, the next start
                  fails.'
                - Given by /proc and the name of the NVML library.
              returned: always
              type: bool
              sample: false
        libcuda:
          description:
            - The libcuda.so.1 that the loader takes for a process with this module's environment.
          returned: always
          type: dict
          sample:
            version: 580.126.20
            compat: false
          contains:
            path:
              description:
                - Path of the file; null where the loader finds none.
                - Given by the loader.
              returned: always
              type: str
              sample: /usr/lib/x86_64-linux-gnu/libcuda.so.580.126.20
            version:
              description:
                - Driver version in the name of the file behind it.
                - Given by the loader.
              returned: always
              type: str
              sample: 580.126.20
            compat:
              description:
                - 'Whether it is a forward-compatibility library: one in a folder named compat.'
                - Given by the loader.
              returned: always
              type: bool
              sample: false
        pci_gpu_count:
          description:
            - NVIDIA display and 3D controllers on the PCI bus; a container sees the machine's.
            - Given by /sys.
          returned: always
          type: int
          sample: 8
        granted_gpu_count:
          description:
            - 'Cards that this host was given: in a container those with a readable device node, on a machine those
              bound to the driver nvidia.'
            - Given by /proc and /dev in a container, /sys elsewhere.
          returned: always
          type: int
          sample: 7
        gpus:
          description:
            - The GPUs by index; cards that only the bus tells of come last.
          returned: always
          type: list
          elements: dict
          sample:
            - index: 0
              name: NVIDIA B200
              state: ok
          contains:
            index:
              description:
                - Index as the driver counts; null for a card that only the bus tells of.
                - Given by nvml, or nvidia-smi --query-gpu.
              returned: always
              type: int
              sample: 0
            uuid:
              description:
                - UUID, the identity of the card.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: str
              sample: GPU-8f3c2d1e-0000-4000-8000-000000000000
            name:
              description:
                - Name as the driver tells it.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: str
              sample: NVIDIA B200
            product:
              description:
                - Which card it is, by its whole name, or by its PCI device id where no driver names it; null for
                  one that is not known.
                - For example V(b200), V(gb200), V(rtx_pro_6000_server), V(rtx_pro_6000_workstation), V(rtx_pro_6000_max_q),
                  V(h100), V(h200), V(rtx_a6000).
                - Given by the name, or /sys/bus/pci/devices.
              returned: always
              type: str
              sample: b200
            architecture:
              description:
                - Architecture in lower snake case.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: str
              sample: blackwell
            compute_capability:
              description:
                - Compute capability.
                - Given by nvml, or nvidia-smi --query-gpu.
              returned: always
              type: str
              sample: '10.0'
            pci_bus_id:
              description:
                - PCI address as the kernel writes it.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: str
              sample: 0000:1b:00.0
            pci_device_id:
              description:
                - PCI device id without the vendor.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: str
              sample: '2901'
            minor_number:
              description:
                - Number of its /dev/nvidia node.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: int
              sample: 0
            memory_total_mib:
              description:
                - Memory in MiB.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: int
              sample: 183359
            memory_used_mib:
              description:
                - Memory in use in MiB, without what the driver reserves. Volatile.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: int
              sample: 0
            memory_free_mib:
              description:
                - Free memory in MiB. Volatile.
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: int
              sample: 182632
            numa_node:
              description:
                - NUMA node; null where the affinity is not exactly one.
                - Given by nvml, or nvidia-smi topo -m.
              returned: always
              type: int
              sample: 0
            numa_affinity:
              description:
                - NUMA nodes near the card.
                - Given by nvml, or nvidia-smi topo -m.
              returned: always
              type: str
              sample: '0'
            gpu_numa_id:
              description:
                - NUMA node that the GPU's own memory is (GB200, GH200).
                - Given by nvml, or nvidia-smi topo -m.
              returned: always
              type: int
              sample: 2
            cpu_affinity:
              description:
                - CPUs near the card.
                - Given by nvml, or nvidia-smi topo -m.
              returned: always
              type: str
              sample: 0-55,112-167
            pcie:
              description:
                - The PCI Express link.
              returned: always
              type: dict
              sample:
                generation_max: 5
                width_current: 16
              contains:
                generation_max:
                  description:
                    - Highest generation that card and slot support.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 5
                generation_current:
                  description:
                    - Generation now; an idle card may rest at 1. Volatile.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 5
                width_max:
                  description:
                    - Highest width in lanes.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 16
                width_current:
                  description:
                    - Width now in lanes.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 16
            power:
              description:
                - The power limits in watts.
              returned: always
              type: dict
              sample:
                limit_watts: 1000
                default_watts: 1000
              contains:
                limit_watts:
                  description:
                    - Limit in force.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 1000
                default_watts:
                  description:
                    - Default limit.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 1000
                min_watts:
                  description:
                    - Lowest limit that can be set.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 200
                max_watts:
                  description:
                    - Highest limit that can be set.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 1000
            persistence_mode:
              description:
                - V(enabled) or V(disabled).
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: str
              sample: enabled
            mig_mode:
              description:
                - V(enabled) or V(disabled).
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: str
              sample: disabled
            mig_devices:
              description:
                - The MIG devices; empty where MIG is off or has none.
              returned: always
              type: list
              elements: dict
              sample: []
              contains:
                uuid:
                  description:
                    - UUID of the MIG device.
                    - Given by nvml only.
                  returned: always
                  type: str
                  sample: MIG-0b1c2d3e-0000-0000-0000-000000000001
                profile:
                  description:
                    - Its profile.
                    - Given by nvml only.
                  returned: always
                  type: str
                  sample: 3g.71gb
                memory_mib:
                  description:
                    - Its memory in MiB.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 71424
            ecc:
              description:
                - Error correction.
              returned: always
              type: dict
              sample:
                enabled: true
                volatile_uncorrected: 0
              contains:
                enabled:
                  description:
                    - Whether ECC is on.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: bool
                  sample: true
                volatile_uncorrected:
                  description:
                    - Uncorrectable errors since the driver was loaded.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 0
                aggregate_uncorrected:
                  description:
                    - Uncorrectable errors in the life of the card.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 0
            remapped_rows:
              description:
                - Remapping of memory rows.
              returned: always
              type: dict
              sample:
                pending: false
                failure: false
              contains:
                pending:
                  description:
                    - Whether a remapping waits for a reset.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: bool
                  sample: false
                failure:
                  description:
                    - Whether a remapping has failed.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: bool
                  sample: false
            recovery_action:
              description:
                - 'What the driver asks for: V(none), V(gpu_reset), V(node_reboot), V(drain_p2p), V(drain_and_reset),
                  V(recover_imex_domain), V(bus_reset) or V(system_reboot).'
                - Given by nvml, or nvidia-smi -q -x.
              returned: always
              type: str
              sample: none
            fabric:
              description:
                - The registration with the NVLink fabric; null with the names in not_supported on cards without one.
              returned: always
              type: dict
              sample:
                state: completed
                status: success
              contains:
                state:
                  description:
                    - V(not_started), V(in_progress) or V(completed).
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: str
                  sample: completed
                status:
                  description:
                    - V(success) or the NVML error in lower snake case; only of a completed registration.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: str
                  sample: success
                health:
                  description:
                    - V(healthy), V(unhealthy) or V(limited_capacity); any bad detail makes it unhealthy.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: str
                  sample: healthy
                clique_id:
                  description:
                    - Clique of the GPU; 0 on a single HGX machine.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 0
                cluster_uuid:
                  description:
                    - Cluster; all zero on a single HGX machine.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: str
                  sample: 00000000-0000-0000-0000-000000000000
            nvlink:
              description:
                - The NVLinks of the card.
              returned: always
              type: dict
              sample:
                links_active: 18
                links_total: 18
              contains:
                links_active:
                  description:
                    - Links that are up.
                    - Given by nvml, or nvidia-smi nvlink -s.
                  returned: always
                  type: int
                  sample: 18
                links_total:
                  description:
                    - Links that the card has.
                    - Given by nvml, or nvidia-smi nvlink -s, which does not tell it while all links are down.
                  returned: always
                  type: int
                  sample: 18
            cuda:
              description:
                - Whether the GPU computes, where O(cuda_check) asked for it.
              returned: always
              type: dict
              sample:
                usable: null
                error: null
              contains:
                usable:
                  description:
                    - Whether a context was made and 1 MiB came back unchanged; null when not asked.
                    - Given by libcuda.so.1.
                  returned: always
                  type: bool
                  sample: true
                error:
                  description:
                    - The call, CUDA's name of the error and its number.
                    - Given by libcuda.so.1.
                  returned: always
                  type: str
                  sample: 'cuInit: CUDA_ERROR_SYSTEM_NOT_READY (802)'
            processes:
              description:
                - The processes on the GPU by PID; empty means looked, none.
              returned: always
              type: list
              elements: dict
              sample: []
              contains:
                pid:
                  description:
                    - PID as this host sees it.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 47028
                name:
                  description:
                    - Name as the driver tells it.
                    - Given by nvml, or nvidia-smi -q -x, else /proc.
                  returned: always
                  type: str
                  sample: /root/venv/bin/python
                type:
                  description:
                    - V(compute), V(graphics), V(compute_graphics) or V(mps).
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: str
                  sample: compute
                memory_mib:
                  description:
                    - Memory that it uses on this GPU, in MiB. Volatile.
                    - Given by nvml, or nvidia-smi -q -x.
                  returned: always
                  type: int
                  sample: 56066
                unit:
                  description:
                    - Service that it belongs to, inside its container where it has one; null for none.
                    - Given by /proc.
                  returned: always
                  type: str
                  sample: ddtree-qwen.service
                unit_manager:
                  description:
                    - V(systemd), or null where it belongs to no unit.
                    - Given by /proc.
                  returned: always
                  type: str
                  sample: systemd
                user:
                  description:
                    - Name of its user from /etc/passwd, else the number.
                    - Given by /proc and /etc/passwd.
                  returned: always
                  type: str
                  sample: root
                container:
                  description:
                    - The container that the process lives in; null for none.
                  returned: always
                  type: dict
                  sample:
                    engine: lxc
                    name: '105'
                  contains:
                    engine:
                      description:
                        - V(docker), V(podman), V(lxc), V(containerd), V(cri-o) or V(systemd-nspawn).
                        - Given by /proc.
                      returned: always
                      type: str
                      sample: lxc
                    name:
                      description:
                        - Name or id, as its cgroup carries it.
                        - Given by /proc.
                      returned: always
                      type: str
                      sample: '105'
                    image:
                      description:
                        - Its image; always null in this version, as no engine is asked.
                        - Given by /proc.
                      returned: always
                      type: str
                      sample: lmsysorg/sglang:v0.5.23
            state:
              description:
                - V(ok), V(lost), V(error), V(reset_required) or V(unknown).
                - Given by all of these together.
              returned: always
              type: str
              sample: ok
            faults:
              description:
                - What is wrong with the card.
                - Given by all of these together.
              returned: always
              type: list
              elements: dict
              sample: []
              contains:
                code:
                  description:
                    - V(gpu_lost), V(unreadable), V(reset_required), V(recovery_action), V(cuda_error) or V(not_answering).
                  returned: always
                  type: str
                  sample: gpu_lost
                message:
                  description:
                    - One line with the driver's words.
                  returned: always
                  type: str
                  sample: 'nvmlDeviceGetHandleByIndex_v2: gpu_is_lost (15)'
            not_supported:
              description:
                - Names of the fields that the card does not have; dotted for those in a group.
                - Given by all of these together.
              returned: always
              type: list
              elements: str
              sample:
                - fabric.state
                - gpu_numa_id
        links:
          description:
            - One row for each unordered pair of GPUs by index; null where no reader tells.
          returned: always
          type: list
          elements: dict
          sample:
            - a: 0
              b: 1
              path: NV18
              nvlinks: 18
          contains:
            a:
              description:
                - The lower index.
                - Given by nvml, or nvidia-smi topo -m.
              returned: always
              type: int
              sample: 0
            b:
              description:
                - The higher index.
                - Given by nvml, or nvidia-smi topo -m.
              returned: always
              type: int
              sample: 1
            path:
              description:
                - 'How they are joined, as C(topo -m) prints it: V(NV18) for 18 NVLinks, V(PIX), V(PXB), V(PHB), V(NODE),
                  V(SYS); null where unknown.'
                - Given by nvml, or nvidia-smi topo -m.
              returned: always
              type: str
              sample: NV18
            nvlinks:
              description:
                - Number of NVLinks between them; 0 for a PCIe path, null where unknown.
                - Given by nvml, or nvidia-smi topo -m.
              returned: always
              type: int
              sample: 18
        interconnect:
          description:
            - V(nvlink_mesh) where every pair has NVLinks, V(nvlink_partial), V(pcie), V(single), or null where a
              pair is unknown.
            - Given by links.
          returned: always
          type: str
          sample: nvlink_mesh
        nics:
          description:
            - The InfiniBand and RoCE devices; null where no reader tells.
          returned: always
          type: list
          elements: dict
          sample:
            - name: NIC0
              device: mlx5_0
              paths:
                '0': PIX
          contains:
            name:
              description:
                - Name as C(topo -m) gives it.
                - Given by /sys with nvml, nvidia-smi topo -m with nvidia_smi.
              returned: always
              type: str
              sample: NIC0
            device:
              description:
                - Name of the device.
                - Given by /sys with nvml, nvidia-smi topo -m with nvidia_smi.
              returned: always
              type: str
              sample: mlx5_0
            paths:
              description:
                - Path to each GPU by its index.
                - Given by /sys with nvml, nvidia-smi topo -m with nvidia_smi.
              returned: always
              type: dict
              sample:
                '0': PIX
                '1': NODE
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.inference.recon.plugins.module_utils._facts import facts
from ansible_collections.inference.recon.plugins.module_utils._nvidia.collect import Options, collect


def main() -> None:
    """Hand the options to the collector and its facts to Ansible."""
    module = AnsibleModule(
        argument_spec={
            "readers": {"type": "list", "elements": "str", "choices": ["nvml", "nvidia_smi"], "default": ["nvml", "nvidia_smi"]},
            "executable": {"type": "str", "default": "nvidia-smi"},
            "cuda_check": {"type": "str", "choices": ["none", "idle", "all"], "default": "none"},
            "timeout": {"type": "float", "default": 60},
            "deadline": {"type": "float", "default": 180},
        },
        supports_check_mode=True,
    )
    for name in ("timeout", "deadline"):
        if not module.params[name] > 0:
            module.fail_json(msg="%s must be a number of seconds above 0, not %r" % (name, module.params[name]))
    if not module.params["readers"]:
        module.fail_json(msg="readers must name at least one of nvml, nvidia_smi")
    topology, problems = collect(Options(**module.params))
    module.exit_json(changed=False, ansible_facts=facts("nvidia_topology", topology, problems))


if __name__ == "__main__":
    main()
