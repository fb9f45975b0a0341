"""Goal: what the daemon has told to be there answers as before after any end of the process, what it has told to be gone
stays away, and a roadmap goes from one daemon to another. Method: kill -9, at rest and at random moments while roadmaps
are built, replaced and deleted and worlds changed; archives. Oracle: the answers before, and a model of what was told.
"""
import json
import os
import random
import threading
import time
import unittest

from daemon import Daemon, DaemonTest, main

WORLD = {"dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
         "obstacles": [{"id": "middle", "type": "circle", "center": [5, 5], "radius": 2},
                       {"id": "door", "type": "rectangle", "center": [2, 5], "size": [1, 2], "angle": 0.3,
                        "dynamic": True}]}
GRID = {"dimension": 2, "grid": {"width": 12, "height": 6, "rows": ["." * 12, "..@@@@@@@@..", "." * 12, "@@@@@.@@@@@@", "." * 12,
                                                                   "." * 12]}}
ARM_WORLD = {"dimension": 3, "bounds": {"min": [-2, -2, -2], "max": [2, 2, 2]},
             "obstacles": [{"id": "ball", "type": "sphere", "center": [1.2, 0, 0.5], "radius": 0.3}]}
ARM = {"type": "arm",
       "joints": [{"name": "turn", "type": "continuous", "parent": "base", "child": "arm", "axis": [0, 0, 1]},
                  {"name": "lift", "type": "revolute", "parent": "arm", "child": "hand", "axis": [0, 1, 0],
                   "origin": {"xyz": [0.8, 0, 0.5]}, "lower": -1.5, "upper": 1.5}],
       "links": [{"name": "hand", "spheres": [{"center": [0.3, 0, 0], "radius": 0.1}]}]}
RIGID = {"type": "rigid", "footprint": [[-0.3, -0.1], [0.3, -0.1], [0.3, 0.1], [-0.3, 0.1]], "cover_tolerance": 0.05}
# world, robot, the rest of the document, start, goal
ROADMAPS = {
    "plain": ("w", "point", {"samples": {"count": 400}}, [1, 1], [9, 9]),
    "mixed": ("w", "ball", {"samples": {"count": 300, "method": {"uniform": 0.5, "bridge": 0.5}},
                            "anchors": [[1, 1], [9, 9]], "allow": [["body", "door"]]}, [1, 1], [9, 9]),
    "rigid": ("w", "rigid", {"samples": {"count": 600}}, [1, 1, 0], [9, 9, 3]),
    "lattice": ("grid", "point", {"samples": {"method": "lattice"}, "neighbors": {"k": 8, "radius": 1.5}},
                [0.5, 0.5], [11.5, 5.5]),
    "arm": ("cell", "arm", {"samples": {"count": 300}}, [3, 0.5], [-3, -0.5]),
}


def answers(daemon):
    """All that roadmaps say and answer, but for times."""
    seen = {}
    for name, (_, _, _, start, goal) in ROADMAPS.items():
        query = {"queries": [{"start": start, "goal": goal}, {"start": goal, "goal": start}], "allow_stale": True}
        planned = daemon.plan(name, query)
        del planned["timing_ms"]
        seen[name] = (daemon.must("GET", "/v1/roadmaps/" + name), planned)
    for kind in ("worlds", "robots"):
        for item in daemon.must("GET", "/v1/" + kind)["items"]:
            seen[kind + "/" + item["name"]] = daemon.must("GET", f"/v1/{kind}/{item['name']}")
    return seen


