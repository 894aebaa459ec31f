#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Servers under load for hours, in fast motion: what they lose to census, and whether census stays as small as it was.

    bench_servers.py --build build/release [--minutes 60] [--slice 5] [--only redis,postgres,flask,store]

Each server runs three times, alone, with samples (--rate 512K), and with all blocks counted (-hc). Each of the three is
under load for a slice of some seconds, in turn, for the whole time: so noise of the machine is of all three. Prints the
medians of the slices in Markdown: requests a second, and how long half of the requests and 99 of 100 take at most; the
last are ratios to the server alone. Then the memory of census after the first tenth of the time and at the end.
"""
import argparse
import glob
import http.client
import os
import pwd
import re
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = {"alone": None, "--rate 512K": ["--rate", "512K"], "-hc": ["-hc"]}
PATIENCE_S = 60


class Server:
    """One of the three instances of a server."""

    def __init__(self, folder, mode, census):
        self.folder = os.path.join(folder, mode.strip("-").split()[0])
        os.mkdir(self.folder)
        self.path = os.path.join(self.folder, "socket")
        own = self.own()
        if own:
            os.chown(self.folder, own["user"], own["group"])
        self.prepare()
        options = MODES[mode]
        before = [census, "run", "-q", *options, "-o", os.path.join(self.folder, "profile"), "--"] if options else []
        self.process = subprocess.Popen([*before, *self.command()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        cwd=self.folder, **own)
        end_s = time.monotonic() + PATIENCE_S
        while not self.accepts():
            if self.process.poll() is not None or time.monotonic() > end_s:
                raise SystemExit(f"{self.command()[0]} does not start")
            time.sleep(0.05)
        self.census_kib = [] if options else None
        self.slices = []

    def own(self):
        return {}

    def prepare(self):
        pass

    def socket_path(self):
        return self.path

    def accepts(self):
        with socket.socket(socket.AF_UNIX) as link:
            return link.connect_ex(self.socket_path()) == 0

    def measure(self, seconds):
        """Adds a slice: requests a second, and the milliseconds that 50 and 99 % take at most."""
        self.slices.append(self.load(seconds))
        if self.census_kib is not None:
            with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
                self.census_kib.append(int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)


def timed(ask, seconds):
    """Asks for some seconds, one request after the other."""
    took_ms = []
    begin_s = now_s = time.perf_counter()
    while now_s - begin_s < seconds:
        ask(len(took_ms))
        after_s = time.perf_counter()
        took_ms.append((after_s - now_s) * 1000)
        now_s = after_s
    took_ms.sort()
    return len(took_ms) / (now_s - begin_s), took_ms[len(took_ms) // 2], took_ms[len(took_ms) * 99 // 100]


class Redis(Server):
    n_requests = 20000

    def command(self):
        return ["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "", "--loglevel", "warning"]

    def load(self, seconds):
        begin_s = time.monotonic()
        rows = subprocess.run(["redis-benchmark", "-s", self.path, "-c", "8", "-n", str(Redis.n_requests), "-r", "100000", "-d",
                               "200", "-t", "set", "--csv"], check=True, capture_output=True, text=True).stdout.splitlines()
        Redis.n_requests = max(1000, int(Redis.n_requests * seconds / (time.monotonic() - begin_s)))
        row = dict(zip(re.findall(r'"([^"]*)"', rows[0]), re.findall(r'"([^"]*)"', rows[1])))
        return float(row["rps"]), float(row["p50_latency_ms"]), float(row["p99_latency_ms"])


class Postgres(Server):
    folder_of = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"))), "")

    def own(self):
        user = pwd.getpwnam("postgres")
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def run(self, *command):
        return subprocess.run([os.path.join(self.folder_of, command[0]), *command[1:]], check=True, cwd=self.folder,
                              capture_output=True, text=True, **self.own()).stdout

    def prepare(self):
        self.run("initdb", "-D", "data", "-A", "trust", "-N", "--no-instructions")

    def command(self):
        return [self.folder_of + "/postgres", "-D", "data", "-c", "listen_addresses=", "-c", "fsync=off", "-c",
                "unix_socket_directories=" + self.folder]

    def socket_path(self):
        return os.path.join(self.folder, ".s.PGSQL.5432")

    def load(self, seconds):
        place = ["-h", self.folder, "-U", "postgres"]
        if not self.slices:
            while subprocess.run([self.folder_of + "/pg_isready", "-q", *place], check=False).returncode != 0:
                time.sleep(0.1)
            self.run("pgbench", *place, "-i", "-q", "postgres")
        for log in glob.glob(os.path.join(self.folder, "log.*")):
            os.remove(log)
        said = self.run("pgbench", *place, "-n", "-S", "-c", "4", "-T", str(seconds), "-l", "--log-prefix=log", "postgres")
        took_ms = []
        for log in glob.glob(os.path.join(self.folder, "log.*")):
            with open(log, encoding="ascii") as file:
                took_ms += [int(line.split()[2]) / 1000 for line in file]
        took_ms.sort()
        return (float(re.search(r"tps = ([\d.]+)", said).group(1)), took_ms[len(took_ms) // 2],
                took_ms[len(took_ms) * 99 // 100])


class UnixConnection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


class Flask(Server):
    def command(self):
        return ["/usr/bin/python3", os.path.join(HERE, "servers/pages.py"), self.path]

    def load(self, seconds):
        link = UnixConnection(self.path)
        n_before = 10000 * len(self.slices)

        def ask(number):
            link.request("GET", "/%d" % (n_before + number), headers={"Host": "x"})
            link.getresponse().read()
        try:
            return timed(ask, seconds)
        finally:
            link.close()


class Store(Server):
    def command(self):
        return [os.path.join(os.path.dirname(self.folder), "store"), self.path]

    def load(self, seconds):
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(self.path)
            lines = link.makefile("rb")

            def ask(number):
                link.sendall(b"%d\n" % (number * 7919))
                lines.readline()
            return timed(ask, seconds)


SERVERS = {"redis": Redis, "postgres": Postgres, "flask": Flask, "store": Store}


def is_there(name):
    return {"redis": shutil.which("redis-server"), "postgres": Postgres.folder_of and os.geteuid() == 0,
            "flask": subprocess.run(["/usr/bin/python3", "-c", "import flask"], capture_output=True, check=False).returncode == 0,
            "store": shutil.which("g++")}[name]


def bench(name, options, minutes, folder):
    folder = os.path.join(folder, name)
    os.mkdir(folder)
    os.chmod(folder, 0o755)
    if name == "store":
        subprocess.run(["g++", "-O2", "-g", "-pthread", "-o", os.path.join(folder, "store"), os.path.join(HERE, "servers/store.cc")],
                       check=True)
    census = os.path.join(os.path.abspath(options.build), "cli/census")
    servers = {mode: SERVERS[name](folder, mode, census) for mode in MODES}
    end_s = time.monotonic() + minutes * 60
    while time.monotonic() < end_s:
        for server in servers.values():
            server.measure(options.slice)
    for server in servers.values():
        server.end()
    plain = None
    for mode, server in servers.items():
        n_second, half_ms, most_ms = map(statistics.median, zip(*server.slices[1:] or server.slices))
        plain = plain or (n_second, half_ms, most_ms)
        kib = server.census_kib
        memory = f"{kib[len(kib) // 10] / 1024:.1f} | {kib[-1] / 1024:.1f}" if kib else "|"
        print(f"| {name} | {mode} | {n_second:,.0f} | {half_ms:.2f} | {most_ms:.2f} | {n_second / plain[0]:.2f} | "
              f"{half_ms / plain[1]:.2f} | {most_ms / plain[2]:.2f} | {memory} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--slice", type=int, default=5)
    parser.add_argument("--only", default=",".join(SERVERS))
    options = parser.parse_args()
    names = [name for name in options.only.split(",") if is_there(name)]
    print("| server | census | requests/s | 50 %, ms | 99 %, ms | requests | 50 % | 99 % | census at 10 %, MiB | at the end |\n"
          "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(prefix="census-servers-") as folder:
        os.chmod(folder, 0o755)
        for name in names:
            bench(name, options, options.minutes / len(names), folder)


if __name__ == "__main__":
    main()
