"""Planning over HTTP: answers and statuses on small worlds whose answers are known beforehand."""
import copy
import math
import unittest

from daemon import Daemon, DaemonTest, main

BOX = {"min": [0, 0], "max": [10, 10]}


def world2(*obstacles, **members):
    return {"dimension": 2, "bounds": BOX, "obstacles": list(obstacles), **members}


def wall(thickness, door=False):
    """A wall at x = 5, closed or with a door of one unit in the middle."""
    if not door:
        return [{"type": "rectangle", "center": [5, 5], "size": [thickness, 10]}]
    return [{"type": "rectangle", "center": [5, y], "size": [thickness, 4.5]} for y in (2.25, 7.75)]


class Planning(DaemonTest):
    def make(self, name, world, robot=None, **parameters):
        self.daemon.must("PUT", "/v1/worlds/" + name, world)
        self.daemon.must("PUT", "/v1/robots/" + name, robot or {"type": "point"})
        return self.daemon.roadmap(name, {"world": name, "robot": name, "samples": {"count": 1000}, **parameters})

    def statuses(self, name, queries, **members):
        return [r["status"] for r in self.daemon.plan(name, {"queries": queries, **members})["results"]]

    def test_empty_world(self):
        info = self.make("empty", world2())
        self.assertEqual(info["statistics"]["milestones"], 1000)
        self.assertEqual(info["statistics"]["components"]["count"]
                         if isinstance(info["statistics"]["components"], dict)
                         else info["statistics"]["components"], 1)
        reply = self.daemon.plan("empty", {"queries": [{"start": [1, 1], "goal": [9, 9]}]})
        result = reply["results"][0]
        self.assertEqual(result["status"], "solved")
        self.assertEqual((result["path"][0], result["path"][-1]), ([1, 1], [9, 9]))
        self.assertAlmostEqual(result["length"], math.dist([1, 1], [9, 9]), delta=0.3)
        self.assertEqual(reply["coordinates"], ["x", "y"])

    def test_world_without_free_space(self):
        self.daemon.must("PUT", "/v1/worlds/full", world2({"type": "circle", "center": [5, 5], "radius": 20}))
        self.daemon.must("PUT", "/v1/robots/full", {"type": "point"})
        status, problem = self.daemon.request(
            "PUT", "/v1/roadmaps/full", {"world": "full", "robot": "full", "samples": {"count": 100}},
            {"Prefer": "wait=100"})
        self.assertEqual((status, problem["code"]), (422, "world_without_free_space"))

    def test_start_is_goal(self):
        self.make("same", world2())
        result = self.daemon.plan("same", {"queries": [{"start": [3, 4], "goal": [3, 4]}]})["results"][0]
        self.assertEqual((result["status"], result["length"]), ("solved", 0))
        self.assertEqual((result["path"][0], result["path"][-1]), ([3, 4], [3, 4]))

    def test_bounds_are_inclusive(self):
        self.make("bounds", world2())
        self.assertEqual(self.statuses("bounds", [
            {"start": [0, 0], "goal": [10, 10]}, {"start": [10, 0], "goal": [0, 10]},
            {"start": [-0.001, 5], "goal": [5, 5]}, {"start": [5, 5], "goal": [5, 10.001]},
            {"start": [1e30, 0], "goal": [5, 5]}]),
            ["solved", "solved", "start_out_of_bounds", "goal_out_of_bounds", "start_out_of_bounds"])

    def test_border_of_a_grid_collides(self):
        rows = ["." * 10] * 10
        self.make("grid", {"dimension": 2, "grid": {"width": 10, "height": 10, "rows": rows}})
        self.assertEqual(self.statuses("grid", [
            {"start": [0, 5], "goal": [5, 5]}, {"start": [0.5, 5], "goal": [10, 5]},
            {"start": [0.01, 5], "goal": [9.99, 5]}]),
            ["start_in_collision", "goal_in_collision", "solved"])

    def test_identical_obstacles(self):
        circle = {"type": "circle", "center": [5, 5], "radius": 2}
        self.make("twins", world2(*[circle] * 50))
        self.assertEqual(self.statuses("twins", [{"start": [1, 1], "goal": [9, 9]},
                                                 {"start": [5, 5], "goal": [9, 9]}]),
                         ["solved", "start_in_collision"])

    def test_thin_wall(self):
        for robot in ({"type": "point"}, {"type": "ball", "radius": 0.05}):
            self.make("closed", world2(*wall(0.001)), robot)
            self.assertEqual(self.statuses("closed", [{"start": [1, 5], "goal": [9, 5]},
                                                      {"start": [4.9, 5], "goal": [5.1, 5]}]), ["no_path"] * 2)
            self.make("door", world2(*wall(0.001, door=True)), robot, samples={"count": 3000})
            result = self.daemon.plan("door", {"queries": [{"start": [1, 1], "goal": [9, 1]}]})["results"][0]
            self.assertEqual(result["status"], "solved")
            for a, b in zip(result["path"], result["path"][1:]):
                if (a[0] - 5) * (b[0] - 5) <= 0:
                    y = a[1] + (b[1] - a[1]) * (5 - a[0]) / (b[0] - a[0]) if a[0] != b[0] else a[1]
                    self.assertTrue(4.5 < y < 5.5, result["path"])
            self.daemon.must("DELETE", "/v1/roadmaps/closed")
            self.daemon.must("DELETE", "/v1/roadmaps/door")

    def test_reasons(self):
        self.make("reasons", world2({"id": "rock", "type": "circle", "center": [5, 5], "radius": 2}))
        results = self.daemon.plan("reasons", {"queries": [
            {"start": [5, 4], "goal": [9, 9]}, {"start": [1, 1], "goal": [11, 9]}]})["results"]
        reason = results[0]["reason"]
        self.assertEqual((reason["at"], reason["kind"], reason["obstacle"]), ("start", "world_collision", "rock"))
        self.assertAlmostEqual(reason["depth"], 1, delta=1e-3)
        reason = results[1]["reason"]
        self.assertEqual((reason["at"], reason["kind"], reason["coordinate"], reason["value"], reason["limit"]),
                         ("goal", "bounds", "x", 11, 10))

    def test_any_of_several_goals(self):
        self.make("goals", world2({"type": "circle", "center": [5, 5], "radius": 1}))
        result = self.daemon.plan("goals", {"queries": [
            {"id": 7, "start": [1, 1], "goals": [[5, 5], [9, 9], [2, 1]]}]})["results"][0]
        self.assertEqual((result["id"], result["status"], result["goal_index"]), (7, "solved", 2))
        self.assertEqual(result["path"][-1], [2, 1])

    def test_no_queries(self):
        self.make("none", world2())
        reply = self.daemon.plan("none", {"queries": []})
        self.assertEqual((reply["results"], reply["summary"]), ([], {"solved": 0, "failed": 0}))

    def test_interpolate(self):
        self.make("steps", world2())
        result = self.daemon.plan("steps", {"queries": [{"start": [1, 1], "goal": [9, 9]}],
                                            "interpolate": 0.25})["results"][0]
        steps = [math.dist(a, b) for a, b in zip(result["path"], result["path"][1:])]
        self.assertLessEqual(max(steps), 0.25 + 1e-9)
        self.assertAlmostEqual(sum(steps), result["length"], delta=1e-6)

    def test_outputs(self):
        self.make("outputs", world2())
        query = {"queries": [{"start": [1, 1], "goal": [9, 9]}], "simplify": False}
        path = self.daemon.plan("outputs", query)["results"][0]
        nodes = self.daemon.plan("outputs", {**query, "output": "nodes"})["results"][0]
        cost = self.daemon.plan("outputs", {**query, "output": "cost"})["results"][0]
        self.assertNotIn("path", cost)
        self.assertEqual(len(nodes["nodes"]), len(path["path"]) - 2)
        self.assertEqual({cost["length"], nodes["length"]}, {path["length"]})
        self.assertEqual(path["hops"], len(path["path"]) - 1)

    def test_hops_are_fewest(self):
        self.make("hops", world2())
        query = {"queries": [{"start": [1, 1], "goal": [9, 9]}], "simplify": False}
        length = self.daemon.plan("hops", query)["results"][0]
        hops = self.daemon.plan("hops", {**query, "objective": "hops"})["results"][0]
        self.assertLessEqual(hops["hops"], length["hops"])
        self.assertLessEqual(length["length"], hops["length"] + 1e-6)

    def test_far_from_the_origin(self):
        """The same map at UTM coordinates gives the same lengths."""
        lengths = []
        for offset in ([0, 0], [500000, 4000000]):
            rows = ["." * 10] * 4 + ["....@@@@.."] * 2 + ["." * 10] * 4
            world = {"dimension": 2, "grid": {"width": 10, "height": 10, "rows": rows, "origin": [*offset, 0]}}
            self.make("far", world, samples={"count": 500})
            at = lambda x, y: [x + offset[0], y + offset[1]]
            reply = self.daemon.plan("far", {"queries": [
                {"start": at(5.5, 1.5), "goal": at(5.5, 8.5)}, {"start": at(1.5, 1.5), "goal": at(8.5, 8.5)}]})
            lengths.append([r["length"] for r in reply["results"]])
            self.daemon.must("DELETE", "/v1/roadmaps/far")
        for a, b in zip(*lengths):
            self.assertAlmostEqual(a, b, delta=1e-3)

    def test_dynamic_obstacle(self):
        """A door that is shut when the roadmap is made, opened by PATCH, shut again."""
        world = world2(*wall(0.2, door=True),
                       {"id": "leaf", "type": "rectangle", "center": [5, 5], "size": [0.2, 1], "dynamic": True})
        self.make("hall", world, samples={"count": 3000})
        query = [{"start": [1, 5], "goal": [9, 5]}]
        self.assertEqual(self.statuses("hall", query), ["no_path"])
        reply = self.daemon.must("PATCH", "/v1/worlds/hall", {"set": [{"id": "leaf", "enabled": False}]})
        self.assertEqual([r["name"] for r in reply["roadmaps"]], ["hall"])
        self.assertGreater(reply["roadmaps"][0]["edges_on"], 0)
        self.assertEqual(self.statuses("hall", query), ["solved"])
        self.daemon.must("PATCH", "/v1/worlds/hall", {"set": [{"id": "leaf", "enabled": True}]})
        self.assertEqual(self.statuses("hall", query), ["no_path"])

    def test_bad_queries_in_a_large_batch(self):
        self.make("batch", world2({"type": "circle", "center": [5, 5], "radius": 1}))
        good = [{"id": i, "start": [1 + i % 7 * 0.3, 1], "goal": [9, 8 + i % 5 * 0.2]} for i in range(10000)]
        bad = [({"start": [1], "goal": [9, 9]}, "invalid_query"),
               ({"start": [1, 1, 1], "goal": [9, 9]}, "invalid_query"),
               ({"start": [1, 1]}, "invalid_query"),
               ({"start": [1, 1], "goal": [9, 9], "goals": [[9, 9]]}, "invalid_query"),
               ({"start": [1, 1], "goals": []}, "invalid_query"),
               ({"start": {"x": 1, "z": 1}, "goal": [9, 9]}, "invalid_query"),
               ({"start": [-1, 1], "goal": [9, 9]}, "start_out_of_bounds"),
               ({"start": [1, 1], "goal": [9, 19]}, "goal_out_of_bounds"),
               ({"start": [5, 5], "goal": [9, 9]}, "start_in_collision"),
               ({"start": [1, 1], "goal": [5, 5.5]}, "goal_in_collision")]
        queries, want = copy.deepcopy(good), ["solved"] * len(good)
        for i in range(100):
            query, status = bad[i % len(bad)]
            queries[i * 97] = {"id": i * 97, **query}
            want[i * 97] = status
        reply = self.daemon.plan("batch", {"queries": queries})
        self.assertEqual([r["status"] for r in reply["results"]], want)
        self.assertEqual([r["id"] for r in reply["results"]], list(range(10000)))
        self.assertEqual(reply["summary"], {"solved": 9900, "failed": 100})

    def test_queries_leave_no_trace(self):
        before = self.make("trace", world2())
        query = {"queries": [{"start": [1, 1], "goal": [9, 9]}] * 2}
        first = self.daemon.plan("trace", query)["results"]
        self.assertEqual(first[0], first[1])
        for _ in range(100):
            self.assertEqual(self.daemon.plan("trace", query)["results"], first)
        after = self.daemon.must("GET", "/v1/roadmaps/trace")
        self.assertEqual((before["digest"], before["statistics"]["milestones"]),
                         (after["digest"], after["statistics"]["milestones"]))


