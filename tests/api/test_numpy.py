"""Goal: what numpy writes is read, and what is written numpy reads, item for item.

Method: arrays by numpy.save, savez and savez_compressed through the program numpy_exchange (its path is the
argument) and back by numpy.load. Oracle: numpy. Without numpy the test is skipped (status 77).
"""
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    sys.exit(77)

PROGRAM = None


def exchange(op, kind, body, **options):
    """The reply's arrays by name, or the problem that the request got."""
    with tempfile.TemporaryDirectory() as folder:
        request, reply = pathlib.Path(folder, "request"), pathlib.Path(folder, "reply.npz")
        request.write_bytes(body)
        arguments = [f"{key}={value}" for key, value in options.items()]
        done = subprocess.run([PROGRAM, op, "application/x-" + kind, request, reply, *arguments],
                              stdout=subprocess.PIPE, check=False)
        if done.returncode == 1:
            return json.loads(done.stdout)
        if done.returncode != 0:
            raise AssertionError(f"status {done.returncode}")
        with numpy.load(reply, allow_pickle=False) as archive:
            return dict(archive)


def npy(array, version=None):
    out = io.BytesIO()
    if version is None:
        numpy.save(out, array)
    else:
        numpy.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def npz(write, **members):
    out = io.BytesIO()
    write(out, **members)
    return out.getvalue()


class Arrays(unittest.TestCase):
    def same(self, got, want, dtype):
        self.assertEqual(got.dtype, dtype)
        self.assertTrue(numpy.array_equal(got, want))

    def test_types(self):
        for source, target in [("u4", "u4"), ("i4", "i4"), ("f4", "f4"), ("u8", "u8"), ("f8", "f4"),
                               ("i8", "u4"), ("u1", "u4"), ("b1", "u4")]:
            for length in (0, 1, 1000):
                keys = (numpy.arange(length) % 2).astype(source)
                self.same(exchange("sort", "npy", npy(keys))["keys"], keys.astype(target), target)

    def test_versions(self):
        keys = numpy.arange(10, dtype="u4")
        for version in [(1, 0), (2, 0), (3, 0)]:
            self.same(exchange("sort", "npy", npy(keys, version))["keys"], keys, "u4")

    def test_rows(self):
        points = numpy.random.default_rng(1).normal(size=(100, 7))
        got = exchange("knn", "npy", npy(points), k=3)
        self.same(got["points"], points.astype("f4"), "f4")
        self.assertEqual(got["k"], 3)
        edges = numpy.array([[0, 1], [1, 2]])
        self.same(exchange("bfs", "npy", npy(edges), vertices=3, sources="[0]")["edges"], edges, "u4")

    def test_archives(self):
        generator = numpy.random.default_rng(2)
        keys = generator.integers(0, 2**64, 1000, dtype="u8")
        values = generator.normal(size=1000).astype("f4")
        for write in (numpy.savez, numpy.savez_compressed):
            body = npz(write, keys=keys, values=values, segment_size=10, type="u64", descending=True)
            got = exchange("sort", "npz", body)
            self.same(got["keys"], keys, "u8")
            self.same(got["values"], values, "f4")
            self.assertEqual(got["segment_size"], 10)
            self.assertEqual(str(got["device"]), "none")
            self.assertEqual(got["timing_ms.total"], 0)

    def test_large(self):
        values = numpy.arange(16 << 20, dtype="u4")
        got = exchange("scan", "npy", npy(values))
        self.same(got["values"], values, "u4")
        print(f"16 Mi elements: parsed in {float(got['timing_ms.parse']):.1f} ms", file=sys.stderr)
        problem = exchange("scan", "npy", npy(numpy.zeros((16 << 20) + 1, dtype="u4")))
        self.assertEqual(problem["code"], "limit_exceeded")
        self.assertEqual(problem["limit"], 16 << 20)

    def test_refused(self):
        for array in [numpy.zeros((3, 3), order="F"), numpy.zeros(3, ">u4"), numpy.zeros(3, "c8"),
                      numpy.zeros(3, [("a", "u4")]), numpy.array(["a"]), numpy.zeros((1, 1, 1, 1))]:
            self.assertIn(exchange("knn", "npy", npy(array), k=1)["status"], (415, 422))
        self.assertEqual(exchange("scan", "npy", npy(numpy.array([1, 2, 3.5])))["pointer"], "/values/2")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
