"""Queries that the roadmap alone cannot answer: out of a bug trap and into a pocket, over HTTP."""
import threading
import time

from daemon import SHARED, DaemonTest, check_paths, main

WORLD = {"dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]}, "obstacles": [
    {"type": "rectangle", "center": center, "size": size} for center, size in (
        ([5, 3], [4, 0.2]), ([5, 7], [4, 0.2]), ([3, 5], [0.2, 4]), ([7, 3.8], [0.2, 1.6]),
        ([7, 6.2], [0.2, 1.6]), ([6.4, 4.65], [1.2, 0.1]), ([6.4, 5.35], [1.2, 0.1]), ([4.8, 5], [0.1, 1.4]),
        # a room without a door
        ([1, 0.5], [1.2, 0.1]), ([1, 1.5], [1.2, 0.1]), ([0.5, 1], [0.1, 1.2]), ([1.5, 1], [0.1, 1.2]))]}
ROBOT = {"type": "ball", "radius": 0.02}
TRAPPED = {"start": [4, 5], "goal": [9, 1]}
CLOSED = {"start": [1, 1], "goal": [9, 9]}
OPEN = {"start": [9, 9], "goal": [9, 1]}


class Expand(DaemonTest):
    def setUp(self):
        self.daemon.must("PUT", "/v1/worlds/trap", WORLD)
        self.daemon.must("PUT", "/v1/robots/ball", ROBOT)
        self.daemon.roadmap("trap", {"world": "trap", "robot": "ball", "seed": 3, "samples": {"count": 30},
                                     "neighbors": {"k": 8}})

    def test_out_of_a_trap(self):
        off = self.daemon.plan("trap", {"queries": [TRAPPED, OPEN], "expand": {"samples": 0}})
        self.assertNotEqual(off["results"][0]["status"], "solved")
        self.assertEqual(off["results"][1]["status"], "solved")

        request = {"queries": [TRAPPED, OPEN, CLOSED]}
        reply = self.daemon.plan("trap", request)
        trapped, in_the_open, closed = reply["results"]
        self.assertEqual(trapped["status"], "solved")
        self.assertIs(trapped["expanded"], True)
        self.assertEqual((trapped["path"][0], trapped["path"][-1]), (TRAPPED["start"], TRAPPED["goal"]))
        self.assertEqual(in_the_open, off["results"][1])
        self.assertIn(closed["status"], ("no_path", "start_not_connected"))
        self.assertNotIn("expanded", closed)
        self.assertGreater(reply["timing_ms"]["expand"], 0)
        if (SHARED / "tools").is_dir():
            status, output = check_paths(WORLD, ROBOT, request, reply, "--allow-failed", "1")
            self.assertEqual(status, 0, output[-2000:])

        # the same in any batch, and again
        for queries in ([TRAPPED], [OPEN] * 20 + [TRAPPED]):
            again = self.daemon.plan("trap", {"queries": queries})["results"][-1]
            self.assertEqual(again, trapped)

    def test_growing_delays_nobody(self):
        answers = []
        hopeless = {"queries": [CLOSED] * 100, "expand": {"samples": 2000}}
        thread = threading.Thread(target=lambda: answers.append(self.daemon.plan("trap", hopeless)))
        thread.start()
        time.sleep(0.2)
        asked = time.monotonic()
        self.daemon.plan("trap", {"queries": [OPEN]})
        waited = time.monotonic() - asked
        thread.join()
        self.assertEqual({r["status"] for r in answers[0]["results"]} & {"solved"}, set())
        # of all that the growth took, only a step or so
        self.assertLess(waited, 0.2 + answers[0]["timing_ms"]["total"] / 1e3 / 4)


if __name__ == "__main__":
    main()
