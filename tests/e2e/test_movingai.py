"""Lattice roadmaps on the MovingAI benchmarks give the published optimum of every scenario line.

Oracle: the optimum in the scenario files (0 with start != goal means no path), and check_paths.py.
"""

from daemon import SHARED, DaemonTest, check_paths, main, needs_shared

# published optima have as few as two decimals
TOLERANCE = 0.0051
ALL_LINES, A_TENTH = 1, 10
MAPS = [("arena", ALL_LINES), ("den312d", ALL_LINES), ("32room_000", ALL_LINES), ("lak110d", A_TENTH),
        ("maze512-32-0", A_TENTH), ("random512-40-0", A_TENTH)]


@needs_shared
class MovingAI(DaemonTest):
    def scenarios(self, name, every):
        path = SHARED / f"data/movingai/{name}.map.scen"
        lines = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
        return [line for line in lines if len(line) == 9][::every]

    def test_published_optima(self):
        self.daemon.must("PUT", "/v1/robots/point", {"type": "point"})
        for name, every in MAPS:
            with self.subTest(map=name):
                self.check_map(name, every)

    def check_map(self, name, every):
        path = SHARED / f"data/movingai/{name}.map"
        text = path.read_bytes()
        height = int(text.replace(b"\r", b"").split(b"height ")[1].split(b"\n")[0])
        lines = self.scenarios(name, every)
        self.daemon.must("PUT", "/v1/worlds/map?format=movingai", text, {"Content-Type": "text/plain"})
        self.daemon.roadmap("map", {"world": "map", "robot": "point", "samples": {"method": "lattice"},
                                    "neighbors": {"k": 8, "radius": 1.5}})
        request = {"simplify": False, "queries": [
            {"id": i, "start": [int(l[4]) + 0.5, height - int(l[5]) - 0.5],
             "goal": [int(l[6]) + 0.5, height - int(l[7]) - 0.5]} for i, l in enumerate(lines)]}
        reply = self.daemon.plan("map", request)
        for line, result in zip(lines, reply["results"]):
            no_path = float(line[8]) == 0 and line[4:6] != line[6:8]
            self.assertEqual(result["status"] == "solved", not no_path, (line, result))
            if not no_path:
                self.assertAlmostEqual(result["length"], float(line[8]), delta=TOLERANCE, msg=line)
        short = self.daemon.plan("map", {**request, "simplify": True})
        for line, result in zip(lines, short["results"]):
            if result["status"] == "solved":
                self.assertLessEqual(result["length"], float(line[8]) + TOLERANCE, line)
        # the oracle walks cells in Python: a part of the long paths is enough
        part = slice(None, None, max(1, len(lines) // 100))
        for answer in (reply, short):
            some = {"queries": request["queries"][part]}
            status, output = check_paths(path, {"type": "point"}, some, {"results": answer["results"][part]})
            self.assertEqual(status, 0, output[-2000:])
        self.daemon.must("DELETE", "/v1/roadmaps/map")


if __name__ == "__main__":
    main()
