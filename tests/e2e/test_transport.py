"""HTTP's corners by curl, and by raw bytes where curl is too polite: each answer as the contract has it.

What libmicrohttpd refuses before our code (a head that is no HTTP) is exempt from problem+json.
"""
import errno
import gzip
import json
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

from daemon import DaemonTest, main

QUERY = {"queries": [{"start": [1, 1], "goal": [9, 9]}]}
LIMIT = 1 << 20


class Transport(DaemonTest):
    arguments = ("--max-body-bytes", str(LIMIT), "--idle-timeout-s", "20")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory(prefix="prmd-transport-")
        cls.path = pathlib.Path(cls.folder.name)
        cls.daemon.must("PUT", "/v1/worlds/w", {
            "dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
            "obstacles": [{"type": "circle", "center": [5, 5], "radius": 1}]})
        cls.daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        cls.daemon.roadmap("m", {"world": "w", "robot": "r", "samples": {"count": 300}})

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def file(self, data):
        path = self.path / "body"
        path.write_bytes(data)
        return "@" + str(path)

    def exchange(self, *pieces, until=None):
        """Sends raw bytes; what comes back until the mark or the close."""
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=20) as s:
            data = b""
            try:
                for piece in pieces:
                    s.sendall(piece)
                while until is None or until not in data:
                    more = s.recv(65536)
                    if not more:
                        break
                    data += more
            except ConnectionError:
                pass
            return data

    def assert_problem(self, data, status, code):
        head, _, body = data.partition(b"\r\n\r\n")
        self.assertTrue(head.startswith(b"HTTP/1.1 %d " % status), data[:300])
        self.assertEqual(json.loads(body)["code"], code)


