"""The algorithms on their own over HTTP: the published vectors, every operation's options, arrays as .npy and .npz
written and read here by hand, large ones, faults that name the element, and the client."""
import array
import io
import json
import math
import os
import pathlib
import random
import statistics
import struct
import subprocess
import tempfile
import zipfile
import zlib

from daemon import BINARY, DaemonTest, main

NPY, NPZ = "application/x-npy", "application/x-npz"
TYPES = {"<u4": "I", "<i4": "i", "<f4": "f", "<u8": "Q", "<i8": "q", "<f8": "d"}


def npy(descr, values, shape=None):
    """An .npy file of numbers."""
    shape = shape if shape is not None else (len(values),)
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
            + struct.pack(f"<{len(values)}{TYPES[descr]}", *values))


def read_npy(data):
    """(shape, flat values) of an .npy file."""
    assert data[:6] == b"\x93NUMPY", data[:20]
    length, = struct.unpack_from("<H", data, 8)
    head = eval(data[10:10 + length], {"__builtins__": {}})  # a literal, as the format says
    assert (10 + length) % 64 == 0 and not head["fortran_order"]
    count = 1
    for axis in head["shape"]:
        count *= axis
    if head["descr"].startswith("<U"):
        return head["shape"], data[10 + length:].decode("utf-32-le").rstrip("\0")
    return head["shape"], list(struct.unpack_from(f"<{count}{TYPES[head['descr']]}", data, 10 + length))


def npz(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name + ".npy", data)
    return out.getvalue()


def read_npz(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name[:-4]: read_npy(archive.read(name)) for name in archive.namelist()}


