# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""hanging_mount.py FOLDER: mounts a FUSE file system that takes requests and never answers.

Who touches a file there waits in the kernel (state D), and SIGKILL does not end it: what a process inside a hung
driver looks like. All of them are let go when this process ends.
https://www.kernel.org/doc/html/latest/filesystems/fuse.html: a request that has been read cannot be interrupted.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys

FUSE_INIT = 26
HEADER = struct.Struct("<IIQ")  # fuse_in_header: length, opcode, unique
REPLY = struct.Struct("<IiQ")  # fuse_out_header: length, error, unique
INIT_OUT = struct.Struct("<IIIIHHII32x")  # fuse_init_out of protocol 7.23 on: version, readahead, flags, limits, max_write
BUFFER = 1 << 20


def main(folder: str) -> None:
    if not os.path.exists("/dev/fuse"):
        os.mknod("/dev/fuse", stat.S_IFCHR | 0o600, os.makedev(10, 229))
    device = os.open("/dev/fuse", os.O_RDWR)
    options = b"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % device
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"hanging", folder.encode(), b"fuse", 0, options):
        raise OSError(ctypes.get_errno(), "mount", folder)
    greet(device)
    print("hanging", flush=True)
    while os.read(device, BUFFER):
        pass


def greet(device: int) -> None:
    """Answer the kernel's first request, as the protocol asks."""
    unused, opcode, unique = HEADER.unpack_from(os.read(device, BUFFER))
    assert opcode == FUSE_INIT
    os.write(device, REPLY.pack(REPLY.size + INIT_OUT.size, 0, unique) + INIT_OUT.pack(7, 31, 0, 0, 0, 0, 4096, 1))


main(sys.argv[1])
