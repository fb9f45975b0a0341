"""Goal: plans as arrays: what numpy writes is read, numpy reads what comes back, and both are what JSON says.
Method: one server; the same queries as JSON and as .npy in both precisions, with every option; bad arrays. Oracle: the
JSON answer; numpy.
"""
import io
import json
import os
import sys
import unittest

from daemon import DaemonTest, main

try:
    import numpy
except ImportError:
    numpy = None
    # the system's own may have it
    if __name__ == "__main__" and os.path.exists("/usr/bin/python3") and sys.executable != "/usr/bin/python3":
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

PLAN = "/v1/roadmaps/m/plan"
STATUSES = ("solved no_path start_out_of_bounds goal_out_of_bounds start_in_collision goal_in_collision "
            "start_not_connected goal_not_connected deadline_exceeded cancelled invalid_query").split()
OPTIONS = (
    ({}, ""),
    ({"simplify": False, "output": "nodes"}, "simplify=false&output=nodes"),
    ({"objective": "hops", "interpolate": 0.5}, "objective=hops&interpolate=0.5"),
    ({"connect": {"k": 3, "enough": 1}, "expand": {"samples": 0}}, "connect.k=3&connect.enough=1&expand.samples=0"),
    ({"output": "cost", "deadline_ms": 60000, "diagnose": True}, "output=cost&deadline_ms=6e4&diagnose=true"),
)


def packed(array):
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