def philox(block, seed):
    """Philox 4x32-10 (Salmon et al. 2011) of the counter (block, 0, 0, 3) under the seed."""
    c = [block & 0xFFFFFFFF, block >> 32, 0, 3]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [second >> 32 ^ c[1] ^ key[0], second & 0xFFFFFFFF, first >> 32 ^ c[3] ^ key[1], first & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


class Vectors(DaemonTest):
    """What the sources print."""

    def compute(self, op, **body):
        reply = self.daemon.must("POST", "/v1/compute/" + op, body)
        self.assertTrue(reply["device"])
        self.assertGreaterEqual(reply["timing_ms"]["total"], 0)
        return reply

    def test_lists(self):
        for method in ("auto", "blelloch", "hillis-steele"):
            reply = self.compute("scan", values=[3, 1, 7, 0, 4, 1, 6, 3], method=method)
            self.assertEqual((reply["values"], reply["total"]), ([0, 3, 4, 11, 11, 15, 16, 22], 25))
        values = [13, 2, 7, 10, 4, 15, 0, 9]
        reply = self.compute("compact", values=values, flags=[v % 2 for v in values])
        self.assertEqual((reply["values"], reply["indices"], reply["count"]), ([13, 7, 15, 9], [0, 2, 5, 7], 4))
        self.assertEqual(self.compute("repeats", values=[3, 4, 4, 5, 6, 7, 7])["indices"], [1, 5])
        reply = self.compute("unique", values=[1, 1, 2, 5, 5, 5])
        self.assertEqual((reply["values"], reply["start"], reply["count"]), ([1, 2, 5], [0, 2, 3], [2, 1, 3]))
        self.assertEqual(self.compute("split", values=[6, 3, 8, 5, 1, 4], bit=0)["values"], [6, 8, 4, 3, 5, 1])
        for bit, after in enumerate(([2, 10, 4, 0, 13, 7, 15, 9], [4, 0, 13, 9, 2, 10, 7, 15],
                                     [0, 9, 2, 10, 4, 13, 7, 15], [0, 2, 4, 7, 9, 10, 13, 15])):
            values = self.compute("split", values=values, bit=bit)["values"]
            self.assertEqual(values, after)
        a = [3, 4, 4, 5, 6, 7, 7]
        reply = self.compute("bin", values=a, edges=[3, 4, 5, 6, 7, 8])
        self.assertEqual((reply["members"], reply["offsets"]), ([0, 1, 2, 3, 4, 5, 6], [0, 1, 3, 4, 5, 7]))
        reply = self.compute("bin", values=a, intervals=[[3, 8], [4, 6], [9, 9]])
        self.assertEqual((reply["members"], reply["offsets"]), ([0, 1, 2, 3, 4, 5, 6, 1, 2, 3], [0, 7, 10, 10]))
        self.assertEqual(self.compute("histogram", values=a, bins=5, min=3, max=8)["counts"], [1, 2, 1, 1, 2])

    def test_order(self):
        reply = self.compute("sort", keys=[2, 6, 1, 9], values=[0.5, 1.5, 2.5, 3.5])
        self.assertEqual((reply["keys"], reply["permutation"], reply["inverse_permutation"], reply["values"]),
                         ([1, 2, 6, 9], [1, 2, 0, 3], [2, 0, 1, 3], [2.5, 0.5, 1.5, 3.5]))
        self.assertEqual(self.compute("sort", keys=[5, 3, 9, 1, 8, 2, 7, 0], segment_size=4)["keys"],
                         [1, 3, 5, 9, 0, 2, 7, 8])
        self.assertEqual(self.compute("sort", keys=[2, 6, 2, 9], descending=True)["permutation"], [2, 1, 3, 0])
        reply = self.compute("rank", next=[3, 4, 7, 6, 4, 2, 1, 0])
        self.assertEqual((reply["rank"], reply["rounds"]), ([4, 1, 6, 3, 0, 7, 2, 5], 3))
        order = list(range(1000))
        random.Random(1).shuffle(order)
        successor = [0] * 1000
        for at, element in enumerate(order):
            successor[element] = order[min(at + 1, 999)]
        self.assertEqual(self.compute("rank", next=successor)["rounds"], 10)
        reply = self.compute("hash", keys=[10, 20, 30], values=[1, 2, 3], queries=[30, 11, 10])
        self.assertEqual((reply["values"], reply["attempts"]), ([3, None, 1], 1))
        reply = self.compute("hash", keys=[10, 20, 30], queries=[30, 11, 10])
        self.assertEqual(reply["values"], [2, None, 0])

    def test_neighbours_and_graphs(self):
        points = [[0, 0], [3, 0], [0, 4], [10, 10]]
        reply = self.compute("knn", points=points, k=2)
        self.assertEqual((reply["indices"][0], reply["distances"][0], reply["recall"]), ([1, 2], [3, 4], 1))
        reply = self.compute("knn", points=points, queries=[[0, 1]], k=3, radius=3.5, weights=[1, 0.5])
        self.assertEqual((reply["indices"], reply["distances"][0][0]), ([[0, 2, 1]], 0.5))
        # two triangles, a bridge, a vertex apart
        edges = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 5], [5, 3]]
        reply = self.compute("bfs", vertices=7, edges=edges, sources=[0, 6])
        self.assertEqual(reply["levels"], [[0, 1, 1, 2, 3, 3, None], [None] * 6 + [0]])
        self.assertEqual(reply["parents"], [[0, 0, 0, 2, 3, 3, None], [None] * 6 + [6]])
        reply = self.compute("bfs", vertices=7, edges=edges, sources=[0], weights=[1, 1, 5, 1, 1, 1, 1])
        self.assertEqual((reply["costs"], reply["parents"]), ([[0, 1, 2, 3, 4, 4, None]], [[0, 0, 1, 2, 3, 3, None]]))

    def test_samples(self):
        first = self.compute("sample", count=500, dimension=3, seed=7, min=-1, max=[1, 2, 3])["values"]
        self.assertEqual(first, self.compute("sample", count=500, dimension=3, seed=7, min=-1, max=[1, 2, 3])["values"])
        self.assertTrue(all(-1 <= row[d] < d + 1 for row in first for d in range(3)))
        halton = self.compute("sample", count=4, dimension=2, seed=0, distribution="halton")["values"]
        self.assertEqual([row[0] for row in halton], [0.5, 0.25, 0.75, 0.125])

    def test_philox_and_normal(self):
        words = [word for block in range(150) for word in philox(block, seed=7)]
        reply = self.compute("sample", count=200, dimension=3, seed=7, generator="philox")["values"]
        self.assertEqual([round(x * 2**24) for row in reply for x in row], [word >> 8 for word in words])

        # each pair of a normal sample is Box & Muller's of two words
        reply = self.compute("sample", count=200, dimension=3, seed=7, generator="philox", distribution="normal")["values"]
        normals = [x for row in reply for x in row]
        for j in range(0, 600, 2):
            radius = math.sqrt(-2 * math.log(((words[j] >> 8) + 1) / 2**24))
            angle = 2 * math.pi * (words[j + 1] >> 8) / 2**24
            self.assertAlmostEqual(normals[j], radius * math.cos(angle), delta=2e-6)
            self.assertAlmostEqual(normals[j + 1], radius * math.sin(angle), delta=2e-6)
        twister = self.compute("sample", count=5000, seed=3, distribution="normal")["values"]
        values = [row[0] for row in twister]
        self.assertLess(abs(statistics.fmean(values)), 0.06)
        self.assertLess(abs(statistics.pstdev(values) - 1), 0.05)

    def test_faults_name_the_element(self):
        for op, body, pointer, text in (
                ("histogram", {"values": [1], "bins": -3, "min": 0, "max": 1}, "/bins", ""),
                ("hash", {"keys": [7, 8, 7], "values": [1, 2, 3], "queries": []}, "/keys/2", "0"),
                ("rank", {"next": [1, 0]}, "/next/0", "cycle"),
                ("rank", {"next": [0, 5]}, "/next/1", "5"),
                ("unique", {"values": [1, 3, 2]}, "/values/2", "sorted"),
                ("scan", {"values": [1, 2.5]}, "/values/1", ""),
                ("sort", {"keys": [1], "type": "u31"}, "/type", "")):
            with self.subTest(op=op, body=body):
                status, problem = self.daemon.request("POST", "/v1/compute/" + op, body)
                self.assertEqual((status, problem["pointer"]), (422, pointer), problem)
                self.assertIn(text, problem["detail"])
        status, problem = self.daemon.request("POST", "/v1/compute/skan", {"values": []})
        self.assertEqual((status, problem["code"]), (404, "unknown_route"))


