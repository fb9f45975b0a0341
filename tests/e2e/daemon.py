"""A prmd of one's own for a test: a free loopback port, a temporary data folder, stopped by its pid.

The binary is $PRMD_BIN (ctest sets it), else build/bin/prmd of this source tree. $PRM_SHARED names the folder
with real maps and oracles; tests that need it skip without it.
"""
import contextlib
import http.client
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("PRMD_BIN", str(SOURCE / "build/bin/prmd"))
SHARED = pathlib.Path(os.environ.get("PRM_SHARED", SOURCE.parent / "shared"))
needs_shared = unittest.skipUnless((SHARED / "data").is_dir(), "needs the folder of real maps, PRM_SHARED")
# every loop that waits for the daemon is bounded by this, against hangs, not slowness: kernel caches may be cold and
# the machine busy
START_S, REPLY_S = 300, 600
# what ctest knows as skipped
EXIT_SKIPPED = 77


class Daemon:
    """One prmd process and one keep-alive connection to it.

    `tls`: the client's context where prmd serves HTTPS; `prefix`: of all paths; `token`: sent with each request.
    """

    def __init__(self, *arguments, environment=None, tls=None, prefix="", token=None):
        self.tls, self.prefix, self.token = tls, prefix, token
        self.folder = tempfile.TemporaryDirectory(prefix="prmd-test-")
        self.port_file = pathlib.Path(self.folder.name, "port")
        self.log_path = pathlib.Path(self.folder.name, "log")
        self.command = [BINARY, "--listen", "127.0.0.1:0", "--port-file", str(self.port_file), "--data-dir",
                        self.folder.name + "/data", *arguments]
        self.environment = {**os.environ, **(environment or {})}
        self.start()

    def start(self):
        """Starts the process, on the data of an earlier one, and waits until it is ready."""
        self.port_file.unlink(missing_ok=True)
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env=self.environment)
        self.connection = None
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            if self.port_file.exists():
                self.port = int(self.port_file.read_text())
                if self.request("GET", "/readyz")[0] == 200:
                    return
            time.sleep(0.05)
        log = self.log()
        self.stop()
        raise AssertionError(f"prmd was not ready in {START_S} s: {log[-2000:]}")

    def kill(self):
        """Ends it as a loss of power does, but for the disk."""
        self.process.kill()
        self.process.wait()
        if self.connection:
            self.connection.close()
        self.connection = None

    def log(self):
        return self.log_path.read_text(errors="replace")

    def connect(self):
        """A connection of its own."""
        if self.tls is not None:
            return http.client.HTTPSConnection("localhost", self.port, timeout=REPLY_S, context=self.tls)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=REPLY_S)

    def raw(self, method, path, body=None, headers=None):
        """(status, headers, body bytes) on the kept connection, one retry on a fresh one."""
        for attempt in (0, 1):
            try:
                if self.connection is None:
                    self.connection = self.connect()
                headers = dict(headers or {})
                if self.token is not None:
                    headers.setdefault("Authorization", "Bearer " + self.token)
                self.connection.request(method, self.prefix + path, body, headers)
                reply = self.connection.getresponse()
                return reply.status, reply.headers, reply.read()
            except (http.client.HTTPException, ConnectionError):
                self.connection.close()
                self.connection = None
                if attempt:
                    raise
        return None

    def request(self, method, path, body=None, headers=None):
        """(status, decoded JSON or bytes); a body that is not bytes goes as JSON."""
        headers = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        status, reply_headers, data = self.raw(method, path, body, headers)
        if "json" in (reply_headers.get("Content-Type") or "") and data:
            return status, json.loads(data)
        return status, data

    def must(self, method, path, body=None, headers=None):
        status, reply = self.request(method, path, body, headers)
        if status // 100 != 2:
            raise AssertionError(f"{method} {path}: {status} {str(reply)[:400]}")
        return reply

    def roadmap(self, name, parameters):
        """Builds and waits; the resource when it is ready."""
        status, reply = self.request("PUT", "/v1/roadmaps/" + name, parameters, {"Prefer": "wait=500"})
        if status not in (200, 201):
            raise AssertionError(f"build {name}: {status} {str(reply)[:400]}")
        info = self.must("GET", "/v1/roadmaps/" + name)
        if info["state"] != "ready":
            raise AssertionError(f"build {name}: {info}")
        return info

    def plan(self, name, request):
        return self.must("POST", f"/v1/roadmaps/{name}/plan", request)

    def resident_kib(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))

    def stop(self):
        """Terminates it and returns the exit status."""
        if self.connection:
            self.connection.close()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        with contextlib.suppress(OSError):
            self.folder.cleanup()
        return self.process.returncode


class DaemonTest(unittest.TestCase):
    """A test class that shares one daemon."""
    arguments = ()
    environment = {}
    options = {}

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(*cls.arguments, environment=cls.environment, **cls.options)

    @classmethod
    def tearDownClass(cls):
        status = cls.daemon.stop()
        assert status == 0, f"prmd ended with {status}"


def check_paths(world, robot, request, response, *options):
    """Runs the independent oracle; (exit status, its output)."""
    with tempfile.TemporaryDirectory() as folder:
        names = {}
        for name, value in (("world", world), ("robot", robot), ("request", request), ("response", response)):
            if isinstance(value, (str, pathlib.Path)):
                names[name] = str(value)
            else:
                names[name] = f"{folder}/{name}.json"
                pathlib.Path(names[name]).write_text(json.dumps(value), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(SHARED / "tools/check_paths.py"), *options,
             *(part for name, path in names.items() for part in ("--" + name, path))],
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


def main():
    """Runs the tests of the calling module. What lacks all it needs counts as skipped, not as passed."""
    result = unittest.main(module="__main__", verbosity=2, exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(EXIT_SKIPPED if result.testsRun == len(result.skipped) else 0)