@unittest.skipIf(numpy is None, "numpy is missing")
class Bulk(DaemonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.daemon.must("PUT", "/v1/worlds/w", {
            "dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
            "obstacles": [{"id": "a", "type": "circle", "center": [5, 5], "radius": 2}]})
        cls.daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        cls.daemon.must("PUT", "/v1/roadmaps/m", {"world": "w", "robot": "r", "seed": 1, "samples": {"count": 300}},
                        headers={"Prefer": "wait=60"})
        random = numpy.random.default_rng(1)
        queries = random.uniform(0, 10, (200, 2, 2))
        queries[3, 0] = 11                # out of bounds
        queries[4, 1] = 5                 # in collision
        queries[5, 0] = 10.0000005        # clamped
        cls.queries = queries

    def ask(self, array, parameters="", status=200, accept="application/x-npz", content="application/x-npy"):
        body = array if isinstance(array, bytes) else packed(array)
        headers = {"Content-Type": content, "Accept": accept}
        got, fields, answer = self.daemon.raw("POST", f"{PLAN}?{parameters}" if parameters else PLAN, body, headers)
        self.assertEqual(got, status, answer[:500])
        return fields, answer

    def compare(self, archive, answer, number):
        results = answer["results"]
        self.assertEqual(archive["waypoints"].dtype, number)
        self.assertEqual([STATUSES[s] for s in archive["status"]], [r["status"] for r in results])
        self.assertEqual([archive[n].dtype.str for n in ("status", "length", "hops", "goal_index", "offsets")],
                         ["|u1", "<f8", "<u4", "<u4", "<u8"])
        offsets = archive["offsets"]
        self.assertEqual((int(offsets[0]), int(offsets[-1])), (0, len(archive["waypoints"])))
        for i, result in enumerate(results):
            path = archive["waypoints"][offsets[i]:offsets[i + 1]]
            if result["status"] != "solved":
                self.assertTrue(numpy.isnan(archive["length"][i]) and len(path) == 0)
                continue
            self.assertEqual(archive["length"][i], result["length"])
            self.assertEqual(archive["hops"][i], result["hops"])
            self.assertEqual(archive["goal_index"][i], result["goal_index"])
            expected = numpy.array(result.get("path", [])).reshape(-1, 2)
            self.assertEqual(path.shape, expected.shape)
            self.assertTrue(numpy.allclose(path, expected, rtol=0, atol=2e-6 if number == "<f4" else 1e-9))
            if len(expected):
                self.assertTrue((path[[0, -1]] == expected[[0, -1]].astype(number)).all())
            if "nodes" in result:
                ends = archive["node_offsets"]
                self.assertEqual(list(archive["nodes"][ends[i]:ends[i + 1]]), result["nodes"])

    def test_arrays_answer_as_documents(self):
        for number in ("<f8", "<f4"):
            array = self.queries.astype(number)
            queries = [{"start": list(map(float, s)), "goal": list(map(float, g))} for s, g in array]
            for options, parameters in OPTIONS:
                answer = self.daemon.must("POST", PLAN, {"queries": queries, **options})
                fields, body = self.ask(array, parameters)
                archive = numpy.load(io.BytesIO(body))
                self.compare(archive, answer, number)
                self.assertEqual(fields["Content-Type"], "application/x-npz")
                self.assertEqual(fields["X-Prmd-Roadmap"], "m")
                self.assertEqual(fields["X-Prmd-Fingerprint"], answer["fingerprint"])
                self.assertEqual(int(fields["X-Prmd-Revision"]), answer["revision"])
                self.assertEqual(int(fields["X-Prmd-World-Revision"]), answer["world_revision"])
                if number == "<f8":
                    self.assertEqual(fields["X-Prmd-Warnings"], "clamped;query=5")
                self.assertNotIn("Content-Encoding", fields)

    def test_either_may_be_json(self):
        array = self.queries[:7]
        queries = [{"start": list(s), "goal": list(g)} for s, g in array]
        answer = self.daemon.must("POST", PLAN, {"queries": queries})
        document = json.loads(self.ask(array, accept="application/json")[1])
        self.assertEqual(document["results"], answer["results"])
        _, body = self.ask(json.dumps({"queries": queries}).encode(), content="application/json")
        self.compare(numpy.load(io.BytesIO(body)), answer, "<f8")
        # the first bytes tell what the type does not
        self.ask(array, content="application/octet-stream")

    def test_sizes_and_numbers_that_are_none(self):
        archive = numpy.load(io.BytesIO(self.ask(numpy.zeros((0, 2, 2)))[1]))
        self.assertEqual((archive["status"].shape, archive["waypoints"].shape), ((0,), (0, 2)))
        self.assertEqual(list(archive["offsets"]), [0])
        array = self.queries[:3].copy()
        array[1, 0, 0] = numpy.nan
        archive = numpy.load(io.BytesIO(self.ask(array)[1]))
        self.assertEqual(STATUSES[archive["status"][1]], "invalid_query")
        self.assertEqual(STATUSES[archive["status"][0]], "solved")

    def test_what_is_refused(self):
        good = numpy.zeros((1, 2, 2))
        for array, parameters, status, code in (
                (numpy.zeros((1, 2, 3)), "", 422, "invalid_argument"),
                (numpy.zeros((1, 3, 2)), "", 422, "invalid_argument"),
                (numpy.zeros((2, 2)), "", 422, "invalid_argument"),
                (numpy.zeros((1, 2, 2), dtype="<i4"), "", 422, "invalid_argument"),
                (packed(good)[:-1], "", 400, "malformed"),
                (packed(good) + b"x", "", 400, "malformed"),
                (b"\x93NUMPY", "", 400, "malformed"),
                (b"", "", 400, "malformed"),
                (b"{}", "", 400, "malformed"),
                (good, "simplify=5", 422, "invalid_argument"),
                (good, "simplify=true&simplify=true", 422, "invalid_argument"),
                (good, "connect=5&connect.k=3", 422, "invalid_argument"),
                (good, "connect.k=0", 422, "invalid_argument"),
                (good, "connect.n=3", 422, "unknown_member"),
                (good, "speed=3", 422, "unknown_member"),
                (good, "queries=%5B%5D", 422, "unknown_member"),
                (good, "expand.samples=100001", 422, "limit_exceeded"),
                (good, "deadline_ms=-1", 422, "invalid_argument")):
            _, answer = self.ask(array, parameters, status, "application/json")
            self.assertEqual(json.loads(answer)["code"], code, parameters)
        # parameters are for arrays, archives are none
        got, _, answer = self.daemon.raw("POST", PLAN + "?simplify=true", b'{"queries":[]}',
                                         {"Content-Type": "application/json"})
        self.assertEqual((got, json.loads(answer)["code"]), (422, "invalid_argument"))
        self.ask(b"PK\x03\x04", content="application/x-npz", status=415, accept="application/json")


if __name__ == "__main__":
    main()