@unittest.skipUnless(shutil.which("curl"), "needs curl")
class Curl(Transport):
    def curl(self, *arguments, stdin=None):
        """(status, headers as sent, body, what curl counted)."""
        counted = "%{http_code} %{num_connects} %{size_upload} %{time_total}"
        done = subprocess.run(
            ["curl", "-sS", "--max-time", "60", "-D", str(self.path / "head"), "-o", str(self.path / "out"),
             "-w", counted, *arguments], input=stdin, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        status, connects, upload, seconds = done.stdout.decode().split()
        return (int(status), (self.path / "head").read_text(), (self.path / "out").read_bytes(),
                {"connects": int(connects), "upload": int(upload), "seconds": float(seconds)})

    def url(self, path):
        return f"http://127.0.0.1:{self.daemon.port}{path}"

    def plan(self, *arguments, **keywords):
        return self.curl(self.url("/v1/roadmaps/m/plan"), "-H", "Content-Type: application/json", *arguments,
                         **keywords)

    def body(self, count):
        return json.dumps({"queries": QUERY["queries"] * count}).encode()

    def test_expect_of_an_accepted_body(self):
        data = self.body(15000)
        self.assertGreater(len(data), 500000)
        status, head, out, counted = self.plan("-H", "Expect: 100-continue", "--data-binary", self.file(data))
        self.assertEqual((status, json.loads(out)["summary"]["solved"]), (200, 15000))
        self.assertIn("100 Continue", head)
        self.assertEqual(counted["upload"], len(data))

    def test_expect_of_a_refused_body(self):
        for path, size, wanted in (("/v1/nothing", 2 << 20, 404), ("/v1/roadmaps/m/plan", 2 << 20, 413)):
            status, head, out, counted = self.curl(
                self.url(path), "-H", "Content-Type: application/json", "-H", "Expect: 100-continue",
                "--data-binary", self.file(b" " * size))
            self.assertEqual((status, json.loads(out)["status"]), (wanted, wanted))
            self.assertNotIn("100 Continue", head)
            self.assertEqual(counted["upload"], 0)
            self.assertLess(counted["seconds"], 0.9, "curl waits a second for what never comes")

    def test_chunked_as_with_length(self):
        data = self.body(2000)
        plain = json.loads(self.plan("--data-binary", self.file(data))[2])
        status, _, out, _ = self.plan("-H", "Transfer-Encoding: chunked", "--data-binary", self.file(data))
        self.assertEqual((status, json.loads(out)["results"]), (200, plain["results"]))
        status, _, out, _ = self.plan("-X", "POST", "-T", "-", stdin=data)
        self.assertEqual((status, json.loads(out)["results"]), (200, plain["results"]))

    def test_gzip_both_ways(self):
        data = self.body(5000)
        plain = json.loads(self.plan("--data-binary", self.file(data))[2])
        status, head, out, _ = self.plan("-H", "Content-Encoding: gzip", "--compressed", "--data-binary",
                                         self.file(gzip.compress(data)))
        self.assertEqual((status, json.loads(out)["results"]), (200, plain["results"]))
        self.assertIn("Content-Encoding: gzip", head)
        # not what it says, and a coding that nobody knows
        self.assertEqual(self.plan("-H", "Content-Encoding: gzip", "--data-binary", self.file(data))[0], 400)
        self.assertEqual(self.plan("-H", "Content-Encoding: br", "--data-binary", self.file(data))[0], 415)
        # what it unpacks to counts
        bomb = gzip.compress(b" " * (64 << 20))
        self.assertLess(len(bomb), LIMIT)
        status, _, out, _ = self.plan("-H", "Content-Encoding: gzip", "--data-binary", self.file(bomb))
        self.assertEqual((status, json.loads(out)["limit"]), (413, LIMIT))

    def test_a_body_over_the_limit(self):
        for extra in ((), ("-H", "Transfer-Encoding: chunked"), ("-H", "Expect:")):
            status, _, out, _ = self.plan(*extra, "--data-binary", self.file(b" " * (LIMIT + 1)))
            problem = json.loads(out)
            self.assertEqual((status, problem["code"], problem["limit"], problem["flag"]),
                             (413, "too_large", LIMIT, "--max-body-bytes"))
        # just as much as is allowed
        data = self.body(1)
        status, _, out, _ = self.plan("--data-binary", self.file(data + b" " * (LIMIT - len(data))))
        self.assertEqual(status, 200, out)

    def test_two_requests_on_a_connection_after_an_error(self):
        for path, size in (("/v1/nothing", 200000), ("/v1/roadmaps/m/plan", 3), ("/v1/roadmaps/none/plan", 2),
                           ("/v1/robots/r", 0)):
            done = subprocess.run(
                ["curl", "-sS", "-o", str(self.path / "1"), "-w", "%{http_code} ", "-X", "POST", self.url(path),
                 "-H", "Content-Type: application/json", "-H", "Expect:", "--data-binary", self.file(b"x" * size),
                 "--next", "-sS", "-o", str(self.path / "2"), "-w", "%{http_code} %{num_connects}",
                 self.url("/v1/limits")], capture_output=True, check=True)
            first, second, connects = done.stdout.split()
            self.assertEqual(first[:1], b"4", (path, first))
            self.assertEqual((second, connects), (b"200", b"0"), path)

    def test_names_are_decoded_after_routing(self):
        self.daemon.must("PUT", "/v1/worlds/a.b", {"dimension": 2, "bounds": {"min": [0, 0], "max": [1, 1]}})
        for path, status, code in (
                ("/v1/worlds/a%2Eb", 200, None), ("/v1/worlds/%61%2e%62", 200, None), ("/%76%31/worlds/a.b", 200, None),
                ("/v1/worlds/a%2Fb", 400, "malformed"), ("/v1/worlds/a%00b", 400, "malformed"),
                ("/v1/worlds/a%", 400, "malformed"), ("/v1/worlds/a%2", 400, "malformed"),
                ("/v1/worlds/a%zz", 400, "malformed"), ("/v1/worlds/%C0%AF", 400, "malformed"),
                ("/v1/worlds/%FF", 400, "malformed"), ("/v1%2Fworlds", 400, "malformed"),
                ("/v1/worlds/%2e%2e", 404, "unknown_route"), ("/v1/worlds/a%20b", 404, "unknown_world"),
                ("/v1/worlds/a%252Eb", 404, "unknown_world"), ("/v1/worlds?limit=%zz", 400, "malformed")):
            got, _, out, _ = self.curl("--path-as-is", self.url(path))
            self.assertEqual((got, json.loads(out).get("code")), (status, code), path)

    def test_paths_that_climb_or_repeat(self):
        for path in ("//", "//v1", "/v1//worlds", "/v1/worlds/", "/v1/worlds/../worlds", "/v1/../../etc/passwd",
                     "/./v1", "/v1/.", "/v1/worlds/a/../a", "/..", "/v1/roadmaps/m/../m/plan"):
            status, _, out, _ = self.curl("--path-as-is", self.url(path))
            self.assertEqual((status, json.loads(out)["code"]), (404, "unknown_route"), path)

    def test_head_options_and_wrong_methods(self):
        status, head, _, _ = self.curl("-I", self.url("/v1/roadmaps/m"))
        length = int(re.search(r"(?i)content-length: (\d+)", head).group(1))
        self.assertEqual((status, length), (200, len(self.curl(self.url("/v1/roadmaps/m"))[2])))
        status, head, _, _ = self.curl("-X", "OPTIONS", self.url("/v1/roadmaps/m"))
        self.assertEqual(status, 204)
        self.assertRegex(head, "Allow: .*DELETE.*OPTIONS")
        self.assertEqual(self.curl("-X", "OPTIONS", "--request-target", "*", self.url("/"))[0], 204)
        for method in ("POST", "PATCH", "BREW", "TRACE"):
            status, head, out, _ = self.curl("-X", method, self.url("/v1/limits"))
            self.assertEqual((status, json.loads(out)["code"]), (405, "method_not_allowed"), method)
            self.assertRegex(head, "Allow: GET, HEAD")

    def test_request_ids(self):
        for sent, kept in (("mine-42", True), ("a/b:c=1+2.", True), ("", False), ("x" * 65, False), ("a b", False),
                           ('a"b', False), ("a\u00e9", False)):
            status, head, _, _ = self.curl("-H", f"X-Request-Id: {sent}", self.url("/v1/nothing"))
            got = re.search(r"X-Request-Id: (.*)\r?\n", head).group(1).strip()
            self.assertEqual(got == sent, kept, sent)
            self.assertTrue(got)


class Raw(Transport):
    def test_bytes_one_by_one(self):
        body = json.dumps(QUERY).encode()
        whole = (b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                 b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=20) as s:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in whole:
                s.sendall(bytes([byte]))
                time.sleep(0.001)
            data = b""
            while b"timing_ms" not in data:
                data += s.recv(65536)
        self.assertIn(b'"solved"', data)

    def test_framing_that_could_be_read_twice(self):
        head = b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        second = b"GET /v1/devices HTTP/1.1\r\nHost: x\r\n\r\n"
        for framing in (b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
                        b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
                        b"Transfer-Encoding: gzip\r\n\r\nxxxx",
                        b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"):
            data = self.exchange(head + framing + second)
            self.assert_problem(data, 400, "malformed")
            self.assertEqual(data.count(b"HTTP/1.1"), 1, "the connection ends, and nothing after it is read")

    def test_long_heads(self):
        for line, status in (("GET /livez HTTP/1.1\r\nX: " + "a" * 30000, 200),
                             ("GET /livez HTTP/1.1\r\nX: " + "a" * 40000, 431),
                             ("GET /livez?x=" + "a" * 40000 + " HTTP/1.1", 414)):
            data = self.exchange(f"{line}\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            self.assertRegex(data[:80].decode(), rf"HTTP/1.1 {status} ", line[:30])

    def test_heads_that_are_no_http(self):
        for raw in (b"GET\r\n\r\n", b"GET /livez\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET /livez HTTP/9.9\r\n\r\n",
                    b"GET /livez HTTP/1.1\r\n\r\n", b"GET /livez HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
                    b"POST /v1/compute/scan HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                    b"POST /v1/compute/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
                    b"POST /v1/compute/scan HTTP/1.1\r\nHost: x\r\nContent-Length: 1x\r\n\r\nx",
                    b"POST /v1/compute/scan HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                    b"GET /" + b"a" * 40000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
                    b"GET /livez HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 40000 + b"\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=30) as s:
                data = b""
                try:
                    s.sendall(raw)
                    s.shutdown(socket.SHUT_WR)
                    while more := s.recv(65536):
                        data += more
                except OSError as error:
                    # refused with the rest unread; ENOTCONN: before the shutdown
                    if not isinstance(error, ConnectionError) and error.errno != errno.ENOTCONN:
                        raise
            self.assertNotIn(b" 200 ", data.split(b"\r\n")[0], raw[:60])
            self.assertNotIn(b" 500 ", data.split(b"\r\n")[0], raw[:60])
            self.assertNotIn(b"microhttpd", data.lower())
        self.assertEqual(self.daemon.request("GET", "/livez")[0], 200)

    def test_old_and_absolute_forms(self):
        data = self.exchange(b"GET /livez HTTP/1.0\r\n\r\n")
        self.assertIn(b" 200 ", data.split(b"\r\n")[0] + b" ")
        data = self.exchange(b"GET http://planner.example/livez HTTP/1.1\r\nHost: planner.example\r\nConnection: close\r\n\r\n")
        self.assertTrue(data.startswith(b"HTTP/1.1 200"), data[:100])

    def test_pipelined_requests_are_answered_in_order(self):
        one = b"GET /v1/robots/%d HTTP/1.1\r\nHost: x\r\nX-Request-Id: id-%d\r\n\r\n"
        data = self.exchange(b"".join(one % (i, i) for i in range(20)) +
                             b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        self.assertEqual(re.findall(rb"X-Request-Id: id-(\d+)", data), [b"%d" % i for i in range(20)])

    def test_errors_tell_nothing_of_the_machine(self):
        secrets = [self.daemon.folder.name.encode(), b"/work", b"/home", b"microhttpd", b"jansson", b".c:", b"0.1.0"]
        for method, path, body in (("GET", "/nothing", None), ("PUT", "/v1/worlds/w", b"{"), ("PUT", "/v1/robots/x", b"{}"),
                                   ("PUT", "/v1/worlds/x?format=octomap", b"junk"), ("PUT", "/v1/robots/x?format=urdf", b"<a"),
                                   ("PUT", "/v1/worlds/x?format=../../etc/passwd", b"x"),
                                   ("POST", "/v1/compute/sort", b'{"keys":1}'), ("GET", "/v1/roadmaps/none/graph", None),
                                   ("PUT", "/v1/roadmaps/x", b'{"world":"none","robot":"none"}'), ("DELETE", "/v1/jobs/0", None)):
            status, headers, data = self.daemon.raw(method, path, body, {"Content-Type": "application/json"})
            self.assertEqual(status // 100, 4, (method, path, status))
            self.assertNotIn("Server", headers)
            for secret in secrets:
                self.assertNotIn(secret, data, (method, path))


if __name__ == "__main__":
    main()
