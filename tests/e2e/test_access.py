"""Who gets in: tokens and roles, origins, TLS, a prefix, a listener of metrics; and what operators do to a daemon."""
import hashlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import warnings

from daemon import BINARY, START_S, Daemon, DaemonTest, main

WORLD = {"dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
         "obstacles": [{"type": "circle", "center": [5, 5], "radius": 1}]}
ROLES = ("read", "plan", "write")
# a request of each kind that changes nothing but asks for device work
PLANS = ("/plan", "/matrix", "/validate", "/nearest", "/forward", "/picture.svg", "/v1/compute/")


def line(role, token, comment=""):
    return f"{role} {hashlib.sha256(token.encode()).hexdigest()} {comment}\n"


def role_needed(method, path):
    """By the rule of the contract, not by the daemon's table."""
    if path in ("/livez", "/readyz", "/healthz"):
        return None
    if any(part in path for part in PLANS):
        return "plan"
    return "read" if method == "GET" else "write"


def wait_for(what, seconds=20):
    """Whether `what` comes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.02)
    return False


def make_certificate(folder, name):
    """NAME.cert and NAME.key of localhost, signed by themselves."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                    "-keyout", folder / (name + ".key"), "-out", folder / (name + ".cert")],
                   check=True, capture_output=True)


class Folder(unittest.TestCase):
    """A test class with a folder of files for its daemon."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="prmd-access-")
        cls.path = pathlib.Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


class Tokens(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.path / "tokens"
        cls.file.write_text("# of the test\n" + "".join(line(role, role + "-secret", role + "er") for role in ROLES))
        cls.daemon = Daemon("--token-file", str(cls.file))

    @classmethod
    def tearDownClass(cls):
        assert cls.daemon.stop() == 0
        super().tearDownClass()

    def ask(self, method, path, token=None, body=None):
        headers = {} if token is None else {"Authorization": "Bearer " + token}
        return self.daemon.request(method, path, body, headers)

    def test_each_route_needs_its_role(self):
        routes = self.ask("GET", "/v1", "read-secret")[1]["routes"]
        self.assertGreater(len(routes), 30)
        for route in routes:
            method, path = route["method"], route["path"]
            needed = role_needed(method, path)
            url = re.sub(r"\{\w+\}", "none", path)
            body = b"{}" if method in ("PUT", "POST", "PATCH") else None
            for token in (None, *ROLES):
                status, reply = self.ask(method, url, token and token + "-secret", body)
                if needed is None or (token and ROLES.index(token) >= ROLES.index(needed)):
                    self.assertNotIn(status, (401, 403), (method, path, token, reply))
                elif token is None:
                    self.assertEqual((status, reply["code"]), (401, "unauthenticated"), (method, path))
                else:
                    self.assertEqual((status, reply["code"]), (403, "forbidden"), (method, path, token))

    def test_challenges(self):
        for headers, wanted in (({}, 'Bearer realm="prmd"'),
                                ({"Authorization": "Basic eDp5"}, 'Bearer realm="prmd"'),
                                ({"Authorization": "Bearer no"}, 'error="invalid_token"')):
            status, got, _ = self.daemon.raw("GET", "/v1", headers=headers)
            self.assertEqual(status, 401)
            self.assertIn(wanted, got["WWW-Authenticate"])
        status, got, _ = self.daemon.raw("DELETE", "/v1/worlds/w", headers={"Authorization": "Bearer plan-secret"})
        self.assertEqual(status, 403)
        self.assertIn('scope="write"', got["WWW-Authenticate"])

    def test_nothing_is_to_be_learnt_without_a_token(self):
        for path in ("/", "/v2", "/v1/worlds/w/x", "/../etc/passwd", "/v1/worlds/%zz"):
            self.assertEqual(self.ask("GET", path)[0], 401, path)
        self.assertEqual(self.ask("GET", "/v2", "read-secret")[0], 404)
        self.assertEqual(self.ask("PATCH", "/v1", "read-secret")[0], 405)

    def test_a_refused_body_leaves_the_connection_usable(self):
        for _ in range(3):
            self.assertEqual(self.ask("POST", "/v1/roadmaps/m/plan", None, b"x" * 200000)[0], 401)
            self.assertEqual(self.ask("GET", "/v1/limits", "read-secret")[0], 200)

    def test_reloading(self):
        kept = self.file.read_text()
        self.file.write_text(line("read", "another", "the new one"))
        self.daemon.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_for(lambda: self.ask("GET", "/v1", "another")[0] == 200))
        self.assertEqual(self.ask("GET", "/v1", "read-secret")[0], 401)
        self.assertTrue(wait_for(lambda: '"client":"the new one"' in self.daemon.log()))
        # a file with a fault changes nothing
        self.file.write_text("root " + "0" * 64)
        self.daemon.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_for(lambda: "tokens_not_reloaded" in self.daemon.log()))
        self.assertEqual(self.ask("GET", "/v1", "another")[0], 200)
        self.file.write_text(kept)
        self.daemon.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_for(lambda: self.ask("GET", "/v1", "read-secret")[0] == 200))
        self.assertNotIn("-secret", self.daemon.log(), "tokens must not reach the log")


class Start(Folder):
    """What prmd refuses to start with, and what --check finds."""

    def outcome(self, *arguments):
        done = subprocess.run([BINARY, "--data-dir", str(self.path / "data"), *arguments], capture_output=True,
                              text=True, timeout=START_S)
        return done.returncode, done.stderr

    def test_addresses_need_a_guard(self):
        code, said = self.outcome("--listen", "0.0.0.0:0")
        self.assertEqual(code, 2, said)
        self.assertIn("--token-file", said)
        self.assertIn("--insecure", said)
        code, said = self.outcome("--listen", "127.0.0.1:0", "--metrics-listen", "0.0.0.0:0")
        self.assertEqual(code, 2, said)
        self.assertIn("--metrics-listen", said)
        tokens = self.path / "guard"
        tokens.write_text(line("read", "x"))
        # tokens do not guard metrics; a check judges as the start does
        for arguments in (("--metrics-listen", "0.0.0.0:0", "--token-file", str(tokens)),
                          ("--check", "--listen", "0.0.0.0:0")):
            code, said = self.outcome("--listen", "127.0.0.1:0", *arguments)
            self.assertEqual(code, 2, said)
            self.assertIn("--insecure", said)
        for guard in (("--insecure",), ("--token-file", str(tokens))):
            daemon = Daemon("--listen", "0.0.0.0:0", *guard)
            self.assertEqual(daemon.stop(), 0)

    def test_check_reads_all_files(self):
        tokens = self.path / "tokens"
        tokens.write_text(line("read", "x") + "nonsense\n")
        code, said = self.outcome("--check", "--token-file", str(tokens))
        self.assertEqual(code, 1, said)
        self.assertIn("line 2", said)
        tokens.write_text(line("read", "x"))
        code, said = self.outcome("--check", "--token-file", str(tokens), "--log-file", "/nonexistent/log")
        self.assertEqual(code, 1, said)
        self.assertIn("/nonexistent/log", said)
        code, said = self.outcome("--check", "--tls-cert", str(tokens), "--tls-key", str(tokens))
        self.assertEqual(code, 1, said)
        self.assertIn("--tls-cert", said)
        self.assertEqual(self.outcome("--check", "--token-file", str(tokens))[0], 0)


class Allowance(Folder):
    def test_each_token_has_its_own(self):
        tokens = self.path / "tokens"
        tokens.write_text(line("read", "busy") + line("read", "calm"))
        daemon = Daemon("--token-file", str(tokens), "--token-requests-per-s", "5")
        try:
            replies = [daemon.raw("GET", "/v1/limits", headers={"Authorization": "Bearer busy"}) for _ in range(30)]
            refused = [reply for reply in replies if reply[0] == 429]
            self.assertGreater(len(refused), 10)
            self.assertGreaterEqual(len(replies) - len(refused), 5)
            self.assertEqual(json.loads(refused[0][2])["code"], "too_many_requests")
            self.assertGreaterEqual(int(refused[0][1]["Retry-After"]), 1)
            self.assertEqual(daemon.request("GET", "/v1", headers={"Authorization": "Bearer calm"})[0], 200)
            self.assertEqual(daemon.request("GET", "/livez")[0], 200)
            time.sleep(int(refused[-1][1]["Retry-After"]))
            self.assertEqual(daemon.request("GET", "/v1", headers={"Authorization": "Bearer busy"})[0], 200)
        finally:
            self.assertEqual(daemon.stop(), 0)


class Origins(DaemonTest):
    """CORS off, without tokens: pages of other origins cannot make a browser change things."""

    def test_foreign_origins_may_only_read(self):
        own = {"Origin": f"http://127.0.0.1:{self.daemon.port}"}
        foreign = {"Origin": "https://evil.example"}
        body = {"type": "point"}
        self.assertEqual(self.daemon.request("PUT", "/v1/robots/r", body, own)[0], 201)
        status, problem = self.daemon.request("PUT", "/v1/robots/r", body, foreign)
        self.assertEqual((status, problem["code"]), (403, "forbidden"))
        self.assertEqual(self.daemon.request("PUT", "/v1/robots/r", body, {"Origin": "null"})[0], 403)
        status, headers, _ = self.daemon.raw("GET", "/v1/robots/r", headers=foreign)
        self.assertEqual(status, 200)
        self.assertNotIn("Access-Control-Allow-Origin", headers)


class AllowedOrigins(DaemonTest):
    arguments = ("--cors-origin", "https://a.example,https://b.example")

    def test_preflight_and_answer(self):
        for origin, allowed in (("https://a.example", True), ("https://b.example", True), ("https://c.example", False),
                                ("https://a.example.evil", False), ("null", False)):
            status, headers, _ = self.daemon.raw("OPTIONS", "/v1/robots/r", headers={
                "Origin": origin, "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": "authorization,content-type"})
            self.assertEqual(status, 204)
            self.assertIn("Origin", headers.get_all("Vary"))
            self.assertEqual(headers["Access-Control-Allow-Origin"], origin if allowed else None)
            if allowed:
                self.assertIn("PUT", headers["Access-Control-Allow-Methods"])
                self.assertIn("Authorization", headers["Access-Control-Allow-Headers"])
            status, headers, _ = self.daemon.raw("PUT", "/v1/robots/r", b'{"type":"point"}', {
                "Origin": origin, "Content-Type": "application/json"})
            self.assertEqual(status // 100, 2 if allowed else 4)
            self.assertEqual(headers["Access-Control-Allow-Origin"], origin if allowed else None)


class Prefix(DaemonTest):
    arguments = ("--base-path", "/planner/v2", "--metrics-listen", "127.0.0.1:0")
    options = {"prefix": "/planner/v2"}

    def test_paths_and_links(self):
        links = self.daemon.must("GET", "/v1")["links"]
        self.assertTrue(all(link.startswith("/planner/v2/") for link in links.values()), links)
        self.daemon.must("PUT", "/v1/worlds/w", WORLD)
        self.daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        status, headers, _ = self.daemon.raw("PUT", "/v1/roadmaps/m", json.dumps(
            {"world": "w", "robot": "r", "samples": {"count": 100}}).encode(), {"Content-Type": "application/json"})
        self.assertEqual(status, 202)
        self.assertRegex(headers["Location"], "^/planner/v2/v1/jobs/")
        bare = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=20)
        for path in ("/v1", "/livez", "/planner", "/planner/v2", "/planner/v2x/v1", "//planner/v2/v1"):
            bare.request("GET", path)
            reply = bare.getresponse()
            self.assertEqual((reply.status, b"unknown_route" in reply.read()), (404, True), path)
        bare.close()

    def test_metrics_of_their_own(self):
        port = int(re.search(r'"event":"metrics_listening".*?"port":(\d+)', self.daemon.log()).group(1))
        alone = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        for path, wanted in (("/metrics", 200), ("/livez", 200), ("/readyz", 200), ("/v1", 404), ("/v1/worlds", 404),
                             ("/planner/v2/metrics", 404)):
            alone.request("GET", path)
            reply = alone.getresponse()
            body = reply.read()
            self.assertEqual(reply.status, wanted, path)
            if path == "/metrics":
                self.assertIn(b"prmd_build_info", body)
        for method, path in (("DELETE", "/v1/limits"), ("OPTIONS", "/v1/worlds/w"), ("OPTIONS", "*")):
            alone.request(method, path)
            reply = alone.getresponse()
            self.assertEqual((reply.status, b"unknown_route" in reply.read()), (404, True), path)
            self.assertIsNone(reply.headers["Allow"])
        alone.close()


@unittest.skipUnless(shutil.which("openssl"), "needs openssl to make certificates")
class Https(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        make_certificate(cls.path, "a")
        cls.arguments = ("--tls-cert", str(cls.path / "cert"), "--tls-key", str(cls.path / "key"))
        cls.use("a")
        cls.daemon = Daemon(*cls.arguments, tls=ssl.create_default_context(cafile=str(cls.path / "a.cert")))

    @classmethod
    def tearDownClass(cls):
        assert cls.daemon.stop() == 0
        super().tearDownClass()

    @classmethod
    def use(cls, name):
        for part in ("cert", "key"):
            shutil.copy(cls.path / f"{name}.{part}", cls.path / part)

    def served(self):
        return ssl.get_server_certificate(("127.0.0.1", self.daemon.port)).strip()

    def test_requests_of_all_sizes(self):
        self.daemon.must("PUT", "/v1/worlds/w", WORLD)
        self.daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        self.daemon.roadmap("m", {"world": "w", "robot": "r", "samples": {"count": 500}})
        for count in (1, 3000):
            reply = self.daemon.plan("m", {"queries": [{"start": [1, 1], "goal": [9, 9]}] * count})
            self.assertEqual(reply["summary"]["solved"], count)

    def test_the_command_line_client(self):
        prm = pathlib.Path(BINARY).with_name("prm")

        def run(*arguments, **environment):
            done = subprocess.run([prm, "--server", f"https://localhost:{self.daemon.port}", *arguments],
                                  env={**os.environ, **environment}, capture_output=True, text=True, timeout=60)
            return done.returncode, done.stdout + done.stderr

        trusted = {"PRM_CA_FILE": str(self.path / "a.cert")}
        self.assertEqual(run("health", **trusted)[0], 0)
        self.assertEqual(run("health")[0], 3, "a certificate that nobody vouches for")
        tokens = self.path / "tokens"
        tokens.write_text(line("read", "sesame"))
        guarded = Daemon(*self.arguments, "--token-file", str(tokens), tls=self.daemon.tls)
        try:
            server = ("--server", f"https://localhost:{guarded.port}", "world", "list")
            self.assertEqual(run(*server, **trusted)[0], 4)
            self.assertEqual(run(*server, **trusted, PRM_TOKEN="sesame\n")[0], 0)
            self.assertEqual(run(*server, **trusted, PRM_TOKEN="open\nX-Other: 1")[0], 2)
        finally:
            self.assertEqual(guarded.stop(), 0)

    def test_old_protocols_and_plain_http_get_nothing(self):
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=20) as s:
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                old.wrap_socket(s)
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=20) as s:
            s.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            try:
                self.assertNotIn(b"HTTP/1.1 200", s.recv(100))
            except ConnectionError:
                pass

    def test_renewal_without_a_break(self):
        first = self.served()
        self.assertEqual(first, (self.path / "a.cert").read_text().strip())
        make_certificate(self.path, "b")
        # a pair that does not fit changes nothing
        shutil.copy(self.path / "b.cert", self.path / "cert")
        self.daemon.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_for(lambda: "certificate_not_reloaded" in self.daemon.log()))
        self.assertEqual(self.served(), first)
        self.use("b")
        self.daemon.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_for(lambda: self.served() == (self.path / "b.cert").read_text().strip()))
        # the connection from before goes on
        self.assertEqual(self.daemon.request("GET", "/livez")[0], 200)
        self.use("a")
        self.daemon.process.send_signal(signal.SIGHUP)
        self.assertTrue(wait_for(lambda: self.served() == first))


@unittest.skipUnless(shutil.which("openssl"), "needs openssl to make certificates")
class Renewal(Folder):
    SECONDS = float(os.environ.get("PRM_RENEWAL_S", "3"))

    def test_no_request_suffers(self):
        """Tokens, certificate and log change places many times a second; whoever is in both files gets in."""
        make_certificate(self.path, "a")
        (self.path / "tokens").write_text(line("read", "kept"))
        arguments = ["--tls-cert", str(self.path / "a.cert"), "--tls-key", str(self.path / "a.key"),
                     "--token-file", str(self.path / "tokens"), "--log-file", str(self.path / "log")]
        context = ssl.create_default_context(cafile=str(self.path / "a.cert"))
        daemon = Daemon(*arguments, tls=context, token="kept")
        deadline = time.monotonic() + self.SECONDS
        failed, answered = [], [0]

        def client(keeps):
            connection = daemon.connect()
            while time.monotonic() < deadline:
                connection.request("GET", "/v1/limits", headers={"Authorization": "Bearer kept"})
                reply = connection.getresponse()
                reply.read()
                answered[0] += 1
                if reply.status != 200:
                    failed.append(reply.status)
                if not keeps:
                    connection.close()
            connection.close()

        clients = [threading.Thread(target=client, args=(i % 2 == 0,)) for i in range(8)]
        for thread in clients:
            thread.start()
        renewals = 0
        while time.monotonic() < deadline:
            new = self.path / "new"
            new.write_text(line("read", "kept") + line("write", f"other-{renewals}"))
            new.replace(self.path / "tokens")
            daemon.process.send_signal(signal.SIGHUP)
            renewals += 1
            time.sleep(0.02)
        for thread in clients:
            thread.join()
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(failed, [])
        self.assertGreater(answered[0], renewals)
        self.assertGreater((self.path / "log").read_text().count('"event":"reloaded","tokens":2'), renewals // 10)


class Operation(Folder):
    def test_log_file_is_opened_anew(self):
        log = self.path / "log"
        daemon = Daemon("--log-file", str(log))
        try:
            daemon.must("GET", "/v1/limits", headers={"X-Request-Id": "before-rotation"})
            self.assertTrue(wait_for(lambda: "before-rotation" in log.read_text()))
            log.rename(self.path / "log.1")
            daemon.process.send_signal(signal.SIGHUP)
            self.assertTrue(wait_for(log.exists))
            daemon.must("GET", "/v1/limits", headers={"X-Request-Id": "after-rotation"})
            self.assertTrue(wait_for(lambda: "after-rotation" in log.read_text()))
            self.assertNotIn("after-rotation", (self.path / "log.1").read_text())
            for text in (log.read_text(), (self.path / "log.1").read_text()):
                for entry in text.splitlines():
                    self.assertIn("event", json.loads(entry))
        finally:
            self.assertEqual(daemon.stop(), 0)

    def test_the_service_manager_is_told(self):
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        manager.bind(str(self.path / "notify"))
        manager.settimeout(START_S)
        daemon = Daemon(environment={"NOTIFY_SOCKET": str(self.path / "notify")})

        def told(what):
            seen = []
            while what not in seen:
                seen = manager.recv(4096).decode().split("\n")
            return seen

        told("READY=1")
        daemon.process.send_signal(signal.SIGHUP)
        self.assertTrue(any(item.startswith("MONOTONIC_USEC=") for item in told("RELOADING=1")))
        told("READY=1")
        daemon.process.send_signal(signal.SIGTERM)
        told("STOPPING=1")
        self.assertEqual(daemon.process.wait(60), 0)
        daemon.stop()
        manager.close()

    def test_draining_refuses_politely(self):
        daemon = Daemon("--drain-timeout-s", "4")
        daemon.must("PUT", "/v1/worlds/w", WORLD)
        daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        daemon.roadmap("m", {"world": "w", "robot": "r", "samples": {"count": 200}})
        # work that outlasts the time there is
        self.assertEqual(daemon.request("PUT", "/v1/roadmaps/long", {
            "world": "w", "robot": "r", "samples": {"count": 1500000}})[0], 202)
        daemon.process.send_signal(signal.SIGTERM)
        self.assertTrue(wait_for(lambda: daemon.request("GET", "/readyz")[0] == 503))
        status, headers, body = daemon.raw("POST", "/v1/roadmaps/m/plan", b'{"queries":[]}',
                                           {"Content-Type": "application/json"})
        self.assertEqual((status, json.loads(body)["code"]), (503, "draining"))
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)
        self.assertEqual(headers["Connection"], "close")
        self.assertEqual(daemon.request("GET", "/v1/roadmaps/m")[0], 200, "what only looks goes on")
        self.assertEqual(daemon.process.wait(60), 0)
        daemon.stop()

    def test_draining_lets_answers_leave(self):
        daemon = Daemon("--drain-timeout-s", "20")
        daemon.must("PUT", "/v1/worlds/w", WORLD)
        daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        daemon.roadmap("m", {"world": "w", "robot": "r", "samples": {"count": 200}})
        body = json.dumps({"queries": [{"start": [1, 1], "goal": [9, 9]}] * 60000, "simplify": False}).encode()
        with socket.socket() as s:
            # a window so small that the answer is still on its way
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
            s.connect(("127.0.0.1", daemon.port))
            s.sendall(b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                      b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            data = bytearray(s.recv(1000))
            daemon.process.send_signal(signal.SIGTERM)
            length = int(re.search(rb"Content-Length: (\d+)", data).group(1))
            head = data.index(b"\r\n\r\n") + 4
            begun = time.monotonic()
            while more := s.recv(65536):
                data += more
                # about four seconds for all of it
                time.sleep(max(0.0, 4 * len(data) / length - (time.monotonic() - begun)))
        self.assertEqual(len(data) - head, length)
        self.assertEqual(daemon.process.wait(60), 0)
        daemon.stop()

    def test_requests_that_take_too_long_are_given_up(self):
        daemon = Daemon("--request-timeout-s", "1")
        try:
            daemon.must("PUT", "/v1/worlds/w", WORLD)
            daemon.must("PUT", "/v1/robots/r", {"type": "point"})
            begun = time.monotonic()
            status, reply = daemon.request("PUT", "/v1/roadmaps/long", {
                "world": "w", "robot": "r", "samples": {"count": 1500000}}, {"Prefer": "wait=60"})
            self.assertLess(time.monotonic() - begun, 20)
            # the build goes on, and the answer says so
            self.assertEqual(status, 202, reply)
            self.assertEqual(daemon.request("DELETE", "/v1/jobs/" + reply["id"])[0] // 100, 2)

            # trees that would grow for minutes in two rooms without a door
            daemon.must("PUT", "/v1/worlds/rooms", {**WORLD, "obstacles": [
                {"type": "rectangle", "center": [5, 5], "size": [0.1, 10]}]})
            daemon.roadmap("rooms", {"world": "rooms", "robot": "r", "samples": {"count": 200}})
            begun = time.monotonic()
            status, reply = daemon.request("POST", "/v1/roadmaps/rooms/plan", {
                "queries": [{"start": [1, 1 + i / 1000], "goal": [9, 9]} for i in range(1000)],
                "expand": {"samples": 100000}})
            self.assertEqual((status, reply["code"]), (503, "overloaded"))
            self.assertIn("--request-timeout-s", reply["detail"])
            self.assertLess(time.monotonic() - begun, 15)
            self.assertEqual(daemon.request("GET", "/v1/roadmaps/rooms")[0], 200)
        finally:
            self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    main()
