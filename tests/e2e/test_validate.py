"""Goal: states, edges and paths are judged with reasons that say what is in the way, milestones are found and graphs
handed out, and growing is building more. Method: a ball, an arm and a rigid body in small worlds, by HTTP and by prm.
Oracle: what the worlds make evident; sums over the graph written here; digests of the same roadmap built at once.
"""
import io
import json
import math
import pathlib
import struct
import subprocess
import tempfile
import xml.etree.ElementTree as xml
import zipfile

from daemon import BINARY, DaemonTest, main
from test_robots import CRANE, XML

ROOM = {"dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]}, "obstacles": [
    {"id": "wall", "type": "rectangle", "center": [5, 5], "size": [0.001, 8]},
    {"id": "rock", "type": "circle", "center": [2, 8], "radius": 1}]}
YARD = {"dimension": 3, "bounds": {"min": [-2, -2, 0], "max": [2, 2, 2]}, "obstacles": [
    {"id": "box", "type": "box", "center": [0, 1, 0.25], "size": [0.3, 0.3, 0.5]}]}
QUARTER = math.sqrt(0.5)


class Questions(DaemonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        must = cls.daemon.must
        must("PUT", "/v1/worlds/room", ROOM)
        must("PUT", "/v1/robots/ball", {"type": "ball", "radius": 0.1})
        must("PUT", "/v1/worlds/yard", YARD)
        must("PUT", "/v1/robots/crane", CRANE, XML)
        must("PUT", "/v1/robots/bar", {"type": "rigid", "spheres": [
            {"center": [0, 0, 0.3], "radius": 0.1}, {"center": [0, 0, -0.3], "radius": 0.1}]})
        for name, world, robot in (("room", "room", "ball"), ("crane", "yard", "crane"), ("bar", "yard", "bar")):
            cls.daemon.roadmap(name, {"world": world, "robot": robot, "samples": {"count": 300}})

    def ask(self, roadmap, **request):
        return self.daemon.must("POST", f"/v1/roadmaps/{roadmap}/validate", request)

    def collision(self, item, link, obstacle, depth):
        reason = item["reason"]
        self.assertFalse(item["valid"])
        self.assertEqual((reason["kind"], reason.get("link"), reason["obstacle"]), ("world_collision", link, obstacle))
        self.assertAlmostEqual(reason["depth"], depth, delta=2e-3)
        self.assertAlmostEqual(item["clearance"], -depth, delta=2e-3)

    def test_a_ball(self):
        reply = self.ask("room", states=[[4.4, 5], {"x": 5.05, "y": 5}, [11, 1], [2, 8], [9, 5], [10.0000005, 1]],
                         edges=[[0, 4], [0, 0], [4, 2]],
                         paths=[[[1, 1], [2, 2], [4, 5], [6, 5], [2, 8]], [[1, 1]], [[9, 1], [9, 9]]])
        states, edges, paths = reply["states"], reply["edges"], reply["paths"]
        self.assertTrue(states[0]["valid"])
        self.assertAlmostEqual(states[0]["clearance"], 0.4995, places=5)
        self.collision(states[1], None, "wall", 0.0505)
        self.assertEqual(states[2], {"valid": False, "clearance": None, "reason": {
            "kind": "bounds", "coordinate": "x", "value": 11, "limit": 10}})
        self.collision(states[3], None, "rock", 1.1)
        self.assertTrue(states[5]["valid"])
        self.assertEqual(reply["warnings"][0]["code"], "clamped")
        # a wall of a millimetre is found, and where
        self.collision(edges[0], None, "wall", 0.1005)
        self.assertAlmostEqual(edges[0]["fraction"], 0.6 / 4.6, delta=2e-3)
        self.assertEqual(edges[0]["reason"]["at"], "edge")
        self.assertTrue(edges[1]["valid"])
        self.assertEqual((edges[2]["reason"]["kind"], edges[2]["fraction"]), ("bounds", 1))
        self.assertEqual((paths[0]["segment"], paths[0]["reason"]["obstacle"]), (2, "wall"))
        self.assertEqual([p["valid"] for p in paths], [False, True, True])

    def test_an_arm(self):
        reply = self.ask("crane", states=[{"slew": 1, "lift": 0.5}, {"lift": 0.5, "slew": 2.2}, [0, 0.7],
                                          [math.pi / 2, 0.5], [7, 0]], edges=[[0, 1], [0, 0]])
        states, edges = reply["states"], reply["edges"]
        self.assertEqual(reply["coordinates"], ["slew", "lift"])
        self.assertTrue(states[0]["valid"] and states[1]["valid"] and states[4]["valid"])
        self.assertEqual(states[2]["reason"], {"kind": "joint_limit", "coordinate": "lift", "value": 0.7, "limit": 0.6})
        # the hook, 0.05 in radius, at (0, 1, 0.3): 0.2 from the box's top and to 0.15 of its sides
        self.assertEqual(states[3]["reason"]["sphere"], 0)
        self.collision(states[3], "hook", "box", 0.2)
        self.collision(edges[0], "hook", "box", 0.2)
        self.assertAlmostEqual(edges[0]["fraction"], (math.pi / 2 - 1) / 1.2, delta=0.1)
        self.assertTrue(edges[1]["valid"])

    def test_an_arm_that_meets_itself(self):
        def joint(name, parent, child, x):
            return {"name": name, "type": "revolute", "parent": parent, "child": child, "axis": [0, 0, 1],
                    "origin": {"xyz": [x, 0, 0]}, "lower": -3.2, "upper": 3.2}
        self.daemon.must("PUT", "/v1/robots/folding", {
            "type": "arm", "joints": [joint("shoulder", "post", "upper", 0), joint("elbow", "upper", "lower", 1)],
            "links": [{"name": "post", "spheres": [{"center": [0, 0, 0], "radius": 0.1}]}, {"name": "upper"},
                      {"name": "lower", "spheres": [{"center": [1, 0, 0], "radius": 0.2}]}],
            "base": {"xyz": [0, 0, 1]}})
        self.daemon.roadmap("folding", {"world": "yard", "robot": "folding", "samples": {"count": 100}})
        reply = self.ask("folding", states=[[0, math.pi], [0, 0], [0, -2.8]], edges=[[1, 0], [1, 2]])
        reason = reply["states"][0]["reason"]
        self.assertEqual((reason["kind"], {reason["link"], reason["other_link"]}), ("self_collision", {"post", "lower"}))
        self.assertNotIn("obstacle", reason)
        self.assertAlmostEqual(reason["depth"], 0.3, places=4)
        self.assertEqual([s["valid"] for s in reply["states"]], [False, True, True])
        self.assertEqual((reply["edges"][0]["reason"]["kind"], reply["edges"][1]["valid"]), ("self_collision", True))

    def test_a_rigid_body(self):
        flat = [0, 1, 0.7, 0, QUARTER, 0, QUARTER]
        reply = self.ask("bar", states=[[0, 1, 0.75, 0, 0, 0, 1], flat, [0, 1, 0.75, 0, 0, 0, -2]],
                         paths=[[flat, flat], [flat, [0, 1, 0.95, 0, 0, 0, 1], [0, 1, 0.75, 0, 0, 0, 1]]])
        self.collision(reply["states"][0], "body", "box", 0.15)
        self.assertEqual(reply["states"][0]["reason"]["sphere"], 1)
        self.assertTrue(reply["states"][1]["valid"])
        # the same orientation, whatever its sign and length
        self.assertEqual(reply["states"][2], reply["states"][0])
        self.assertTrue(reply["paths"][0]["valid"])
        self.assertFalse(reply["paths"][1]["valid"])
        status, refused = self.daemon.request("POST", "/v1/roadmaps/bar/validate", {"states": [[0, 1, 1, 0, 0, 0, 0]]})
        self.assertEqual((status, refused["pointer"]), (422, "/states/0"))
        # of plans that query alone is invalid
        zero, good = [0, 1, 1.5, 0, 0, 0, 0], [0, 1, 1.5, 0, 0, 0, 3]
        results = self.daemon.plan("bar", {"queries": [
            {"start": zero, "goal": good}, {"start": good, "goals": [good, zero]}, {"start": good, "goal": good}]})["results"]
        self.assertEqual([r["status"] for r in results], ["invalid_query", "invalid_query", "solved"])
        self.assertIn("quaternion", results[0]["detail"])

    def test_plans_are_valid(self):
        """What a plan returns is judged as it was when it was planned."""
        queries = [{"start": [1, 1 + i], "goal": [9, 9 - i]} for i in range(5)]
        results = self.daemon.plan("room", {"queries": queries})["results"]
        paths = [r["path"] for r in results if r["status"] == "solved"]
        self.assertGreater(len(paths), 2)
        self.assertTrue(all(p["valid"] for p in self.ask("room", paths=paths)["paths"]))

    def test_nearest(self):
        graph = self.daemon.must("GET", "/v1/roadmaps/crane/graph")
        asked = [[3.1, 0.1], [-3.1, 0.1], [40, 0.3]]
        reply = self.daemon.must("POST", "/v1/roadmaps/crane/nearest", {"states": asked, "k": 4})
        for state, found in zip(asked, reply["neighbors"]):
            distances = sorted((math.hypot(math.remainder(s[0] - state[0], 2 * math.pi), s[1] - state[1]), i)
                               for i, s in enumerate(graph["states"]))[:4]
            self.assertEqual([n["id"] for n in found], [i for _, i in distances])
            for neighbor, (distance, i) in zip(found, distances):
                self.assertAlmostEqual(neighbor["distance"], distance, places=5)
                self.assertEqual(neighbor["state"], graph["states"][i])

    def test_graphs(self):
        info = self.daemon.must("GET", "/v1/roadmaps/room")
        graph = self.daemon.must("GET", "/v1/roadmaps/room/graph?format=json")
        statistics = info["statistics"]
        self.assertEqual((graph["digest"], len(graph["states"])), (info["digest"], 300))
        self.assertEqual((len(graph["edges"]), sum(graph["valid"])),
                         (statistics["candidate_edges"], statistics["edges"]))
        self.assertEqual(len(set(graph["components"])), statistics["components"])
        for (a, b), length, valid in zip(graph["edges"], graph["lengths"], graph["valid"]):
            self.assertAlmostEqual(math.dist(graph["states"][a], graph["states"][b]), length, places=5)
            self.assertTrue(not valid or graph["components"][a] == graph["components"][b])

        status, headers, body = self.daemon.raw("GET", "/v1/roadmaps/room/graph?format=graphml")
        self.assertEqual((status, headers["Content-Type"]), (200, "application/graphml+xml"))
        space = "{http://graphml.graphdrawing.org/xmlns}"
        root = xml.fromstring(body)
        self.assertEqual([k.get("attr.name") for k in root.iter(space + "key")], ["x", "y", "component", "length", "valid"])
        self.assertEqual([[float(d.text) for d in n][1:] for n in root.iter(space + "node")], graph["states"])
        self.assertEqual([[int(e.get("source")), int(e.get("target"))] for e in root.iter(space + "edge")], graph["edges"])

        archive = zipfile.ZipFile(io.BytesIO(self.daemon.must("GET", "/v1/roadmaps/room/graph?format=npz")))
        self.assertEqual(archive.namelist(),
                         [n + ".npy" for n in ("states", "edges", "lengths", "valid", "components")])
        edges = archive.read("edges.npy")
        flat = struct.unpack(f"<{2 * len(graph['edges'])}I", edges[len(edges) - 8 * len(graph["edges"]):])
        self.assertEqual([list(e) for e in zip(flat[::2], flat[1::2])], graph["edges"])

    def test_growth(self):
        for samples in ({"method": "uniform"}, {"method": {"uniform": 0.6, "bridge": 0.4}}):
            document = {"world": "yard", "robot": "bar", "samples": {**samples, "count": 200}}
            before = self.daemon.roadmap("grown", document)
            status, reply = self.daemon.request("POST", "/v1/roadmaps/grown/grow", {"count": 200}, {"Prefer": "wait=500"})
            self.assertEqual((status, reply["samples"]["count"]), (200, 400))
            self.assertGreater(reply["revision"], before["revision"])
            document["samples"]["count"] = 400
            self.assertEqual(self.daemon.roadmap("at-once", document)["digest"], reply["digest"])
            for name in ("grown", "at-once"):
                self.daemon.must("DELETE", "/v1/roadmaps/" + name)

    def prm(self, *arguments):
        done = subprocess.run([pathlib.Path(BINARY).with_name("prm"), "--server",
                               f"http://127.0.0.1:{self.daemon.port}", *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def test_by_prm(self):
        code, printed = self.prm("validate", "crane", "--state", "1,0.5", "--state", "2.2,0.5")
        self.assertEqual(code, 1)
        self.assertIn("path 0: segment 0: world_collision, link hook, obstacle box", printed)
        code, printed = self.prm("--json", "validate", "room", "--state", "1,1")
        self.assertEqual((code, json.loads(printed)["states"][0]["valid"]), (0, True))
        code, printed = self.prm("nearest", "room", "--state", "1,1", "--neighbors", "3")
        self.assertEqual((code, len(printed.splitlines())), (0, 4))
        self.assertEqual(self.prm("validate", "room")[0], 2)
        with tempfile.TemporaryDirectory() as folder:
            for ending, start in (("json", b"{"), ("graphml", b"<?xml"), ("npz", b"PK")):
                path = pathlib.Path(folder, "graph." + ending)
                self.assertEqual(self.prm("graph", "room", str(path))[0], 0)
                self.assertTrue(path.read_bytes().startswith(start))
        self.daemon.roadmap("more", {"world": "room", "robot": "ball", "samples": {"count": 50}})
        code, printed = self.prm("roadmap", "grow", "more", "--samples", "30")
        self.assertEqual(code, 0, printed)
        self.assertIn("milestones   80 of", printed)


if __name__ == "__main__":
    main()
