/* SPDX-License-Identifier: BSD-2-Clause */
#include "helped_program.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <signal.h>
#include <unistd.h>

#include "native/target/preload/helper.h"
#include "native/window/window_writer.h"

hpp_alive_page hpp__alive_page;

static hpp_thread first_thread;

/* Sends a descriptor, or receives one if it is negative. */
static int pass(int link, int file)
{
    char byte = 0;
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } rights = {
        {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof file)}};
    struct iovec bytes = {&byte, 1};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &rights,
                             .msg_controllen = sizeof rights};
    bool is_sender = file >= 0;
    memcpy(CMSG_DATA(&rights.head), &file, sizeof file);
    long n = is_sender ? sendmsg(link, &message, 0) : recvmsg(link, &message, 0);
    memcpy(&file, CMSG_DATA(&rights.head), sizeof file);
    return n == 1 ? file : -1;
}

bool helped_program_begin(int link)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves it alone */
    atomic_store(&hpp__alive_page.is_alive, HPP_ALIVE);
    hpp__window->head.process_id = (uint32_t)getpid();
    hpp__self = &first_thread;
    first_thread.thread_id = (uint32_t)syscall(SYS_gettid);
    hpp__thread_note(hpp__self);
    atomic_store(&hpp__window->head.thread_parts, (uintptr_t)hpp__thread_parts);
    int helper = hpp__helper_start();
    bool is_sent = helper >= 0 && pass(link, helper) >= 0;
    close(helper);
    close(link);
    return is_sent;
}

int helped_program_receive(int link)
{
    int helper = pass(link, -1);
    close(link);
    return helper;
}