class Determinism(unittest.TestCase):
    """Work-group sizes, shapes and batch sizes change neither digest nor answers."""

    def answers(self, tuning):
        daemon = Daemon(environment={"PRMD_TUNING": tuning} if tuning else None)
        try:
            world = world2(*[{"type": "circle", "center": [1 + i * 2.1 % 9, 1 + i * 3.7 % 9], "radius": 0.4}
                             for i in range(20)])
            daemon.must("PUT", "/v1/worlds/w", world)
            daemon.must("PUT", "/v1/robots/r", {"type": "ball", "radius": 0.1})
            info = daemon.roadmap("m", {"world": "w", "robot": "r", "seed": 5, "samples": {"count": 2000}})
            queries = [{"start": [0.3 + i * 0.77 % 9, 0.2 + i * 1.31 % 9], "goal": [9.5 - i * 0.91 % 9, 9.8 - i * 1.7 % 9]}
                       for i in range(1000)]
            whole = daemon.plan("m", {"queries": queries})["results"]
            for size in (1, 7):
                part = queries[:size * 30]
                split = [r for i in range(0, len(part), size)
                         for r in daemon.plan("m", {"queries": part[i:i + size]})["results"]]
                self.assertEqual(split, whole[:len(part)])
            hops = daemon.plan("m", {"queries": queries, "objective": "hops", "simplify": False})["results"]
            return info["digest"], whole, hops
        finally:
            daemon.stop()

    def test_tunings(self):
        reference = self.answers("")
        for tuning in ("wg=1,chunks=3", "wg=8,shape=gpu", "wg=32,shape=gpu"):
            with self.subTest(tuning=tuning):
                self.assertEqual(self.answers(tuning), reference)


if __name__ == "__main__":
    main()