class Arrays(DaemonTest):
    """numpy's formats both ways."""

    def post(self, op, body, content_type=NPY, accept=NPZ):
        headers = {"Content-Type": content_type, "Accept": accept}
        status, headers, data = self.daemon.raw("POST", "/v1/compute/" + op, body, headers)
        self.assertEqual(status, 200, data[:500])
        self.assertEqual(headers["Content-Type"], accept)
        return read_npz(data) if accept == NPZ else json.loads(data)

    def test_npy_in_npz_out(self):
        reply = self.post("scan?exclusive=false", npy("<u4", [1, 2, 3]))
        self.assertEqual((reply["values"], reply["total"]), (((3,), [1, 3, 6]), ((), [6])))
        self.assertTrue(reply["device"][1])
        self.assertGreaterEqual(reply["timing_ms.total"][1][0], 0)
        # by its first bytes, and an answer in JSON
        reply = self.post("scan", npy("<i4", [-1, 2]), "application/octet-stream", "application/json")
        self.assertEqual((reply["values"], reply["total"]), ([0, -1], 1))
        # wide keys, whose order is not that of doubles
        keys = [2**63 + 1, 2**63, 5, 2**64 - 1]
        reply = self.post("sort?type=u64&descending=true", npy("<u8", keys))
        self.assertEqual(reply["keys"][1], sorted(keys, reverse=True))
        reply = self.post("knn?k=1&method=exact", npy("<f4", [0, 0, 1, 0, 5, 5], (3, 2)))
        self.assertEqual((reply["indices"], reply["distances"][1][:2]), (((3, 1), [1, 0, 1]), [1, 1]))

    def test_npz(self):
        body = npz(keys=npy("<u4", [10, 20, 30]), values=npy("<f4", [1, 2, 3]), queries=npy("<u4", [30, 11]),
                   gamma=npy("<f8", [0.5], ()))
        reply = self.post("hash", body, NPZ)
        self.assertEqual((reply["values"][1][0], reply["present"][1]), (3, [1, 0]))

    def test_a_million(self):
        count, generator = 1_000_000, random.Random(3)
        keys = [generator.getrandbits(32) for _ in range(count)]
        data = npy("<u4", keys)
        reply = self.post("sort", data)
        self.assertEqual(reply["keys"][1], sorted(keys))
        order = reply["inverse_permutation"][1]
        self.assertEqual(zlib.crc32(struct.pack(f"<{count}I", *(keys[i] for i in order))),
                         zlib.crc32(struct.pack(f"<{count}I", *reply["keys"][1])))
        reply = self.post("scan", data)
        self.assertEqual(reply["total"][1], [sum(keys)])
        self.assertEqual(reply["values"][1][-1], sum(keys[:-1]) % 2**32)

    def test_refusals(self):
        for content_type, body, status in (("text/plain", b"1", 415), ("application/octet-stream", b"1,2", 415),
                                           (NPY, b"1,2", 400), (NPZ, b"PK\x03\x04", 400)):
            got, problem = self.daemon.request("POST", "/v1/compute/scan", body, {"Content-Type": content_type})
            self.assertEqual(got, status, problem)
        got, problem = self.daemon.request("POST", "/v1/compute/sample", npy("<u4", [1]), {"Content-Type": NPY})
        self.assertEqual(got, 415, problem)
        got, problem = self.daemon.request("POST", "/v1/compute/scan", {"values": []}, {"Accept": "text/html"})
        self.assertEqual(got, 406, problem)


