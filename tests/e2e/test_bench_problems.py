"""Quality on the bench problems: solved share, lengths against the peer's, every path judged by the oracle.

Speeds are measured by the benchmark, not here.
"""
import json
import statistics

from daemon import SHARED, DaemonTest, check_paths, main, needs_shared

# mean shortest length of OMPL's roadmap of 10 000 milestones on the same problem
PEER_LENGTH = {"p1": 364.0, "p2": 7.52}
SOLVED_SHARE = 0.99


@needs_shared
class BenchProblems(DaemonTest):
    def load(self, problem):
        folder = SHARED / "data/bench" / problem
        return [json.loads((folder / f"{part}.json").read_text()) for part in ("world", "robot", "request")]

    def mean_length(self, world, robot, request, k, **members):
        self.daemon.roadmap("m", {"world": "w", "robot": "r", "samples": {"count": 10000},
                                  "neighbors": {"k": k}})
        request = {**request, **members}
        reply = self.daemon.plan("m", request)
        solved = [r["length"] for r in reply["results"] if r["status"] == "solved"]
        self.assertGreaterEqual(len(solved), SOLVED_SHARE * len(request["queries"]))
        status, output = check_paths(world, robot, request, reply)
        self.assertEqual(status, 0, output[-2000:])
        return statistics.mean(solved)

    def test_quality(self):
        for problem, peer in PEER_LENGTH.items():
            world, robot, request = self.load(problem)
            self.daemon.must("PUT", "/v1/worlds/w", world)
            self.daemon.must("PUT", "/v1/robots/r", robot)
            for k, members, ratio in ((10, {"simplify": False}, 1.08), (16, {"simplify": False}, 1.05),
                                      (10, {"simplify": True}, 1.0)):
                with self.subTest(problem=problem, k=k, **members):
                    mean = self.mean_length(world, robot, request, k, **members)
                    self.assertLess(mean, ratio * peer)
            self.daemon.must("DELETE", "/v1/roadmaps/m")


if __name__ == "__main__":
    main()
