"""Jobs as their clients follow them: events, going on after a cut, cancelling in each stage of a build, clients that
vanish."""
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from daemon import BINARY, REPLY_S, SOURCE, Daemon, DaemonTest, main

WORLD = {"dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
         "obstacles": [{"type": "circle", "center": [(7 * i) % 10 + 0.5, (3 * i) % 10 + 0.3], "radius": 0.2}
                       for i in range(30)]}
ROOM = {"dimension": 3, "bounds": {"min": [0, 0, 0], "max": [10, 10, 10]},
        "obstacles": [{"type": "sphere", "center": [5, 5, 5], "radius": 2}]}
QUERY = {"queries": [{"start": [0.1, 0.1], "goal": [9.9, 9.9]}], "simplify": False, "output": "cost"}


def cancel_s():
    """The seconds that cancelling may take: one, and so many times more as the machine has more to do than processors,
    or runs instrumented code."""
    return max(1, os.getloadavg()[0] / os.cpu_count()) * (10 if os.environ.get("PRM_SANITIZED") else 1)


class JobTest(DaemonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.daemon.must("PUT", "/v1/worlds/w", WORLD)
        cls.daemon.must("PUT", "/v1/worlds/room", ROOM)
        cls.daemon.must("PUT", "/v1/robots/p", {"type": "point"})
        cls.daemon.must("PUT", "/v1/robots/b", {"type": "ball", "radius": 0.1})

    @classmethod
    def prm(cls, *arguments, check=False):
        """Runs prm, which lies beside prmd."""
        program = os.path.join(os.path.dirname(BINARY), "prm")
        environment = {**os.environ, "PRM_SERVER": f"http://127.0.0.1:{cls.daemon.port}"}
        return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=REPLY_S,
                              check=check)

    def build(self, name, **parameters):
        """Starts a build; the job's id."""
        status, job = self.daemon.request("PUT", "/v1/roadmaps/" + name,
                                          {"world": "w", "robot": "p", **parameters})
        self.assertEqual(status, 202, job)
        return job["id"]

    def open(self, job, last_id=None):
        """The reply to a request for a job's events, on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=REPLY_S)
        self.addCleanup(connection.close)
        headers = {"Accept": "text/event-stream"}
        if last_id is not None:
            headers["Last-Event-ID"] = str(last_id)
        connection.request("GET", f"/v1/jobs/{job}/events", headers=headers)
        return connection.getresponse()

    def events(self, job, last_id=None):
        """(id, type, job) of each event until the end of the stream."""
        reply = self.open(job, last_id)
        self.assertEqual(reply.status, 200)
        self.assertEqual(reply.headers["Content-Type"], "text/event-stream")
        fields = {}
        while line := reply.readline():
            line = line.decode().rstrip("\n")
            if line and not line.startswith(":"):
                name, value = line.split(": ", 1)
                fields[name] = value
            elif not line and fields:
                yield int(fields["id"]), fields["event"], json.loads(fields["data"])
                fields = {}
        self.assertEqual(fields, {}, "an event is whole")


class Events(JobTest):
    def test_a_build_from_beginning_to_end(self):
        job = self.build("told", samples={"count": 200000}, seed=1)
        told = list(self.events(job))
        ids = [event[0] for event in told]
        self.assertEqual(ids, sorted(set(ids)), "ids ascend")
        self.assertLess(len(told), 140, "a per cent at most, and the stages")
        self.assertGreater(len(told), 3)
        progress = [event[2]["progress"] for event in told]
        self.assertEqual(progress, sorted(progress))
        self.assertEqual({event[1] for event in told[:-1]}, {"progress"})
        self.assertEqual((told[-1][1], told[-1][2]["state"], told[-1][2]["progress"]), ("done", "succeeded", 1))
        self.assertEqual(self.daemon.must("GET", "/v1/jobs/" + job), told[-1][2])

        # who comes late is told the end; who knows it is told to stay away
        self.assertEqual(list(self.events(job)), told[-1:])
        self.assertEqual(list(self.events(job, ids[0])), told[-1:])
        self.assertEqual(self.open(job, ids[-1]).status, 204)
        self.assertEqual(list(self.events(job, "nonsense")), told[-1:])
        self.assertEqual(self.open("none").status, 404)

    def test_going_on_after_a_cut(self):
        job = self.build("cut", samples={"count": 200000}, seed=2)
        seen, ended = [0], False
        while not ended:
            # each stream is left after two events
            for count, (number, kind, _) in enumerate(self.events(job, seen[-1])):
                seen.append(number)
                ended = kind != "progress"
                if count == 1:
                    break
        self.assertEqual(seen, sorted(set(seen)), "nothing is told twice")

    def test_failure_is_told(self):
        full = {**WORLD, "obstacles": [{"type": "circle", "center": [5, 5], "radius": 20}]}
        self.daemon.must("PUT", "/v1/worlds/full", full)
        job = self.build("failing", world="full", samples={"count": 100})
        *_, (_, kind, end) = self.events(job)
        self.assertEqual((kind, end["state"]), ("error", "failed"))
        self.assertEqual(end["error"]["code"], "world_without_free_space")

    def test_many_follow_one_job(self):
        job = self.build("followed", samples={"count": 200000}, seed=3)
        ends = []
        threads = [threading.Thread(target=lambda: ends.append(list(self.events(job))[-1])) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(ends), 40)
        self.assertEqual({end[1] for end in ends}, {"done"})

    def test_watch(self):
        job = self.build("watched", samples={"count": 600000}, seed=4)
        run = self.prm("job", "watch", job)
        self.assertEqual((run.returncode, run.stdout), (0, f"{job}: succeeded\n"), run.stderr)
        self.assertIn("%  ", run.stderr)


class Cancel(JobTest):
    # builds large enough that a step of the wrong size shows, and the stages in which each is cancelled
    BUILDS = {
        "tiles": ({"samples": {"count": 300000}},
                  ("queued", "world", "sample", "index", "neighbors", "recall", "connections", "candidates", "check",
                   "graph", "components", "weights", "statistics", "digest", "save")),
        "exact": ({"samples": {"count": 100000}, "neighbors": {"method": "exact"}}, ("sample", "neighbors")),
        "lsh": ({"samples": {"count": 200000}, "neighbors": {"method": "lsh"}}, ("index", "neighbors", "connections")),
        "narrow": ({"world": "room", "robot": "b", "neighbors": {"k": 32},
                    "samples": {"count": 50000, "method": {"uniform": 0.5, "bridge": 0.25, "gaussian": 0.25}}},
                   ("sample", "neighbors", "check")),
        "arm": ({"world": "shelf", "robot": "arm", "samples": {"count": 30000}}, ("sample", "neighbors", "check")),
    }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = SOURCE / "examples" / "shelf"
        for command in (("world", "put", "shelf", folder / "shelf.scene"),
                        ("robot", "put", "arm", folder / "arm.urdf", folder / "arm.srdf", folder / "arm.options.json")):
            cls.prm(*map(str, command), check=True)

    def cancel_at(self, parameters, stage, seed):
        """Cancels a build when it is told to be in a stage; the seconds until its end, None: too quick for that."""
        job = self.build("cancelled", seed=seed, **parameters)
        begun = None
        for _, kind, told in self.events(job):
            if kind == "progress" and told["stage"] == stage and begun is None:
                begun = time.monotonic()
                self.assertIn(self.daemon.request("DELETE", "/v1/jobs/" + job)[0], (200, 202))
            elif kind != "progress":
                self.assertIn(told["state"], ("cancelled", "succeeded"))
                return None if begun is None or told["state"] == "succeeded" else time.monotonic() - begun
        return self.fail("the stream ended before the job")

    def test_within_a_second_in_each_stage(self):
        seed = 0
        for name, (parameters, stages) in self.BUILDS.items():
            reached = 0
            # programs that it needs are compiled once before: a compilation is not cut short
            self.daemon.roadmap("warm", {"world": "w", "robot": "p", **parameters,
                                         "samples": {**parameters["samples"], "count": 3000}})
            for stage in stages:
                seed += 1
                with self.subTest(build=name, stage=stage):
                    seconds = self.cancel_at(parameters, stage, seed)
                    if seconds is not None:
                        reached += 1
                        self.assertLess(seconds, cancel_s())
            self.assertGreater(2 * reached, len(stages), name)

    def test_one_that_waits(self):
        long = self.build("long", samples={"count": 1000000}, seed=5)
        waiting = self.build("waiting", samples={"count": 1000}, seed=5)
        begun = time.monotonic()
        self.daemon.must("DELETE", "/v1/jobs/" + waiting)
        *_, (_, kind, end) = self.events(waiting)
        self.assertEqual((kind, end["state"], end["started"]), ("error", "cancelled", None))
        self.assertLess(time.monotonic() - begun, cancel_s())
        self.daemon.must("DELETE", "/v1/jobs/" + long)
        self.assertEqual(list(self.events(long))[-1][2]["state"], "cancelled")


class VanishedClients(JobTest):
    @staticmethod
    def reset(connection):
        """Closes by RST."""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def until(self, condition, seconds=10):
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertTrue(condition())

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.daemon.process.pid}/fd"))

    def send_plan(self, queries):
        body = json.dumps({**QUERY, "queries": QUERY["queries"] * queries}).encode()
        connection = socket.create_connection(("127.0.0.1", self.daemon.port), timeout=REPLY_S)
        connection.sendall(b"POST /v1/roadmaps/m/plan HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                           b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return connection

    def test_waiting_queries_of_a_reset_client_are_dropped(self):
        self.daemon.roadmap("m", {"world": "w", "robot": "p", "samples": {"count": 2000}})
        self.daemon.plan("m", QUERY)
        counted = 'prmd_queries_total{status="solved"} '

        def solved():
            text = self.daemon.raw("GET", "/metrics")[2].decode()
            return float(next(line for line in text.splitlines() if line.startswith(counted))[len(counted):])

        before = solved()
        # the first hold the device; those behind are reset before their turn, but for one half-closed
        held = [self.send_plan(20000) for _ in range(4)]
        time.sleep(0.3)
        reset = [self.send_plan(5000) for _ in range(20)]
        half = self.send_plan(5000)
        half.shutdown(socket.SHUT_WR)
        time.sleep(0.1)
        for connection in reset:
            self.reset(connection)
        data = b""
        while more := half.recv(1 << 20):
            data += more
        self.assertTrue(data.startswith(b"HTTP/1.1 200"), "a half-close is no cancel")
        for connection in (*held, half):
            connection.close()
        done = (solved() - before - 5000) / 5000
        # the held are 16; of the 20 that were reset some may have had their turn
        self.assertLess(done, 16 + 20)
        begun = time.monotonic()
        self.daemon.plan("m", QUERY)
        self.assertLess(time.monotonic() - begun, cancel_s())

    def test_streams_end_with_their_clients(self):
        job = self.build("endless", samples={"count": 1000000}, seed=6)
        before = self.descriptors()
        opened = []
        for i in range(50):
            connection = socket.create_connection(("127.0.0.1", self.daemon.port), timeout=REPLY_S)
            connection.sendall(b"GET /v1/jobs/%s/events HTTP/1.1\r\nHost: x\r\n\r\n" % job.encode())
            self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 200"))
            opened.append(connection)
        self.assertGreaterEqual(self.descriptors(), before + 50)
        for i, connection in enumerate(opened):
            self.reset(connection) if i % 2 else connection.close()
        self.until(lambda: self.descriptors() <= before + 5)
        # the build is none of theirs
        self.assertIn(self.daemon.must("GET", "/v1/jobs/" + job)["state"], ("running", "succeeded"))
        self.daemon.must("DELETE", "/v1/jobs/" + job)

    def test_a_reader_who_stops_reading_costs_nothing(self):
        connection = socket.create_connection(("127.0.0.1", self.daemon.port), timeout=REPLY_S)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        job = self.build("unread", samples={"count": 200000}, seed=7)
        connection.sendall(b"GET /v1/jobs/%s/events HTTP/1.1\r\nHost: x\r\n\r\n" % job.encode())
        self.assertEqual(list(self.events(job))[-1][1], "done")
        connection.close()

    def test_a_waiting_put_whose_client_left_goes_on(self):
        body = json.dumps({"world": "w", "robot": "p", "samples": {"count": 100000}, "seed": 8}).encode()
        connection = socket.create_connection(("127.0.0.1", self.daemon.port), timeout=REPLY_S)
        connection.sendall(b"PUT /v1/roadmaps/left HTTP/1.1\r\nHost: x\r\nPrefer: wait=60\r\n"
                           b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        time.sleep(0.1)
        self.reset(connection)
        self.until(lambda: self.daemon.must("GET", "/v1/roadmaps/left")["state"] == "ready", 60)
        # and the wait was over long before
        self.until(lambda: any('"method":"PUT"' in line and '"ended":"' in line
                               for line in self.daemon.log().splitlines()))


class Shutdown(unittest.TestCase):
    def test_streams_are_told_of_the_end(self):
        daemon = Daemon("--drain-timeout-s", "1")
        try:
            daemon.must("PUT", "/v1/worlds/w", WORLD)
            daemon.must("PUT", "/v1/robots/p", {"type": "point"})
            _, job = daemon.request("PUT", "/v1/roadmaps/long", {
                "world": "w", "robot": "p", "samples": {"count": 1000000}, "neighbors": {"method": "exact"}})
            connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=REPLY_S)
            connection.request("GET", f"/v1/jobs/{job['id']}/events")
            reply = connection.getresponse()
            daemon.process.send_signal(signal.SIGTERM)
            told = reply.read().decode()
            self.assertIn("event: error\n", told)
            self.assertIn('"code":"draining"', told)
            connection.close()
        finally:
            self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    main()
