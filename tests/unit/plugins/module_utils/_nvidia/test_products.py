# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.inference.recon.plugins.module_utils._nvidia.products import product_of

NAMES = [
    # what NVML calls it, and what we do
    ("NVIDIA B200", "b200"),
    ("NVIDIA GB200", "gb200"),
    ("NVIDIA B300 SXM6 AC", "b300"),
    ("NVIDIA GB300", "gb300"),
    ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx_pro_6000_server"),
    ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx_pro_6000_workstation"),
    ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "rtx_pro_6000_max_q"),
    ("NVIDIA H100 80GB HBM3", "h100"),
    ("NVIDIA H100 PCIe", "h100"),
    ("NVIDIA H200", "h200"),
    ("NVIDIA GH200 480GB", "gh200"),
    ("NVIDIA GH200 144G HBM3e", "gh200"),
    ("NVIDIA A100-SXM4-40GB", "a100"),
    ("NVIDIA A100-SXM4-80GB", "a100"),
    ("NVIDIA A100 80GB PCIe", "a100"),
    ("NVIDIA RTX A6000", "rtx_a6000"),
    ("RTX A6000", "rtx_a6000"),
    ("NVIDIA L40S", "l40s"),
    ("NVIDIA GeForce RTX 5090", "rtx_5090"),
    ("NVIDIA GB10", "gb10"),
    ("Tesla V100-SXM2-32GB", "v100"),
    ("Tesla T4", "t4"),
    ("NVIDIA B2000", None),
    ("NVIDIA RTX PRO 6000 Blackwell Mystery Edition", None),
    ("NVIDIA GeForce RTX 5090 Laptop GPU", None),
    ("GRID A100-40C", None),
    ("", None),
]


@pytest.mark.parametrize(("name", "product"), NAMES)
def test_names(name, product):
    assert product_of(name, None) == product


IDS = [
    ("2901", "b200"),
    ("2909", "b200"),
    ("2941", "gb200"),
    ("2bb5", "rtx_pro_6000_server"),
    ("2bb1", "rtx_pro_6000_workstation"),
    ("2bb4", "rtx_pro_6000_max_q"),
    ("2230", "rtx_a6000"),
    ("2b85", "rtx_5090"),
    ("ffff", None),
    (None, None),
]


@pytest.mark.parametrize(("device_id", "product"), IDS)
def test_pci_ids(device_id, product):
    assert product_of(None, device_id) == product


def test_an_id_never_overrules_a_strange_name():
    assert product_of("NVIDIA Something New", "2901") is None
