"""Clients that send nothing, or a byte now and then, or never read: they are cut in time, and nobody waits for them."""
import json
import os
import resource
import socket
import threading
import time
import unittest

from daemon import DaemonTest, main

COUNT = int(os.environ.get("PRM_SLOW_CLIENTS", "1000"))
RECEIVE_S, IDLE_S = 4, 6
QUERY = json.dumps({"queries": [{"start": [1, 1], "goal": [9, 9]}]}).encode()
HEAD = b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


class SlowClients(DaemonTest):
    arguments = ("--receive-timeout-s", str(RECEIVE_S), "--idle-timeout-s", str(IDLE_S))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        wanted = 3 * COUNT + 200
        if hard != resource.RLIM_INFINITY and hard < wanted:
            raise unittest.SkipTest("needs more open files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        cls.daemon.must("PUT", "/v1/worlds/w", {
            "dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
            "obstacles": [{"type": "circle", "center": [5, 5], "radius": 1}]})
        cls.daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        cls.daemon.roadmap("m", {"world": "w", "robot": "r", "samples": {"count": 300}})

    def dial(self):
        return socket.create_connection(("127.0.0.1", self.daemon.port), timeout=30)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.daemon.process.pid}/fd"))

    def settles(self, most, seconds):
        """Whether the daemon's descriptors come down in time."""
        deadline = time.monotonic() + seconds
        while self.descriptors() > most and time.monotonic() < deadline:
            time.sleep(0.1)
        return self.descriptors() <= most

    def test_a_good_client_among_a_thousand_idle_and_a_thousand_slow_ones(self):
        before = self.descriptors()
        idle = [self.dial() for _ in range(COUNT)]
        slow = [self.dial() for _ in range(COUNT)]
        head = HEAD + b"Content-Length: 100000\r\n\r\n"
        # half of them never end their heads, half their bodies
        for s in slow[COUNT // 2:]:
            s.sendall(head)
        stop = threading.Event()
        cut = [0]

        def trickle():
            alive = list(slow)
            sent = 0
            while alive and not stop.wait(0.3):
                for s in list(alive):
                    try:
                        s.send(head[sent % 60:sent % 60 + 1])
                    except OSError:
                        alive.remove(s)
                        cut[0] += 1
                sent += 1

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            waits = []
            deadline = time.monotonic() + RECEIVE_S + 4
            while time.monotonic() < deadline:
                begun = time.monotonic()
                reply = self.daemon.must("POST", "/v1/roadmaps/m/plan", QUERY)
                waits.append(time.monotonic() - begun)
                self.assertEqual(reply["summary"]["solved"], 1)
                with self.dial() as fresh:
                    fresh.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    self.assertTrue(fresh.recv(100).startswith(b"HTTP/1.1 200"))
                time.sleep(0.02)
            waits.sort()
            print(f"{len(waits)} requests among {2 * COUNT} connections: median {1e3 * waits[len(waits) // 2]:.1f} ms, "
                  f"longest {1e3 * waits[-1]:.1f} ms", flush=True)
            self.assertLess(waits[len(waits) // 2], 0.5)
            # idle ones had no request at all, slow ones began one: all are cut, though bytes still come
            self.assertTrue(self.settles(before + 2, 3 * RECEIVE_S + 5), f"{self.descriptors()} open, {before} before")
            self.assertEqual(self.daemon.request("GET", "/livez")[0], 200)
        finally:
            stop.set()
            thread.join()
            for s in idle + slow:
                s.close()
        self.assertGreater(cut[0], COUNT * 9 // 10)
        self.assertIn('"status":408', self.daemon.log())
        self.assertIn('"ended":"too slow"', self.daemon.log())

    def test_a_connection_that_waits_for_its_next_request(self):
        with self.dial() as s:
            for pause in (0, RECEIVE_S + 1):
                time.sleep(pause)
                s.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
                self.assertTrue(s.recv(1000).startswith(b"HTTP/1.1 200"), "idle for less than --idle-timeout-s")
            begun = time.monotonic()
            self.assertEqual(s.recv(100), b"")
            self.assertGreater(time.monotonic() - begun, IDLE_S - 1.5)
            self.assertLess(time.monotonic() - begun, IDLE_S + 10)
        # the next head, a byte at a time
        with self.dial() as s:
            s.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            s.recv(1000)
            begun = time.monotonic()
            with self.assertRaises(OSError):
                for _ in range(1000):
                    s.sendall(b"G")
                    time.sleep(0.2)
            self.assertLess(time.monotonic() - begun, RECEIVE_S + IDLE_S + 5)

    def test_a_slow_body_that_is_fast_enough(self):
        body = QUERY + b" " * 20000
        with self.dial() as s:
            s.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body))
            begun = time.monotonic()
            for i in range(0, len(body), 1000):
                s.sendall(body[i:i + 1000])
                time.sleep(0.3)
            self.assertGreater(time.monotonic() - begun, RECEIVE_S + 1)
            self.assertTrue(s.recv(1000).startswith(b"HTTP/1.1 200"))

    def test_a_client_that_never_reads(self):
        before = self.descriptors()
        body = json.dumps({"queries": [{"start": [1, 1], "goal": [9, 9]}] * 60000, "simplify": False}).encode()
        s = self.dial()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.assertTrue(self.settles(before, 60), "an answer that nobody reads is thrown away")
        s.close()
        self.assertEqual(self.daemon.request("GET", "/livez")[0], 200)

    def test_a_wait_is_no_slowness(self):
        status, _ = self.daemon.request("PUT", "/v1/roadmaps/waited", {
            "world": "w", "robot": "r", "samples": {"count": 1500000}}, {"Prefer": f"wait={RECEIVE_S + IDLE_S + 2}"})
        self.assertEqual(status // 100, 2)
        if status == 202:
            self.daemon.must("DELETE", "/v1/roadmaps/waited")


class OneAddress(DaemonTest):
    arguments = ("--max-connections-per-address", "5")

    def test_has_so_many_connections_and_no_more(self):
        self.daemon.connection.close()
        self.daemon.connection = None

        def answered(s):
            try:
                s.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
                return s.recv(1000).startswith(b"HTTP/1.1 200")
            except OSError:
                return False

        time.sleep(0.5)
        several = [socket.create_connection(("127.0.0.1", self.daemon.port), timeout=20) for _ in range(9)]
        self.assertEqual([answered(s) for s in several].count(True), 5)
        for s in several:
            s.close()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with socket.create_connection(("127.0.0.1", self.daemon.port), timeout=20) as s:
                if answered(s):
                    return
            time.sleep(0.1)
        self.fail("places of connections that ended are free again")


if __name__ == "__main__":
    main()