class Restarts(DaemonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, world in (("w", WORLD), ("grid", GRID), ("cell", ARM_WORLD)):
            cls.daemon.must("PUT", "/v1/worlds/" + name, world)
        for name, robot in (("point", {"type": "point"}), ("ball", {"type": "ball", "radius": 0.2}), ("rigid", RIGID),
                            ("arm", ARM)):
            cls.daemon.must("PUT", "/v1/robots/" + name, robot)
        for name, (world, robot, rest, _, _) in ROADMAPS.items():
            cls.daemon.roadmap(name, {"world": world, "robot": robot, **rest})

    def same_after_kill(self):
        before = answers(self.daemon)
        self.daemon.kill()
        self.daemon.start()
        after = answers(self.daemon)
        self.assertEqual(before.keys(), after.keys())
        for name in before:
            self.assertEqual(before[name], after[name], name)
        return after

    def test_1_all_is_as_before(self):
        self.same_after_kill()
        for name, (world, robot, rest, _, _) in ROADMAPS.items():
            status, _ = self.daemon.request("PUT", "/v1/roadmaps/" + name, {"world": world, "robot": robot, **rest})
            self.assertEqual((name, status), (name, 200))

    def test_2_worlds_that_have_changed(self):
        self.daemon.must("PATCH", "/v1/worlds/w", {"put": [{"id": "more", "type": "circle", "center": [8, 3], "radius": 1}],
                                                   "set": [{"id": "door", "enabled": False}]})
        self.daemon.must("PATCH", "/v1/worlds/cell", {"remove": ["ball"]})
        # one that does not fit any more
        self.daemon.must("PUT", "/v1/worlds/grid", {"dimension": 2, "grid": {"width": 3, "height": 1, "rows": ["..."]}})
        after = self.same_after_kill()
        self.assertEqual(after["lattice"][0]["state"], "stale")
        self.same_after_kill()

    def test_3_archives(self):
        other = Daemon()
        self.addCleanup(lambda: self.assertEqual(other.stop(), 0))
        for name in ROADMAPS:
            status, headers, archive = self.daemon.raw("GET", f"/v1/roadmaps/{name}/archive")
            self.assertEqual((status, headers["Content-Type"]), (200, "application/zip"))
            status, _, body = other.raw("PUT", f"/v1/roadmaps/{name}/archive", archive,
                                        {"Content-Type": "application/zip", "Prefer": "wait=500"})
            if name == "lattice":
                # its world is the one that it is stale in, and here nothing else is known
                self.assertEqual(json.loads(body)["state"], "ready")
            self.assertIn(status, (200, 201), body)
        ours, theirs = answers(self.daemon), answers(other)
        for name in ROADMAPS:
            self.assertEqual(ours[name][0]["digest"], theirs[name][0]["digest"])
            self.assertEqual(ours[name][1]["results"], theirs[name][1]["results"])
            if name != "lattice":
                self.assertEqual(ours[name][0]["fingerprint"], theirs[name][0]["fingerprint"])
                self.assertEqual(ours[name][0]["statistics"], theirs[name][0]["statistics"])
        # the same again is no work; another world of the name is in the way
        archive = self.daemon.raw("GET", "/v1/roadmaps/plain/archive")[2]
        zipped = {"Content-Type": "application/zip"}
        self.assertEqual(other.raw("PUT", "/v1/roadmaps/plain/archive", archive, zipped)[0], 200)
        other.must("PATCH", "/v1/worlds/w", {"remove": ["more"]})
        status, _, body = other.raw("PUT", "/v1/roadmaps/again/archive", archive, zipped)
        self.assertEqual((status, json.loads(body)["code"]), (409, "incompatible"))
        self.assertIn('"w"', json.loads(body)["detail"])


class Kills(unittest.TestCase):
    """Told things stay told. An operation that was under way when the process ended may have happened or not."""
    ROUNDS = int(os.environ.get("PRM_KILLS", "4"))
    NAMES = 6

    def work(self, random_, stop):
        """Changes names until the end of the process; self.told holds what was answered, self.open what was not."""
        i = 0
        while not stop.is_set():
            i += 1
            name = f"m{random_.randrange(self.NAMES)}"
            kind = random_.choice(("put", "put", "put", "delete", "patch"))
            try:
                if kind == "patch":
                    # a circle that is never in the way, so that answers stay as they are
                    self.daemon.request("PATCH", "/v1/worlds/w",
                                        {"put": [{"id": "far", "type": "circle", "center": [9.9, 0.1],
                                                  "radius": 0.001 * (1 + i % 20)}]})
                    continue
                self.open = (name, kind)
                if kind == "delete":
                    status, _ = self.daemon.request("DELETE", "/v1/roadmaps/" + name)
                    if status == 204:
                        self.told[name] = None
                else:
                    document = {"world": "w", "robot": "p", "seed": random_.randrange(1 << 30), "samples": {"count": 200}}
                    self.open = (name, document["seed"])
                    status, reply = self.daemon.request("PUT", "/v1/roadmaps/" + name, document, {"Prefer": "wait=60"})
                    if status in (200, 201):
                        self.told[name] = (reply["seed"], reply["digest"])
                self.open = None
            except (OSError, ValueError, TypeError, AttributeError, KeyError):
                return

    def check(self):
        """What there is after the start is what was told."""
        there = {}
        for item in self.daemon.must("GET", "/v1/roadmaps")["items"]:
            reply = self.daemon.must("GET", "/v1/roadmaps/" + item["name"])
            self.assertEqual(reply["state"], "ready")
            there[item["name"]] = (reply["seed"], reply["digest"])
            self.assertEqual(self.daemon.plan(item["name"], {"queries": [{"start": [1, 1], "goal": [9, 9]}]})
                             ["results"][0]["status"], "solved")
        for name in {*there, *self.told}:
            is_open = self.open and self.open[0] == name
            if is_open and self.open[1] == "delete" and name not in there:
                continue
            if is_open and name in there and there[name][0] == self.open[1]:
                continue
            self.assertEqual(there.get(name), self.told.get(name), name)
        self.told, self.open = dict(there), None

    def test_kills(self):
        random_ = random.Random(int(os.environ.get("PRM_SEED", "7")))
        self.daemon = Daemon()
        self.told, self.open = {}, None
        self.daemon.must("PUT", "/v1/worlds/w", {"dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]}, "obstacles": []})
        self.daemon.must("PUT", "/v1/robots/p", {"type": "point"})
        for _ in range(self.ROUNDS):
            stop = threading.Event()
            worker = threading.Thread(target=self.work, args=(random_, stop))
            worker.start()
            time.sleep(random_.uniform(0.05, 1.5))
            self.daemon.process.kill()
            stop.set()
            worker.join()
            self.daemon.kill()
            self.daemon.start()
            self.check()
        self.assertEqual(self.daemon.stop(), 0)


if __name__ == "__main__":
    main()
