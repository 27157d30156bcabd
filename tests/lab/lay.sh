#!/bin/sh
# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Runs on a lab host as root: lays the recorded machine in /opt/recorded over this host's /proc, /sys and /dev.
# Nobody can make a file in /proc or /sys, but what is there can be mounted over.
set -eu
cd /opt/recorded

# Where nothing is recorded, this machine's own driver must not shine through.
mount -t tmpfs -o mode=0555 recorded /proc/driver
[ ! -d proc/driver ] || mount --bind proc/driver /proc/driver
# A kernel without loadable modules has no such file, and then nothing can stand in for it.
[ ! -e /proc/modules ] || mount --bind proc/modules /proc/modules

# Through an overlay /sys/class/net would show the links of the machine under the lab: keep this host's own.
mount --bind /sys/class/net /mnt
for part in sys/*; do
    mount -t overlay recorded -o "lowerdir=/opt/recorded/$part:/$part" "/$part"
done
mount --bind /mnt /sys/class/net
umount /mnt
# The bus is the recorded one alone, without the devices of the machine under the lab.
mount --bind sys/bus/pci /sys/bus/pci

for node in dev/*; do
    [ ! -e "$node" ] || install -m 0666 "$node" /dev/
done
[ ! -e .dockerenv ] || touch /.dockerenv

for start in /opt/lab/processes/*; do
    [ ! -e "$start" ] || setsid --fork bash "$start"
done
