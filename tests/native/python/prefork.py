# SPDX-License-Identifier: BSD-2-Clause
"""A server that forks two workers before it accepts connections, as gunicorn does. They answer with asyncio, and
keep 1 MiB for each request. At SIGTERM each worker prints its number of requests."""
import asyncio
import os
import signal
import socket
import sys

KEPT = []
END = {signal.SIGTERM}


async def remember():
    await asyncio.sleep(0)
    KEPT.append(bytearray(1 << 20))


async def handle(reader, writer):
    await reader.readline()
    await remember()
    writer.write(b"%d\n" % os.getppid())
    await writer.drain()
    writer.close()


def leave():
    os.write(1, b"requests %d %d\n" % (os.getpid(), len(KEPT)))
    os._exit(0)


async def work(listener):
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, END)
    async with await asyncio.start_unix_server(handle, sock=listener) as server:
        await server.serve_forever()


def start_worker(listener):
    process = os.fork()
    if process == 0:
        asyncio.run(work(listener))
    return process


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    signal.pthread_sigmask(signal.SIG_BLOCK, END)  # until who gets it has a handler
    workers = [start_worker(listener) for _ in range(2)]
    signal.signal(signal.SIGTERM, lambda *_: [os.kill(worker, signal.SIGTERM) for worker in workers])
    signal.pthread_sigmask(signal.SIG_UNBLOCK, END)
    for worker in workers:
        os.waitpid(worker, 0)
    return 0
