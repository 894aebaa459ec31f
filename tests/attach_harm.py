#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Kills census at each step by which it changes the program that it attaches to.

attach_harm.py BUILD [ROUNDS]: BUILD is a folder with cli/census and the test programs. Each program
is a new process after 12 steps, since each may load the library once more; after each kill it has to answer, and at its end it must have
written what it writes without census. Prints a line for each round; the exit status is 1 if a
program behaved differently. It takes about three minutes for a round. ./check does not run it.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
PATIENCE_S = 120
STEPS_OF_A_PROCESS = 12
CENSUS = os.path.join(BUILD, "cli", "census")
PROGRAMS = os.path.join(BUILD, "tests", "native", "programs")
WRITE = """import socket, sys, threading
a, b = socket.socketpair()
def take():
    n = 0
    while n < 1000000:
        n += len(b.recv(1000000 - n))
for line in sys.stdin:
    taker = threading.Timer(0.01, take)
    taker.start()
    n_sent = a.send(b"x" * 1000000)
    a.sendall(b"x" * (1000000 - n_sent))
    taker.join()
    print(n_sent, flush=True)
"""
COMMANDS = {
    "threads": ([os.path.join(PROGRAMS, "attached")], ["threads 2"], "keep 100", 2),
    "python": ([sys.executable, "-c", "import sys\nfor line in sys.stdin: print([line] * 3, flush=True)"], [], "x", 1),
    "send": ([sys.executable, "-c", WRITE], [], "x", 1),
    "bash": (["bash", "-c", "while read line; do echo $line $(echo 1); done; exit 9"], [], "x", 1),
    "perl": (["perl", "-ne", "$| = 1; push @a, ($_) x 100; print scalar(@a), qq(\\n)"], [], "x", 1),
}


class Program:
    def __init__(self, command, first_lines):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.output = [self.ask(line, 2) for line in first_lines]

    def ask(self, line, n_answers):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return [self.process.stdout.readline() for _ in range(n_answers)]


def kill_at(step, pid, base):
    done = subprocess.run([os.path.join(PROGRAMS, "kill_at"), str(step), CENSUS, "attach", "-q", "-p", "-o", base,
                           str(pid)], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    return done.returncode, done.stderr


def outcome(name, act, n):
    """Plays a program that answers n times, after `act` each time. Returns its answers, the rest, and its status."""
    command, first_lines, line, n_answers = COMMANDS[name]
    program = Program(command, first_lines)
    answers = []
    for i in range(n):
        if not act(i, program.process.pid):
            break
        answers.append(program.ask(line, n_answers))
    try:
        rest = program.process.communicate(timeout=PATIENCE_S)[0]
    except subprocess.TimeoutExpired:
        program.process.kill()
        rest = "it hangs"
    return program.output, answers, rest, program.process.returncode


def play(name, directory):
    """Returns the number of kills, and what was wrong, or ""."""
    first, status, said = 1, 137, ""

    def kill(i, pid):
        nonlocal status, said
        if status == 137:
            status, said = kill_at(first + i, pid, os.path.join(directory, name))
            return True
        return False

    while status == 137:
        profiled = outcome(name, kill, STEPS_OF_A_PROCESS)
        plain = outcome(name, lambda i, pid: True, len(profiled[1]))
        if profiled != plain:
            wrong = next((i for i, pair in enumerate(zip(profiled[1], plain[1])) if pair[0] != pair[1]), len(plain[1]))
            return first, f"the program differs after the kill at step {first + wrong}: {profiled}"
        first += len(profiled[1])
    return first - 2, "" if status == 0 else f"step {first - 1}: census ended with {status}: {said}"


def main():
    is_same = True
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(len(COMMANDS)) as pool:
        for i in range(ROUNDS):
            for name, (n_kills, wrong) in zip(COMMANDS, pool.map(lambda name: play(name, directory), COMMANDS)):
                print(f"round {i + 1}: {name}: {n_kills} kills: {wrong or 'as without'}", flush=True)
                is_same = is_same and not wrong
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
