#!/bin/sh
# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# boot.sh CGROUP NSPAWN-ARGUMENT...: one host, inside `ip netns exec`: that gives a mount namespace of its own and a
# /sys that shows the links of this network namespace alone.
# The host sees only cgroup2, whatever this machine mounts: systemd 257 boots on nothing else.
set -eu
mount --make-rprivate /
mount -t cgroup2 cgroup2 /sys/fs/cgroup
cgroup=/sys/fs/cgroup/$1
shift
mkdir -p "$cgroup"
echo $$ >"$cgroup/cgroup.procs"
exec systemd-nspawn "$@"
