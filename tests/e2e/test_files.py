"""Worlds and obstacles from files, as their users send them: ROS maps as forms, images, files as obstacles.

Oracle: the counts of the maps' pixels; where a turned pixel must lie, by hand; the same map elsewhere.
"""
import math
import struct
import subprocess
import tempfile
import pathlib
import zlib

from daemon import BINARY, SHARED, DaemonTest, main, needs_shared

YAML = """image: map.pgm
resolution: {resolution}
origin: [{origin}]
negate: 0
occupied_thresh: 0.65
free_thresh: 0.196
"""
# 10 x 10, a wall with a gap, a grey corner
ROWS = ["255 " * 10] * 4 + ["0 " * 7 + "255 255 255"] + ["255 " * 10] * 4 + ["255 " * 8 + "205 205"]
PGM = ("P2\n10 10\n255\n" + "\n".join(ROWS) + "\n").encode()
LENGTH_TOLERANCE = 1e-3


def form(**parts):
    """(headers, body) of a form of these parts."""
    body = b"".join(b'--edge\r\nContent-Disposition: form-data; name="%s"; filename="x"\r\n\r\n%s\r\n'
                    % (name.encode(), content) for name, content in parts.items())
    return {"Content-Type": "multipart/form-data; boundary=edge"}, body + b"--edge--\r\n"


