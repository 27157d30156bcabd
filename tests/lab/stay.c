/* Copyright (c) 2026, The inference.recon authors
 * GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stands in for a GPU process: whatever its arguments say, it only stays.
 * With RECON_LAB_PID it first becomes a child with exactly that process id (clone3, Linux 5.5) and the parent leaves,
 * so that a unit of Type=forking has the recorded main process. */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    const char *wanted = getenv("RECON_LAB_PID");
    if (wanted) {
        pid_t pid = (pid_t)atoi(wanted);
        struct clone_args args = {.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&pid, .set_tid_size = 1};
        long child = syscall(SYS_clone3, &args, sizeof args);
        if (child < 0) {
            perror("clone3");
            return 1;
        }
        if (child > 0)
            return 0;
    }
    for (;;)
        pause();
}
