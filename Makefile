# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Doors for people: each sets up what it needs, once. What is typed after `make` counts (HOST=, INVENTORY=, …);
# a HOST that some shell or conda exported does not.
SETTINGS := HOST INVENTORY LIMIT EXTRA APPLY REPORT
$(foreach name,$(SETTINGS),$(if $(findstring command,$(origin $(name))),,$(eval unexport $(name))))

PYTHON ?= python3
VENV := .venv/bin/python

.PHONY: help recon survey gate test lab lab-down forget setup

help:
	@echo 'make recon                          look at this machine and show what would be done; changes nothing'
	@echo 'make recon HOST=root@ADDRESS:PORT   the same for a rented host: paste its address or its ssh command'
	@echo 'make recon INVENTORY=hosts.yml      the same for your inventory'
	@echo 'make survey, make gate              only look; look and fail unless every host is ready (for CI)'
	@echo 'make forget HOST=ADDRESS:PORT       forget the host key of an address that was rented anew'
	@echo 'make test                           all tests'
	@echo 'make lab, make lab-down             start and stop hosts to try it on (root, Debian or Ubuntu)'
	@echo
	@echo 'LIMIT=pattern   EXTRA="any ansible-playbook options"   REPORT=directory   APPLY=1 (make recon on this machine)'

recon survey gate: setup
	@$(VENV) bin/play.py $@

forget: setup
	@$(VENV) bin/forget.py

setup:
	@$(PYTHON) bin/environment.py

test:
	@tests/run

lab: setup
	@tests/lab/lab up

lab-down: setup
	@tests/lab/lab down