def png(rows):
    """A PNG of 8 bit grey rows."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    raw = b"".join(b"\0" + bytes(row) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


class Files(DaemonTest):
    def put_map(self, path, yaml, image):
        headers, body = form(yaml=yaml.encode() if isinstance(yaml, str) else yaml, image=image)
        return self.daemon.request("PUT", path, body, headers)

    def lengths(self, world, origin):
        """Lengths of some queries on a lattice of a 10 x 10 map that lies at `origin`."""
        self.daemon.must("PUT", "/v1/robots/point", {"type": "point"})
        self.daemon.roadmap(world, {"world": world, "robot": "point", "samples": {"method": "lattice"},
                                    "neighbors": {"k": 8, "radius": 1.5}})
        ends = [((0.5, 0.5), (0.5, 9.5)), ((2.25, 8.75), (9.9, 3.1)), ((0, 0), (10, 8)), ((9.9, 9.9), (1, 1))]
        queries = [{"start": [x + o for x, o in zip(a, origin)], "goal": [x + o for x, o in zip(b, origin)]}
                   for a, b in ends]
        batch = self.daemon.plan(world, {"queries": queries})["results"]
        single = [self.daemon.plan(world, {"queries": [q]})["results"][0] for q in queries]
        self.assertEqual(batch, single)
        return batch

    def test_where_a_map_lies_does_not_matter(self):
        results = {}
        for name, origin in (("near", (0, 0)), ("far", (500000, 4000000))):
            yaml = YAML.format(resolution="1.0", origin=f"{origin[0]}, {origin[1]}, 0")
            status, reply = self.put_map(f"/v1/worlds/{name}?format=ros-map&unknown=free", yaml, PGM)
            self.assertEqual(status, 201, reply)
            self.assertEqual(reply["bounds"], {"min": list(origin), "max": [origin[0] + 10, origin[1] + 10]})
            results[name] = self.lengths(name, origin)
        for near, far in zip(results["near"], results["far"]):
            self.assertEqual(near["status"], far["status"])
            self.assertAlmostEqual(near.get("length", 0), far.get("length", 0), delta=LENGTH_TOLERANCE)
        self.assertIn("solved", [result["status"] for result in results["near"]])

    def test_unknown_is_counted_and_taken_as_told(self):
        yaml = YAML.format(resolution="0.5", origin="0, 0, 0")
        for unknown, cell in ((None, "@"), ("occupied", "@"), ("free", ".")):
            url = "/v1/worlds/grey?format=ros-map" + (f"&unknown={unknown}" if unknown else "")
            status, reply = self.put_map(url, yaml, PGM)
            self.assertIn(status, (200, 201))
            self.assertEqual(reply["cells"], {"occupied": 7, "free": 91, "unknown": 2})
            self.assertEqual(reply["unknown"], {"taken_as": unknown or "occupied", "fraction": 0.02, "area": 0.5})
            self.assertEqual([w["code"] for w in reply["warnings"]], ["unknown_space"])
            self.assertEqual(reply["obstacles"][0]["rows"][9], "." * 8 + cell * 2)
            # what PUT answers may be put again, and is the same world
            again = self.daemon.must("PUT", "/v1/worlds/grey", reply)
            self.assertEqual((again["revision"], again["fingerprint"]), (reply["revision"], reply["fingerprint"]))

    def test_a_turned_map_is_turned(self):
        # pixel (column 0, row 1) of a 3 x 2 map with origin (10, 20) and a quarter turn lies about (9.5, 20.5)
        image = b"P5 3 2 255\n" + bytes([0, 0, 0, 254, 0, 0])
        yaml = YAML.format(resolution="1.0", origin=f"10, 20, {math.pi / 2}")
        status, reply = self.put_map("/v1/worlds/turned?format=ros-map", yaml, image)
        self.assertEqual(status, 201, reply)
        for value, bound in zip(reply["bounds"]["min"] + reply["bounds"]["max"], (8, 20, 10, 23)):
            self.assertAlmostEqual(value, bound, places=9)
        self.daemon.must("PUT", "/v1/robots/point", {"type": "point"})
        self.daemon.roadmap("turned", {"world": "turned", "robot": "point", "samples": {"count": 20}})
        queries = [{"start": [9.5, 20.5], "goal": [9.5, 20.4]}, {"start": [10.5, 20.5], "goal": [9.5, 20.5]},
                   {"start": [8.5, 20.5], "goal": [9.5, 20.5]}, {"start": [9.5, 21.5], "goal": [9.5, 20.5]}]
        statuses = [r["status"] for r in self.daemon.plan("turned", {"queries": queries})["results"]]
        self.assertEqual(statuses, ["solved", "start_out_of_bounds", "start_in_collision", "start_in_collision"])

    def test_cells_are_found_wherever_the_origin_lies(self):
        self.daemon.must("PUT", "/v1/robots/point", {"type": "point"})
        corner = "255 " * 9 + "0 " + "255 " * 90
        for origin, image, statuses in (
                ("3, 3, 0", b"P5 3 3 255\n" + b"\xff" * 9,
                 {(5.9, 5.9): "solved", (3.1, 3.1): "solved", (2.9, 4): "start_out_of_bounds"}),
                # the cell that ends at 0 is not the one that begins there
                ("-10, -10, 0", f"P2 10 10 255 {corner}".encode(),
                 {(-0.01, -0.01): "start_in_collision", (-0.99, -0.99): "start_in_collision",
                  (-1.01, -0.01): "solved", (-0.01, -1.01): "solved", (0.01, -5): "start_out_of_bounds"})):
            status, reply = self.put_map("/v1/worlds/corner?format=ros-map",
                                         YAML.format(resolution="1.0", origin=origin), image)
            self.assertIn(status, (200, 201), reply)
            self.daemon.roadmap("corner", {"world": "corner", "robot": "point", "samples": {"count": 300}})
            middle = [(a + b) / 2 for a, b in zip(reply["bounds"]["min"], reply["bounds"]["max"])]
            request = {"queries": [{"start": list(point), "goal": middle} for point in statuses]}
            results = self.daemon.plan("corner", request)["results"]
            self.assertEqual([r["status"] for r in results], list(statuses.values()))

    def test_a_map_is_an_obstacle_of_a_flat_world(self):
        self.daemon.must("PUT", "/v1/worlds/flat", {
            "dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]}, "obstacles": []})
        yaml = YAML.format(resolution="1.0", origin="0, 0, 0")
        status, reply = self.put_map("/v1/worlds/flat/obstacles/walls?format=ros-map&pose=1,2,0", yaml, PGM)
        self.assertEqual(status, 201, reply)
        self.assertEqual(reply["cells"]["occupied"], 7)
        walls = self.daemon.must("GET", "/v1/worlds/flat/obstacles/walls")
        self.assertEqual((walls["id"], walls["type"], walls["origin"]), ("walls", "grid", [1, 2, 0]))
        status, reply = self.put_map("/v1/worlds/flat/obstacles/walls?format=ros-map", yaml, PGM)
        self.assertEqual(status, 200, reply)
        self.assertEqual(len(self.daemon.must("GET", "/v1/worlds/flat")["obstacles"]), 1)
        self.daemon.must("DELETE", "/v1/worlds/flat/obstacles/walls")

    def test_maps_go_where_the_request_has_them(self):
        text = b"type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n"
        reply = self.daemon.must("PUT", f"/v1/worlds/moved?format=movingai&resolution=0.5&pose=1,2,{math.pi / 2}", text)
        for value, bound in zip(reply["bounds"]["min"] + reply["bounds"]["max"], (0, 2, 1, 3.5)):
            self.assertAlmostEqual(value, bound, places=9)
        # a second pose adds to the origin that the yaml has
        yaml = YAML.format(resolution="1.0", origin="3, 0, 0")
        status, reply = self.put_map(f"/v1/worlds/moved?format=ros-map&pose=1,2,{math.pi / 2}", yaml, PGM)
        self.assertEqual(status, 200, reply)
        for value, bound in zip(reply["obstacles"][0]["origin"], (1, 5, math.pi / 2)):
            self.assertAlmostEqual(value, bound, places=9)
        status, reply = self.put_map("/v1/worlds/moved?format=ros-map&pose=1e9,1,0",
                                     YAML.format(resolution="1.0", origin="1, 0, 0"), PGM)
        self.assertEqual(status, 422)
        self.assertIn("beyond all places", reply["detail"])

    def test_a_height_field_is_solid(self):
        image = png([[0, 0, 0, 0], [0, 255, 255, 0], [0, 255, 255, 0], [0, 0, 0, 0]])
        status, reply = self.daemon.request("PUT", "/v1/worlds/hill?format=heightfield&height=2&resolution=0.5", image)
        self.assertEqual(status, 201, reply)
        hill = reply["obstacles"][0]
        self.assertEqual((hill["id"], hill["type"], len(hill["boxes"])), ("heightfield", "boxes", 5))
        self.assertIn([1, 1, 0.75, 1, 1, 2.5], hill["boxes"])
        # the box of all, grown by a tenth of its longest edge
        for value, bound in zip(reply["bounds"]["min"] + reply["bounds"]["max"], (-0.25, -0.25, -0.75, 2.25, 2.25, 2.25)):
            self.assertAlmostEqual(value, bound, places=9)
        turned = f"0,0,1,0,0,{math.sqrt(0.5)},{math.sqrt(0.5)}"
        self.daemon.must("PUT", "/v1/worlds/yard", {
            "dimension": 3, "bounds": {"min": [-5, -5, 0], "max": [5, 5, 4]}, "obstacles": []})
        status, reply = self.daemon.request(
            "PUT", f"/v1/worlds/yard/obstacles/hill?format=heightfield&height=2&base=-1&pose={turned}", image)
        self.assertEqual(status, 201, reply)
        hill = self.daemon.must("GET", "/v1/worlds/yard/obstacles/hill")
        self.assertEqual(hill["center"], [0, 0, 1])
        self.assertAlmostEqual(hill["quaternion"][2], math.sqrt(0.5))

    def test_what_is_wrong_is_named(self):
        yaml = YAML.format(resolution="1.0", origin="0, 0, 0")
        headers, body = form(yaml=yaml.encode(), image=PGM)
        only_yaml = form(yaml=yaml.encode())[1]
        odd = form(yaml=yaml.encode(), image=PGM, photo=b"x")[1]
        nan = form(yaml=yaml.replace("0, 0, 0", "0, 0, -nan").encode(), image=PGM)[1]
        short = form(yaml=yaml.encode(), image=PGM[:-40])[1]
        rows = [
            ("ros-map&radius=1", body, 422, "invalid_argument", "format ros-map has no parameter \"radius\""),
            ("ros-map&knots=1", body, 422, "invalid_argument", "\"knots\""),
            ("ros-map&unknown=maybe", body, 422, "invalid_argument", "free or occupied"),
            ("ros-map&unknown=free&unknown=free", body, 422, "invalid_argument", "twice"),
            ("ros-map&pose=2e9,0,0", body, 422, "invalid_argument", "x,y,yaw"),
            ("ros-map&pose=1,2", body, 422, "invalid_argument", "x,y,yaw"),
            ("ros-map", only_yaml, 422, "invalid_argument", "part \"image\""),
            ("ros-map", odd, 422, "unknown_member", "\"photo\""),
            ("ros-map", nan, 422, "invalid_argument", "origin[2]"),
            ("ros-map", short, 422, "invalid_argument", "of 100"),
            ("ros-map", body[:-12], 400, "malformed", "closing delimiter"),
            ("heightfield", PGM, 422, "invalid_argument", "height"),
            ("heightfield&height=-1", PGM, 422, "invalid_argument", "height"),
            ("heightfield&height=1&pose=0,0,0,0,0,0,0", PGM, 422, "invalid_argument", "all zero"),
            ("heightfield&height=0x1", PGM, 422, "invalid_argument", "0x1"),
            ("teapot", PGM, 422, "invalid_argument", "ros-map"),
        ]
        for query, content, status, code, detail in rows:
            with self.subTest(query=query):
                reply = self.daemon.request("PUT", "/v1/worlds/wrong?format=" + query, content, headers)
                self.assertEqual((reply[0], reply[1]["code"]), (status, code), reply)
                self.assertIn(detail, reply[1]["detail"])
        # without its Content-Type a form is known by its first line
        self.assertEqual(self.daemon.request("PUT", "/v1/worlds/plain?format=ros-map", body)[0], 201)
        # not a form, JSON with a file's parameter, a file of another dimension
        status, reply = self.daemon.request("PUT", "/v1/worlds/wrong?format=ros-map", yaml.encode())
        self.assertEqual((status, reply["code"]), (415, "unsupported_media_type"))
        status, reply = self.daemon.request("PUT", "/v1/worlds/wrong?radius=1", {"dimension": 2})
        self.assertEqual(status, 422)
        self.assertIn("JSON has no parameter \"radius\"", reply["detail"])
        self.daemon.must("PUT", "/v1/worlds/solid", {
            "dimension": 3, "bounds": {"min": [0, 0, 0], "max": [1, 1, 1]}, "obstacles": []})
        status, reply = self.daemon.request("PUT", "/v1/worlds/solid/obstacles/a?format=ros-map", body, headers)
        self.assertEqual(status, 422)
        self.assertIn("of 2 dimensions", reply["detail"])

    def test_prm_takes_the_image_beside_the_yaml(self):
        prm = pathlib.Path(BINARY).with_name("prm")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "map.yaml").write_text(YAML.format(resolution="0.1", origin="0, 0, 0"))
            pathlib.Path(folder, "map.pgm").write_bytes(PGM)
            done = subprocess.run(
                [str(prm), "--server", f"http://127.0.0.1:{self.daemon.port}", "world", "put", "beside",
                 f"{folder}/map.yaml", "--set", "unknown=free"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("7 occupied, 91 free, 2 unknown", done.stdout)

    @needs_shared
    def test_maps_of_others(self):
        maps = SHARED / "data/rosmap"
        for yaml, image, cells, origin in (
                ("depot.yaml", "depot.pgm", (5947, 179481, 0), [0, 0, 0]),
                ("testmap.yaml", "testmap.png", (29, 71, 0), [2, 3, 1]),
                ("TenByTen.yaml", "TenByTen.pgm", (20, 78, 2), [0, 0, 0])):
            status, reply = self.put_map(f"/v1/worlds/{image}?format=ros-map", (maps / yaml).read_bytes(),
                                         (maps / image).read_bytes())
            self.assertEqual(status, 201, reply)
            self.assertEqual(tuple(reply["cells"][k] for k in ("occupied", "free", "unknown")), cells)
            self.assertEqual(reply["obstacles"][0]["origin"], origin)
        low = (maps / "depot.yaml").read_bytes().replace(b"free_thresh: 0.25", b"free_thresh: 0.196")
        status, reply = self.put_map("/v1/worlds/depot.pgm?format=ros-map", low, (maps / "depot.pgm").read_bytes())
        self.assertEqual(reply["cells"], {"occupied": 5947, "free": 170587, "unknown": 8894})

    @needs_shared
    def test_solid_files_of_others(self):
        for name, kind, query in (
                ("octomap/geb079.bt", "boxes", "format=octomap"), ("clouds/milk.pcd", "points", "format=pcd&radius=0.01"),
                ("clouds/cube.ply", "mesh", "format=ply"), ("meshes/cone.stl", "mesh", "format=stl"),
                ("meshes/timber_beam.obj", "mesh", "format=obj"),
                ("scenes/moveit2_test_new_format.scene", None, "format=scene")):
            with self.subTest(name=name):
                data = (SHARED / "data" / name).read_bytes()
                here = self.daemon.must("PUT", f"/v1/worlds/solid-file?{query}", data)
                there = self.daemon.must("PUT", f"/v1/worlds/solid-file?{query}&pose=10,-20,30,0,0,0,1", data)
                if kind:
                    self.assertEqual([(o["id"], o["type"]) for o in here["obstacles"]],
                                     [(query.split("&")[0].split("=")[1], kind)])
                # what moves the content moves the bounds
                for corner in ("min", "max"):
                    for axis, shift in enumerate((10, -20, 30)):
                        self.assertAlmostEqual(there["bounds"][corner][axis], here["bounds"][corner][axis] + shift, 6)
                again = self.daemon.must("PUT", "/v1/worlds/solid-file", there)
                self.assertEqual(again["fingerprint"], there["fingerprint"])


if __name__ == "__main__":
    main()
