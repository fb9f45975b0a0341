"""Goal: the examples of robots that turn and bend are planned without a fault, and the judge of their paths would find
one. Method: their files as they lie, roadmaps of the sizes they name; examples/tools/check_motions.py on the answers,
and on answers spoilt in one way each. Oracle: that judge, which shares no code with the service."""
import copy
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

from daemon import SOURCE, Daemon, main

sys.dont_write_bytecode = True
EXAMPLES = SOURCE / "examples"
sys.path.insert(0, str(EXAMPLES / "tools"))
import generate_examples  # noqa: E402
import motion  # noqa: E402

# folder: world and robot for the judge, least number of queries solved
CASES = {
    "rooms": ("rooms/rooms.yaml", "rooms/cart.json", 11),
    "site": ("site/site.bt", "drone.json", 12),
    "shelf": ("shelf/shelf.scene", "shelf/arm.urdf", 7),
}


def form(parts):
    """A multipart body of files and its type."""
    pieces = [f'--limit\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'.encode() +
              (EXAMPLES / path).read_bytes() + b"\r\n" for name, path in parts]
    return b"".join(pieces) + b"--limit--\r\n", {"Content-Type": "multipart/form-data; boundary=limit"}


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()

    @classmethod
    def tearDownClass(cls):
        assert cls.daemon.stop() == 0

    def put(self, path, body, headers=None):
        status, _, answer = self.daemon.raw("PUT", path, body, headers or {"Content-Type": "application/json"})
        self.assertIn(status, (200, 201), answer[-2000:])

    def put_files(self, name):
        if name == "rooms":
            self.put("/v1/worlds/rooms?format=ros-map",
                     *form([("yaml", "rooms/rooms.yaml"), ("image", "rooms/rooms.pgm")]))
            self.put("/v1/robots/cart", (EXAMPLES / "rooms/cart.json").read_bytes())
        elif name == "site":
            self.put("/v1/worlds/site?format=octomap", (EXAMPLES / "site/site.bt").read_bytes())
            self.put("/v1/robots/drone", (EXAMPLES / "drone.json").read_bytes())
        else:
            self.put("/v1/worlds/shelf?format=scene", (EXAMPLES / "shelf/shelf.scene").read_bytes())
            self.put("/v1/robots/arm", *form([("urdf", "shelf/arm.urdf"), ("srdf", "shelf/arm.srdf"),
                                              ("options", "shelf/arm.options.json")]))

    def judge(self, name, answer):
        """The judge's exit status and what it printed."""
        world, robot, _ = CASES[name]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(answer, file)
            file.flush()
            run = subprocess.run([sys.executable, "-B", EXAMPLES / "tools/check_motions.py", EXAMPLES / world,
                                  EXAMPLES / robot, EXAMPLES / name / "queries.json", file.name],
                                 stdout=subprocess.PIPE, text=True)
        return run.returncode, run.stdout

    def plan(self, name):
        least = CASES[name][2]
        self.put_files(name)
        self.put(f"/v1/roadmaps/{name}", (EXAMPLES / name / "roadmap.json").read_bytes(),
                 {"Content-Type": "application/json", "Prefer": "wait=600"})
        request = (EXAMPLES / name / "queries.json").read_bytes()
        status, _, body = self.daemon.raw("POST", f"/v1/roadmaps/{name}/plan", request,
                                          {"Content-Type": "application/json"})
        self.assertEqual(status, 200, body[-2000:])
        answer = json.loads(body)
        self.assertGreaterEqual(answer["summary"]["solved"], least)
        code, printed = self.judge(name, answer)
        self.assertEqual(code, 0, printed)

        # the picture shows the robots where they have spheres
        status, _, picture = self.daemon.raw("POST", f"/v1/roadmaps/{name}/picture.svg", request,
                                             {"Content-Type": "application/json"})
        self.assertEqual(status, 200)
        self.assertEqual(b"robot first" in picture, name != "site")
        self.assertNotIn(b"nan", picture)
        return answer

    def spoilt(self, name, answer, change):
        """What the judge says of the first solved result alone, changed."""
        queries = json.loads((EXAMPLES / name / "queries.json").read_text())["queries"]
        results = [{"id": q["id"], "status": "no_path"} for q in queries]
        at = next(i for i, r in enumerate(answer["results"]) if r["status"] == "solved" and len(r["path"]) > 2)
        results[at] = copy.deepcopy(answer["results"][at])
        change(results[at])
        code, printed = self.judge(name, {"results": results})
        self.assertEqual(code, 0 if " 0 violations" in printed else 1)
        return printed

    def test_rooms(self):
        answer = self.plan("rooms")

        def straight(result):
            result["path"] = [result["path"][0], result["path"][-1]]

        def longer(result):
            result["length"] += 1e-3

        def elsewhere(result):
            result["path"][0][2] += 0.01

        for change, words in ((straight, "segment 0 collides"), (longer, "the length is given as"),
                              (elsewhere, "the path's ends are not the query's"),
                              (lambda result: None, " 0 violations")):
            self.assertIn(words, self.spoilt("rooms", answer, change))

    def test_site(self):
        self.plan("site")

    def test_shelf(self):
        answer = self.plan("shelf")

        def into_the_board(result):
            result["path"].insert(1, [0, 1.2, 0.6, 0, 0, 0])

        def beyond_a_limit(result):
            result["path"].insert(1, [2.95, 0, 0, 0, 0, 0])

        def into_itself(result):
            result["path"].insert(1, [2.5, -1.9, -2.5, 0, -1.5, 0])

        for change, words in ((into_the_board, "way-point 1 collides"), (into_itself, "way-point 1 collides"),
                              (beyond_a_limit, "way-point 1 is beyond a limit")):
            self.assertIn(words, self.spoilt("shelf", answer, change))

        # the links are where the service sees them
        arm = motion.read_robot(str(EXAMPLES / "shelf/arm.urdf"), [])
        states = [path for result in answer["results"] for path in result["path"]][:50]
        _, reply = self.daemon.request("POST", "/v1/robots/arm/forward", {"states": states})
        for q, placed in zip(states, reply["states"]):
            for name, frame in arm.frames(q).items():
                self.assertLess(math.dist(frame[1], placed["links"][name]["xyz"]), 1e-5, name)

    def test_trap(self):
        """Bridges find the trap's channel, uniform samples do not."""
        self.put("/v1/worlds/trap", (EXAMPLES / "trap/trap.json").read_bytes())
        self.put("/v1/robots/bug", (EXAMPLES / "trap/bug.json").read_bytes())
        document = json.loads((EXAMPLES / "trap/roadmap.json").read_text())
        request = json.loads((EXAMPLES / "trap/queries.json").read_text()) | {"expand": {"samples": 0}}
        for method, solved in ((document["samples"]["method"], 3), ("uniform", 0)):
            document["samples"]["method"] = method
            self.put("/v1/roadmaps/trap", json.dumps(document).encode(),
                     {"Content-Type": "application/json", "Prefer": "wait=600"})
            _, _, body = self.daemon.raw("POST", "/v1/roadmaps/trap/plan", json.dumps(request).encode(),
                                         {"Content-Type": "application/json"})
            self.assertEqual(json.loads(body)["summary"]["solved"], solved)

    def test_clearances(self):
        """Of shapes, squares and cubes, by hand."""
        turned = (motion.rotation_rpy(0, 0, math.pi / 2), (1, 0, 0))
        for shape, point, distance in (
                (motion.Shape("box", (1, 2, 3), turned), (1, 2, 0), 1),
                (motion.Shape("box", (1, 2, 3), turned), (1.5, 0, 0), -1),
                (motion.Shape("cylinder", (1, 2), turned), (1, 4, 6), 5),
                (motion.Shape("sphere", (0.5,), turned), (1, 0, 2), 1.5)):
            self.assertAlmostEqual(shape.distance(point), distance)
            self.assertTrue(all(abs(shape.distance(p)) < 1e-9 for p in shape.surface()))

        # a map of 0.1 with one occupied cell, (10, 10): a footprint beside it, turned, and over it
        cells = motion.Cells(0.1, (0, 0), {(x, y) for x in range(30) for y in range(30)} - {(10, 10)})
        cart = motion.Footprint({"footprint": [[-0.4, -0.2], [0.4, -0.2], [0.4, 0.2], [-0.4, 0.2]]}, cells)
        for state, clearance in (([1.6, 1.05, 0], 0.1), ([1.4, 1.05, math.pi / 2], 0.1), ([1.49, 1.05, 0], -0.01),
                                 ([2.0, 1.05, 0], motion.REACH)):
            self.assertAlmostEqual(cart.clearance(state), clearance)
        ball = motion.Ball({"radius": 0.2}, motion.Cells(1, (0, 0, 0), set(), [[0, 0, 0], [1, 1, 1]]))
        self.assertAlmostEqual(ball.clearance([1.3, 0.5, 0.5]), 0.1)
        self.assertAlmostEqual(ball.clearance([1.3, 1.4, 0.5]), motion.REACH)

    def test_files_are_the_output_of_their_maker(self):
        names = ("rooms/rooms.pgm", "rooms/rooms.yaml", "site/site.bt")
        kept = {name: (EXAMPLES / name).read_bytes() for name in names}
        with tempfile.TemporaryDirectory() as folder:
            generate_examples.make_rooms(pathlib.Path(folder, "rooms"))
            generate_examples.make_site(pathlib.Path(folder, "site"))
            for name, data in kept.items():
                self.assertEqual(pathlib.Path(folder, name).read_bytes(), data, name)


if __name__ == "__main__":
    main()
