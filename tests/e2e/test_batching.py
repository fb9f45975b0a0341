"""Goal: many clients at once are answered each as if it were alone, whoever leaves meanwhile. Method: a table of
requests asked one by one, then by many threads in random orders, while others break their connections off. Oracle: the
answers when alone; the metrics tell that batches were shared.
"""
import http.client
import json
import random
import re
import socket
import struct
import threading
import time
import unittest

from daemon import DaemonTest, main

PLAN = "/v1/roadmaps/m/plan"
OPTIONS = ({}, {"output": "nodes"}, {"simplify": False}, {"objective": "hops", "interpolate": 0.3},
           {"connect": {"radius": 0.2}}, {"deadline_ms": 60000})
CLIENTS, RUDE, SECONDS = 16, 2, 3


def requests():
    """Bodies of one to four queries: in the open, into an obstacle, out of the world, no query at all."""
    chance = random.Random(1)
    for i in range(48):
        queries = []
        for q in range(1 + i % 4):
            start, goal = ([round(chance.uniform(0.2, 9.8), 3) for _ in range(2)] for _ in range(2))
            start = {3: [5, 5], 5: [11, 1], 8: [1]}.get((i + q) % 11, start)
            queries.append({"id": 100 * i + q, "start": start, "goal": goal})
        yield json.dumps({"queries": queries, **OPTIONS[i % len(OPTIONS)]}).encode()


class Batching(DaemonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.daemon.must("PUT", "/v1/worlds/w", {
            "dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
            "obstacles": [{"id": "a", "type": "circle", "center": [5, 5], "radius": 2}]})
        cls.daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        cls.daemon.roadmap("m", {"world": "w", "robot": "r", "seed": 1, "samples": {"count": 500}})
        cls.bodies = list(requests())
        connection = cls.daemon.connect()
        cls.alone = [cls.ask(connection, body) for body in cls.bodies]
        connection.close()

    @staticmethod
    def ask(connection, body):
        connection.request("POST", PLAN, body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        answer = json.loads(reply.read())
        if reply.status != 200:
            raise AssertionError(answer)
        del answer["timing_ms"]
        return answer

    def metric(self, name):
        text = self.daemon.raw("GET", "/metrics")[2].decode()
        return float(re.search(rf"^{name} (\S+)$", text, re.M).group(1))

    def test_many_clients_are_answered_as_alone(self):
        faults, asked, over = [], [0] * CLIENTS, time.monotonic() + SECONDS

        def client(number):
            chance, connection = random.Random(number), self.daemon.connect()
            try:
                while time.monotonic() < over and not faults:
                    i = chance.randrange(len(self.bodies))
                    if self.ask(connection, self.bodies[i]) != self.alone[i]:
                        faults.append(f"request {i} is answered otherwise")
                    asked[number] += 1
            except (AssertionError, OSError, http.client.HTTPException) as fault:
                faults.append(repr(fault))
            finally:
                connection.close()

        def rude(number):
            chance = random.Random(number)
            while time.monotonic() < over:
                body = chance.choice(self.bodies)
                with socket.create_connection(("127.0.0.1", self.daemon.port)) as broken:
                    broken.sendall(f"POST {PLAN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                                   f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
                    time.sleep(chance.choice((0, 0.001, 0.01)))
                    broken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        queries, batches = self.metric("prmd_batch_queries_sum"), self.metric("prmd_batch_queries_count")
        threads = [threading.Thread(target=client, args=(n,)) for n in range(CLIENTS)]
        threads += [threading.Thread(target=rude, args=(n,)) for n in range(RUDE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])
        self.assertGreater(min(asked), 0)
        # more than one request a batch, of 2.5 queries each
        batches = self.metric("prmd_batch_queries_count") - batches
        self.assertGreater(self.metric("prmd_batch_queries_sum") - queries, 3 * batches)


if __name__ == "__main__":
    main()
