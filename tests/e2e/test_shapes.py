"""3D files over HTTP: OctoMaps, scenes, clouds and meshes become obstacles that no robot crosses.

Oracle: which side of a wall can be reached, by hand; paths sampled against the wall; counts of the shared files.
"""
import json
import pathlib
import struct
import subprocess

from daemon import BINARY, SHARED, DaemonTest, main, needs_shared

HALF = 32768
SCENE = """hall
* a table
1 0 0
0 0 0 1
2
box
1 1 0.1
0 0 1
0 0 0 1
0 0 0 0
cylinder
0.05 1
0 0 0.5
0 0 0 1
0 0 0 0
0
.
"""


def octomap(resolution, cells):
    """A .bt of these cells: {(x, y, z): occupied}, not pruned."""
    words, nodes = [], 1

    def node(inside, lower, side):
        nonlocal nodes
        at, word, inner = len(words), 0, []
        words.append(0)
        for child in range(8):
            corner = [lower[i] + (child >> i & 1) * side for i in range(3)]
            part = {c: v for c, v in inside.items() if all(k <= x < k + side for k, x in zip(corner, c))}
            if part:
                nodes += 1
                word |= (3 if side > 1 else 2 if next(iter(part.values())) else 1) << 2 * child
                if side > 1:
                    inner.append((part, corner))
        words[at] = word
        for part, corner in inner:
            node(part, corner, side // 2)
    node({tuple(x + HALF for x in c): v for c, v in cells.items()}, [0, 0, 0], HALF)
    head = f"# Octomap OcTree binary file\nid OcTree\nsize {nodes}\nres {resolution}\ndata\n"
    return head.encode() + struct.pack(f"<{len(words)}H", *words)


def wall(door, free=True):
    """A room of 8 x 8 x 4 cells about the origin, halved by the wall x = 0, one cell thick. Free cells, or only
    the wall's."""
    return {(x, y, z): x == 0 and (y, z) not in door for x in range(-4, 4) for y in range(-4, 4) for z in range(4)
            if free or x == 0}


class Shapes(DaemonTest):
    environment = {"LC_ALL": "de_DE.UTF-8"}

    def put(self, path, body, expected=201):
        status, reply = self.daemon.request("PUT", path, body if isinstance(body, bytes) else body.encode())
        self.assertEqual(status, expected, str(reply)[:400])
        return reply

    def empty(self, name, lower=(-1, -1, 0), upper=(1, 1, 1)):
        self.daemon.must("PUT", f"/v1/worlds/{name}", {
            "dimension": 3, "bounds": {"min": list(lower), "max": list(upper)}, "obstacles": []})

    def crossing(self, world, radius=0.05, samples=1500):
        """The answer for the way across x = 0."""
        robot = f"ball{radius}" if radius else "point"
        self.daemon.must("PUT", f"/v1/robots/{robot}", {"type": "ball", "radius": radius} if radius else
                         {"type": "point"})
        self.daemon.roadmap(world, {"world": world, "robot": robot, "samples": {"count": samples}})
        return self.daemon.plan(world, {"queries": [{"start": [-0.7, 0.1, 0.6], "goal": [0.7, -0.1, 0.4]}],
                                        "expand": {"samples": 2000}})["results"][0]

    def assert_apart(self, world):
        for radius in (0, 0.05):
            self.assertIn(self.crossing(world, radius)["status"], ("no_path", "goal_not_connected"), (world, radius))

    def test_voxels_are_walls(self):
        self.put("/v1/worlds/shut?format=octomap", octomap(0.25, wall([])))
        self.assert_apart("shut")
        reply = self.put("/v1/worlds/open?format=octomap", octomap(0.25, wall([(0, 0), (0, 1)])))
        self.assertEqual(reply["cells"], {"occupied": 30, "free": 226, "unknown": 0})
        self.assertEqual(reply["bounds"], {"min": [-1, -1, 0], "max": [1, 1, 1]})
        result = self.crossing("open")
        self.assertEqual(result["status"], "solved")

        # a ball within the wall's thickness is within the door, but for its radius
        for a, b in zip(result["path"], result["path"][1:]):
            for i in range(1001):
                x, y, z = (p + (q - p) * i / 1000 for p, q in zip(a, b))
                if 0 <= x <= 0.25:
                    self.assertTrue(0.05 - 1e-6 <= y <= 0.2 + 1e-6 and z <= 0.45 + 1e-6, (x, y, z))

    def test_unknown_is_solid_unless_told(self):
        cells = {c: v for c, v in wall([(0, 0), (0, 1)]).items() if c[0] != 0 or v}
        reply = self.put("/v1/worlds/dim?format=octomap", octomap(0.25, cells))
        self.assertEqual(reply["unknown"]["taken_as"], "occupied")
        self.assertAlmostEqual(reply["unknown"]["volume"], 2 * 0.25 ** 3)
        self.assert_apart("dim")
        self.put("/v1/worlds/dim?format=octomap&unknown=free", octomap(0.25, cells), 200)
        self.assertEqual(self.crossing("dim")["status"], "solved")

    def test_plates_without_thickness_are_walls(self):
        self.empty("plate")
        obj = "v 0 -1 0\nv 0 1 0\nv 0 1 1\nv 0 -1 1\nf 1 2 3 4\n"
        self.put("/v1/worlds/plate/obstacles/plate?format=obj", obj)
        self.assert_apart("plate")

        # as cubes too, and turned into the wall from where it lies flat
        self.put("/v1/worlds/plate/obstacles/plate?format=obj&resolution=0.04", obj, 200)
        self.assert_apart("plate")
        flat = "v -.5 -1 0\nv .5 -1 0\nv .5 1 0\nv -.5 1 0\nf 1 2 3 4\n"
        half = 0.5 ** 0.5
        self.put(f"/v1/worlds/plate/obstacles/plate?format=obj&pose=0,0,0.5,0,{half!r},0,{half!r}", flat, 200)
        self.assert_apart("plate")
        self.daemon.must("DELETE", "/v1/worlds/plate/obstacles/plate")
        self.assertEqual(self.crossing("plate")["status"], "solved")

    def test_clouds_are_walls_where_they_are_dense(self):
        self.empty("cloud")
        dense = "".join(f"0,{y / 20},{z / 20}\n" for y in range(-20, 21) for z in range(21))
        self.put("/v1/worlds/cloud/obstacles/scan?format=xyz&radius=0.04", dense)
        self.assert_apart("cloud")
        self.put("/v1/worlds/cloud/obstacles/scan?format=xyz&radius=0.04", "0 0 0\nnan 0 0\n", 200)
        self.assertEqual(self.crossing("cloud")["status"], "solved")
        kept = self.daemon.must("GET", "/v1/worlds/cloud/obstacles/scan")
        self.assertEqual((kept["type"], kept["points"], kept["radius"]), ("points", [[0, 0, 0]], 0.04))

    def test_a_scene_put_twice_is_one(self):
        first = self.put("/v1/worlds/hall?format=scene", SCENE)
        again = self.put("/v1/worlds/hall?format=scene", SCENE, 200)
        self.assertEqual((first["revision"], first["fingerprint"]), (again["revision"], again["fingerprint"]))
        self.assertEqual([(o["id"], o["type"], o["center"]) for o in again["obstacles"]],
                         [("a table", "box", [1, 0, 1]), ("a table#2", "cylinder", [1, 0, 0.5])])
        document = self.daemon.must("GET", "/v1/worlds/hall")
        same = self.daemon.must("PUT", "/v1/worlds/hall", document)
        self.assertEqual(same["fingerprint"], first["fingerprint"])

    def test_what_is_wrong_is_named(self):
        for path, body, words in (
                ("octomap", b"x", "no OctoMap"), ("octomap&radius=1", octomap(1, {(0, 0, 0): True}), "radius"),
                ("scene", SCENE.replace("0 0 0 1", "0 0 0", 1).encode(), "line "), ("pcd", b"", "DATA"),
                ("ply", b"ply\n", "end_header"), ("stl", b"solid x", "endsolid"), ("obj", b"v 0 0 0\n", "no face"),
                ("npy", b"\x93NUMPY", "npy"), ("xyz", b"1 2\n", "line 1"), ("xyz", b"", "bound")):
            status, reply = self.daemon.request("PUT", f"/v1/worlds/bad?format={path}", body)
            self.assertIn(status, (400, 422), (path, reply))
            self.assertIn(words, reply["detail"])

    @needs_shared
    def test_files_of_others(self):
        prm = pathlib.Path(BINARY).with_name("prm")
        for path, kinds in (
                ("octomap/geb079.bt", ["boxes"]), ("scenes/moveit2_test_new_format.scene", ["box", "cylinder"]),
                ("scenes/moveit2_test_old_format.scene", ["box", "box"]), ("clouds/milk.pcd", ["points"]),
                ("clouds/bunny.pcd", ["points"]), ("clouds/cube.ply", ["mesh"]), ("meshes/cone.stl", ["mesh"]),
                ("meshes/fcl_rob.obj", ["mesh"]), ("synthetic/wall_with_door.ot", ["boxes"])):
            done = subprocess.run(
                [str(prm), "--server", f"http://127.0.0.1:{self.daemon.port}", "--json", "world", "put", "theirs",
                 str(SHARED / "data" / path)], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([o["type"] for o in json.loads(done.stdout)["obstacles"]], kinds)
        for name in ("empty.bt", "truncated.bt", "size_mismatch.bt", "count_too_big.stl"):
            body = (SHARED / "data/synthetic" / name).read_bytes()
            form = {".bt": "octomap", ".stl": "stl"}[pathlib.Path(name).suffix]
            self.assertEqual(self.daemon.request("PUT", f"/v1/worlds/bad?format={form}", body)[0], 422)


if __name__ == "__main__":
    main()
