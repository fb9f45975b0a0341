"""The daemon as a process: resources over HTTP, jobs, transport corners, memory over many builds, a clean end."""
import json
import os
import signal
import socket
import subprocess
import threading
import time
import unittest

from daemon import BINARY, START_S, Daemon, DaemonTest, main

WORLD = {"dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
         "obstacles": [{"type": "circle", "center": [5, 5], "radius": 1}]}
QUERY = {"queries": [{"start": [1, 1], "goal": [9, 9]}]}


class Resources(DaemonTest):
    def test_life_of_a_world(self):
        status, world = self.daemon.request("PUT", "/v1/worlds/life", WORLD)
        self.assertEqual((status, world["name"]), (201, "life"))
        status, headers, body = self.daemon.raw("GET", "/v1/worlds/life")
        self.assertEqual(status, 200)
        self.assertEqual(json.loads(body)["fingerprint"], world["fingerprint"])
        # what GET gives, PUT takes; equal content makes no new revision
        status, again = self.daemon.request("PUT", "/v1/worlds/life", json.loads(body))
        self.assertEqual((status, again["revision"]), (200, world["revision"]))
        self.assertEqual(self.daemon.raw("GET", "/v1/worlds/life", headers={"If-None-Match": headers["ETag"]})[0], 304)
        changed = self.daemon.must("PUT", "/v1/worlds/life", {**WORLD, "padding": 0.1})
        self.assertGreater(changed["revision"], world["revision"])
        status, problem = self.daemon.request("PUT", "/v1/worlds/life", WORLD, {"If-Match": headers["ETag"]})
        self.assertEqual((status, problem["code"]), (412, "precondition_failed"))
        self.assertEqual(self.daemon.request("DELETE", "/v1/worlds/life")[0] // 100, 2)
        self.assertEqual(self.daemon.request("GET", "/v1/worlds/life")[0], 404)
        renewed = self.daemon.must("PUT", "/v1/worlds/life", WORLD)
        self.assertGreater(renewed["revision"], changed["revision"], "a revision is never used again")

    def test_lists_are_paged(self):
        for i in range(5):
            self.daemon.must("PUT", f"/v1/robots/page-{i}", {"type": "ball", "radius": 1 + i})
        first = self.daemon.must("GET", "/v1/robots?prefix=page-&limit=3")
        self.assertEqual([r["name"] for r in first["items"]], ["page-0", "page-1", "page-2"])
        rest = self.daemon.must("GET", "/v1/robots?prefix=page-&limit=3&after=" + first["next"])
        self.assertEqual(([r["name"] for r in rest["items"]], rest["next"]), (["page-3", "page-4"], None))

    def test_roadmap_by_job(self):
        self.daemon.must("PUT", "/v1/worlds/w", WORLD)
        self.daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        parameters = {"world": "w", "robot": "r", "samples": {"count": 2000}}
        status, headers, body = self.daemon.raw("PUT", "/v1/roadmaps/jobbed", json.dumps(parameters).encode(),
                                                {"Content-Type": "application/json"})
        self.assertEqual(status, 202, body)
        job = json.loads(body)
        self.assertTrue(headers["Location"].endswith("/v1/jobs/" + job["id"]))
        deadline = time.monotonic() + 60
        while job["state"] in ("queued", "running") and time.monotonic() < deadline:
            job = self.daemon.must("GET", headers["Location"])
            self.assertTrue(0 <= job["progress"] <= 1)
            time.sleep(0.02)
        self.assertEqual(job["state"], "succeeded")
        info = self.daemon.must("GET", "/v1/roadmaps/jobbed")
        self.assertEqual(info["state"], "ready")
        self.assertRegex(info["digest"], "^[0-9a-f]{64}$")
        for member in ("milestones", "edges", "components", "recall", "stages", "margin"):
            self.assertTrue(any(key.startswith(member.rstrip("s")) for key in info["statistics"]),
                            (member, sorted(info["statistics"])))
        # the same content again is no work
        self.assertEqual(self.daemon.request("PUT", "/v1/roadmaps/jobbed", parameters)[0], 200)
        self.assertEqual(self.daemon.must("GET", "/v1/roadmaps/jobbed")["digest"], info["digest"])

    def test_cancel_frees_the_device(self):
        self.daemon.must("PUT", "/v1/worlds/c", WORLD)
        self.daemon.must("PUT", "/v1/robots/c", {"type": "point"})
        self.daemon.roadmap("small", {"world": "c", "robot": "c", "samples": {"count": 500}})
        status, job = self.daemon.request("PUT", "/v1/roadmaps/huge", {
            "world": "c", "robot": "c", "samples": {"count": 400000}})
        self.assertEqual(status, 202)
        time.sleep(0.3)
        begun = time.monotonic()
        self.daemon.plan("small", QUERY)
        self.assertLess(time.monotonic() - begun, 1, "plans go between the steps of a build")
        self.assertEqual(self.daemon.request("DELETE", "/v1/jobs/" + job["id"])[0] // 100, 2)
        deadline = time.monotonic() + 2
        state = None
        while state != "cancelled" and time.monotonic() < deadline:
            state = self.daemon.must("GET", "/v1/jobs/" + job["id"])["state"]
            time.sleep(0.02)
        self.assertEqual(state, "cancelled")

    def test_cancelled_jobs_leave_the_queue(self):
        self.daemon.must("PUT", "/v1/worlds/q", WORLD)
        self.daemon.must("PUT", "/v1/robots/q", {"type": "point"})
        parameters = {"world": "q", "robot": "q", "samples": {"count": 400000}}
        status, long = self.daemon.request("PUT", "/v1/roadmaps/long", parameters)
        self.assertEqual(status, 202)
        deadline = time.monotonic() + 10
        for seed in range(100):
            status = 503
            # a cancelled job leaves between two steps of the device's work, however long one is on a slow machine
            while status == 503 and time.monotonic() < deadline:
                status, job = self.daemon.request("PUT", "/v1/roadmaps/queued", {
                    **parameters, "seed": seed, "samples": {"count": 1000}})
            self.assertEqual(status, 202, job)
            self.daemon.must("DELETE", "/v1/jobs/" + job["id"])
        self.daemon.must("DELETE", "/v1/jobs/" + long["id"])

    def test_a_sampled_resolution_has_a_floor(self):
        self.daemon.must("PUT", "/v1/worlds/s", WORLD)
        self.daemon.must("PUT", "/v1/robots/s", {"type": "point"})
        for resolution, wanted in ((1e-300, 422), (1e-12, 422), (0.01, 201)):
            status, reply = self.daemon.request(
                "PUT", "/v1/roadmaps/sampled", {
                    "world": "s", "robot": "s", "samples": {"count": 300},
                    "edges": {"check": "sampled", "resolution": resolution}}, {"Prefer": "wait=60"})
            self.assertEqual(status, wanted, reply)

    def test_picture(self):
        self.daemon.must("PUT", "/v1/worlds/pic", WORLD)
        self.daemon.must("PUT", "/v1/robots/pic", {"type": "point"})
        self.daemon.roadmap("pic", {"world": "pic", "robot": "pic", "samples": {"count": 200}})
        status, headers, body = self.daemon.raw("GET", "/v1/roadmaps/pic/picture.svg?start=1,1&goal=9,9")
        self.assertEqual((status, headers["Content-Type"].split(";")[0]), (200, "image/svg+xml"))
        import xml.dom.minidom
        self.assertEqual(xml.dom.minidom.parseString(body).documentElement.tagName, "svg")

    def test_metrics(self):
        text = self.daemon.raw("GET", "/metrics")[2].decode()
        for name in ("prmd_build_info", "prmd_http_requests_total", "prmd_http_request_duration_seconds",
                     "prmd_queries_total", "prmd_batch_queries", "prmd_stage_duration_seconds"):
            self.assertIn("# TYPE " + name, text)
        for path in ("/livez", "/readyz", "/healthz", "/v1", "/v1/devices", "/v1/limits"):
            self.assertEqual(self.daemon.request("GET", path)[0], 200, path)


class Transport(DaemonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.daemon.must("PUT", "/v1/worlds/w", WORLD)
        cls.daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        cls.daemon.roadmap("m", {"world": "w", "robot": "r", "samples": {"count": 500}})

    def exchange(self, *pieces, pause=0.0, until=b"\r\n\r\n"):
        """Sends raw bytes and returns what comes back until the end mark or the close."""
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=20) as s:
            for piece in pieces:
                s.sendall(piece)
                time.sleep(pause)
            data = b""
            while until not in data:
                more = s.recv(65536)
                if not more:
                    break
                data += more
            return data

    def test_one_byte_at_a_time(self):
        body = json.dumps(QUERY).encode()
        head = b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        data = self.exchange(head % len(body), *[body[i:i + 1] for i in range(len(body))], until=b"timing_ms")
        self.assertTrue(data.startswith(b"HTTP/1.1 200"), data)
        self.assertIn(b'"solved"', data)

    def test_chunked_equals_length(self):
        body = json.dumps(QUERY).encode()
        data = self.exchange(b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                             b"Transfer-Encoding: chunked\r\n\r\n", b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body),
                             until=b"timing_ms")
        self.assertIn(b'"solved"', data)

    def test_length_and_chunked_together(self):
        data = self.exchange(b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
                             b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        self.assertTrue(data.startswith(b"HTTP/1.1 400"), data)

    def test_expect_continue(self):
        body = json.dumps({"queries": QUERY["queries"] * 20000}).encode()
        head = (b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        data = self.exchange(head, body, until=b"timing_ms")
        self.assertTrue(data.startswith(b"HTTP/1.1 100"), data[:100])
        self.assertIn(b"HTTP/1.1 200", data)

    def test_connection_survives_an_error_with_a_body(self):
        for _ in range(3):
            self.assertEqual(self.daemon.request("POST", "/v1/nothing", b"x" * 200000)[0], 404)
            self.assertEqual(self.daemon.request("GET", "/v1")[0], 200)

    def test_half_closed_connection_is_answered(self):
        body = json.dumps(QUERY).encode()
        with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=20) as s:
            s.sendall(b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                      b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            s.shutdown(socket.SHUT_WR)
            data = b""
            while more := s.recv(65536):
                data += more
        self.assertIn(b'"solved"', data)

    def test_head_and_options(self):
        status, headers, body = self.daemon.raw("HEAD", "/v1/roadmaps/m")
        self.assertEqual((status, body), (200, b""))
        status, headers, _ = self.daemon.raw("OPTIONS", "/v1/roadmaps/m")
        self.assertEqual(status // 100, 2)
        self.assertIn("PUT", headers["Allow"])

    def test_gzip_both_ways(self):
        import gzip
        body = gzip.compress(json.dumps({"queries": QUERY["queries"] * 100}).encode())
        status, headers, data = self.daemon.raw("POST", "/v1/roadmaps/m/plan", body, {
            "Content-Type": "application/json", "Content-Encoding": "gzip", "Accept-Encoding": "gzip"})
        self.assertEqual((status, headers["Content-Encoding"]), (200, "gzip"))
        self.assertEqual(json.loads(gzip.decompress(data))["summary"]["solved"], 100)


class Process(unittest.TestCase):
    ROUNDS = int(os.environ.get("PRM_ROUNDS", "150"))

    def test_comma_locale(self):
        daemon = Daemon(environment={"LC_ALL": "de_DE.UTF-8"})
        try:
            self.assertEqual(daemon.must("PUT", "/v1/robots/r", {"type": "ball", "radius": 0.5})["radius"], 0.5)
        finally:
            self.assertEqual(daemon.stop(), 0)

    def test_check_says_whether_requests_can_be_served(self):
        for option, code, message in (((), 0, "all is well"),
                                      (("--max-device-bytes", "1000"), 3, "the warm-up failed: ")):
            outcome = subprocess.run([BINARY, "--check", *option], capture_output=True, text=True,
                                     timeout=START_S)
            self.assertEqual(outcome.returncode, code, outcome.stderr)
            self.assertIn(message, outcome.stdout if code == 0 else outcome.stderr)

    def test_second_daemon_on_one_folder_is_refused(self):
        daemon = Daemon()
        try:
            with self.assertRaises(AssertionError):
                Daemon("--data-dir", daemon.folder.name + "/data")
        finally:
            self.assertEqual(daemon.stop(), 0)

    def test_terminates_with_work_in_flight(self):
        daemon = Daemon()
        daemon.must("PUT", "/v1/worlds/w", WORLD)
        daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        daemon.roadmap("m", {"world": "w", "robot": "r", "samples": {"count": 2000}})
        answers = []

        def client():
            with socket.create_connection(("127.0.0.1", daemon.port), timeout=60) as s:
                body = json.dumps({"queries": QUERY["queries"] * 5000}).encode()
                s.sendall(b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                          b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
                data = b""
                while more := s.recv(65536):
                    data += more
                answers.append(data[:12])

        threads = [threading.Thread(target=client) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.1)
        daemon.process.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join(90)
        # a second signal would end it at once
        self.assertEqual(daemon.process.wait(30), 0)
        daemon.stop()
        self.assertEqual(len(answers), 4)
        for answer in answers:
            self.assertIn(answer, (b"HTTP/1.1 200", b"HTTP/1.1 503"))

    @unittest.skipIf(os.environ.get("PRM_SANITIZED"), "a sanitizer keeps freed memory for a while")
    def test_builds_leave_no_memory(self):
        daemon = Daemon()
        try:
            daemon.must("PUT", "/v1/worlds/w", WORLD)
            daemon.must("PUT", "/v1/robots/r", {"type": "point"})

            def rounds(count):
                for i in range(count):
                    daemon.roadmap("m", {"world": "w", "robot": "r", "seed": i + 1, "samples": {"count": 300}})
                    daemon.plan("m", QUERY)
                    daemon.must("DELETE", "/v1/roadmaps/m")

            rounds(max(50, self.ROUNDS // 5))
            before = daemon.resident_kib()
            rounds(self.ROUNDS)
            self.assertLess(daemon.resident_kib(), before * 1.02 + 256)
        finally:
            self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    main()
