# Copyright (c) 2026, The inference.recon authors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

"""python3 -m tests.standin list | build NAME DEST"""

import argparse

from tests.standin import build, names


def main() -> None:
    parser = argparse.ArgumentParser(prog="python3 -m tests.standin", description="Build the tree of a recorded host.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="names of the recorded hosts")
    maker = commands.add_parser("build", help="write a host's tree to a folder that is not there yet")
    maker.add_argument("name", choices=names())
    maker.add_argument("destination")
    arguments = parser.parse_args()
    if arguments.command == "list":
        print("\n".join(names()))
    else:
        print(build(arguments.name, arguments.destination))


if __name__ == "__main__":
    main()