class Largest(DaemonTest):
    """As many elements as the limit allows, and one more."""
    ELEMENTS = 16 << 20

    def post(self, op, count):
        # descending: each value once, sums known
        values = array.array("I", range(count - 1, -1, -1))
        headers = {"Content-Type": NPY, "Accept": NPZ}
        return self.daemon.raw("POST", "/v1/compute/" + op, npy("<u4", [], (count,)) + values.tobytes(), headers)

    def member(self, data, name):
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(name + ".npy") as file:
            head = file.read(10)
            file.read(struct.unpack_from("<H", head, 8)[0])
            return array.array("I", file.read())

    def test_the_limit(self):
        count = self.ELEMENTS
        status, _, data = self.post("sort", count)
        self.assertEqual(status, 200, data[:300])
        self.assertEqual(self.member(data, "keys"), array.array("I", range(count)))
        status, _, data = self.post("scan", count)
        self.assertEqual(status, 200, data[:300])
        sums = self.member(data, "values")
        for i in (0, 1, 2, count // 2, count - 1):
            self.assertEqual(sums[i], (i * (count - 1) - i * (i - 1) // 2) % 2**32)

    def test_one_more(self):
        status, _, data = self.post("scan", self.ELEMENTS + 1)
        problem = json.loads(data)
        self.assertEqual((status, problem["code"]), (422, "limit_exceeded"), problem)
        self.assertEqual((problem["limit"], problem["flag"]), (self.ELEMENTS, "--max-compute-elements"))


class Client(DaemonTest):
    def test_prm_compute(self):
        prm = pathlib.Path(BINARY).with_name("prm")
        environment = {**os.environ, "PRM_SERVER": f"http://127.0.0.1:{self.daemon.port}"}

        def run(*arguments, stdin=b""):
            return subprocess.run([prm, "compute", *arguments], env=environment, input=stdin, capture_output=True,
                                  check=False, timeout=60)

        done = run("scan", "-", stdin=b'{"values":[1,2,3]}')
        self.assertEqual((done.returncode, json.loads(done.stdout)["values"]), (0, [0, 1, 3]))
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "keys.npy"), pathlib.Path(folder, "sorted.npz")
            source.write_bytes(npy("<i4", [3, -1, 2]))
            done = run("sort", str(source), "--set", "descending=true", "--save", str(target))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(read_npz(target.read_bytes())["keys"], ((3,), [3, 2, -1]))
        self.assertEqual(run("rank", "-", stdin=b'{"next":[1,0]}').returncode, 4)


class Between(DaemonTest):
    """A long computation gives way to plans."""
    arguments = ("--max-compute-elements", "100000000")

    def test_plans_go_between(self):
        self.daemon.must("PUT", "/v1/worlds/w", {"dimension": 2, "bounds": {"min": [0, 0], "max": [9, 9]}})
        self.daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        self.daemon.roadmap("m", {"world": "w", "robot": "r", "samples": {"count": 500}})
        count, generator = 60_000, random.Random(5)
        # kernels of this dimension are compiled when they are first met
        self.daemon.must("POST", "/v1/compute/knn?k=10&method=exact", npy("<f4", [0] * 6, (1, 6)),
                         {"Content-Type": NPY})
        points = npy("<f4", [generator.random() for _ in range(6 * count)], (count, 6))
        with tempfile.TemporaryFile() as out:
            body = pathlib.Path(self.daemon.folder.name, "points.npy")
            body.write_bytes(points)
            long = subprocess.Popen(["curl", "-s", "--data-binary", f"@{body}", "-H", "Content-Type: " + NPY, "-H",
                                     "Accept: " + NPZ, "-o", "/dev/null", "-w", "%{http_code}",
                                     f"http://127.0.0.1:{self.daemon.port}/v1/compute/knn?k=10&method=exact"],
                                    stdout=out)
            answered = 0
            while long.poll() is None:
                reply = self.daemon.plan("m", {"queries": [{"start": [1, 1], "goal": [8, 8]}]})
                self.assertLess(reply["timing_ms"]["queue"], 1000)
                answered += 1
            out.seek(0)
            self.assertEqual(out.read(), b"200")
            self.assertGreater(answered, 5)


if __name__ == "__main__":
    main()
