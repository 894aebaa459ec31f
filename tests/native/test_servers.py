#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Servers that fork a process for each worker or connection: they work as without census, each process
has its profile, and the names that processes give themselves tell them apart."""
import glob
import gzip
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import time

import harness
from harness import CENSUS, PATIENCE_S, Native

NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
POSTGRES = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin"))), None)

NGINX_CONF = """daemon off; worker_processes 2; pid {0}/pid; error_log {0}/log;{1}
events {{ }}
http {{
  access_log off;
  client_body_temp_path {0}/1; proxy_temp_path {0}/2; fastcgi_temp_path {0}/3; uwsgi_temp_path {0}/4;
  scgi_temp_path {0}/5;
  gzip on; gzip_http_version 1.0; gzip_types text/plain; default_type text/plain;
  server {{ listen unix:{0}/socket; root {0}; }}
}}
"""


def accepts(path):
    """Whether a server listens on a socket, whose file is there earlier."""
    with socket.socket(socket.AF_UNIX) as link:
        return link.connect_ex(path) == 0


class Servers(Native):
    def begin(self, *command, **more):
        """Starts a server under census."""
        server = subprocess.Popen([CENSUS, "run", "-hd", "-i0.05", "-o", self.path("profile.hp"), "-o",
                                   self.path("profile.census"), "--", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
        self.addCleanup(server.kill)
        return server

    def end(self, server, process_id, how):
        """Ends a server by a signal. Returns what census and the server printed, and the names of all
        processes with a band."""
        os.kill(process_id, how)
        errors, _ = server.communicate(timeout=PATIENCE_S)
        self.assertEqual(server.returncode, 0, errors)
        done = harness.run([CENSUS, "convert", "--process", "all", "-o", self.path("all.hp"), self.path("profile.census")])
        self.assertEqual(done.status, 0, done.errors)
        sum_of_all = harness.Profile(self.path("all.hp"))
        self.assertTrue(sum_of_all.header["JOB"].endswith(" · by process"), sum_of_all.header)
        names = {name for _, amounts in sum_of_all.samples for name in amounts}
        return errors, names

    def test_nginx(self):
        if not NGINX:
            self.skipTest("there is no nginx here")
        text = "".join("line %d\n" % i for i in range(20000))
        with open(self.path("text"), "w", encoding="ascii") as file:
            file.write(text)
        with open(self.path("conf"), "w", encoding="ascii") as file:
            file.write(NGINX_CONF.format(self.directory, " user root;" if os.geteuid() == 0 else ""))
        server = self.begin(NGINX, "-c", self.path("conf"), "-e", self.path("log"))
        self.wait_until(lambda: accepts(self.path("socket")), server)
        for _ in range(20):
            self.assertEqual(self.get("/text"), text)
        with open(self.path("pid"), encoding="ascii") as file:
            process_id = int(file.read())
        self.wait_until(lambda: len(glob.glob(self.path("profile*.hp"))) == 3, server)
        self.wait_for_samples("profile.hp", server)
        errors, names = self.end(server, process_id, signal.SIGQUIT)
        self.assertEqual(sum("nginx: worker process" in name for name in names), 2, names)
        self.assertEqual(sum("nginx: master process" in name for name in names), 1, names)
        self.assertIn("3 processes; the one with the largest peak:", errors)
        self.assertRegex(errors, r"peak, process \d+: nginx: worker process( is shutting down)?\n")  # as the last sample saw it
        self.assertNotRegex(errors, r"blocks  ngx_(alloc|palloc|calloc) ")

    def get(self, path):
        """Returns a file of the server, which compresses it."""
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(self.path("socket"))
            link.sendall(b"GET %s HTTP/1.0\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n" % path.encode())
            with link.makefile("rb") as answer:
                head, _, body = answer.read().partition(b"\r\n\r\n")
        self.assertIn(b"Content-Encoding: gzip", head)
        return gzip.decompress(body).decode()

    def test_postgres(self):
        """The server's processes share memory; it refuses to run as root."""
        if not POSTGRES or os.geteuid() != 0:
            self.skipTest("there is no PostgreSQL here, or no root who could become its user")
        user = pwd.getpwnam("postgres")
        os.chown(self.directory, user.pw_uid, user.pw_gid)
        own = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "cwd": self.directory}
        if harness.run(["test", "-x", CENSUS], **own).status != 0:
            self.skipTest("the user of PostgreSQL cannot run census from its folder")
        subprocess.run([POSTGRES + "/initdb", "-D", "data", "-A", "trust", "-N", "--no-instructions"],
                       check=True, stdout=subprocess.DEVNULL, **own)
        server = self.begin(POSTGRES + "/postgres", "-D", "data", "-c", "listen_addresses=", "-c", "fsync=off", "-c",
                            "unix_socket_directories=" + self.directory, **own)
        self.wait_until(lambda: self.ask("select 1") == "1", server)
        with subprocess.Popen(self.psql(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
            client.stdin.write("select pg_backend_pid(), sum(n), length(string_agg(n::text, ',' order by n)) "
                               "from generate_series(1, 100000) n;\n")
            client.stdin.flush()
            process_id, *sums = client.stdout.readline().strip().split("|")
            self.assertEqual(sums, ["5000050000", "588894"])
            self.wait_for_samples("profile.%s.hp" % process_id, server)
            client.stdin.close()
        with open(self.path("data/postmaster.pid"), encoding="ascii") as file:
            process_id = int(file.readline())
        errors, names = self.end(server, process_id, signal.SIGINT)
        for title in "postgres: checkpointer", "postgres: walwriter", "postgres: postgres postgres [local] ":
            self.assertTrue(any(name.startswith(title) for name in names), (title, names))
        self.assertIn("postgres: postgres postgres [local] ", errors)
        self.assertNotRegex(errors, r"blocks  (palloc0?|MemoryContextAlloc|AllocSetContextCreateInternal) ")

    def ask(self, query):
        """Returns what the server answers; a connection ends with its query."""
        return harness.run([*self.psql(), "-c", query]).output.strip()

    def psql(self):
        return [POSTGRES + "/psql", "-h", self.directory, "-U", "postgres", "-Atq", "postgres"]

    def wait_for_samples(self, name, server):
        """Waits for two more samples of all processes, which are sampled together."""
        def count():
            if not os.path.exists(self.path(name)):
                return 0
            with open(self.path(name), encoding="utf-8") as file:
                return file.read().count("END_SAMPLE")
        n_before = count()
        self.wait_until(lambda: count() >= n_before + 2, server)

    def wait_until(self, is_true, server):
        end_s = time.monotonic() + PATIENCE_S
        while not is_true():
            self.assertIsNone(server.poll(), "the server ended")
            self.assertLess(time.monotonic(), end_s)
            time.sleep(0.02)


if __name__ == "__main__":
    harness.main()
