#!/usr/bin/env python3
"""Judges the answers of a plan request of a robot that turns or bends, in double precision, sharing no code with the
service.

  check_motions.py WORLD ROBOT REQUEST ANSWER

WORLD is a MoveIt scene (.scene), a ROS map (.yaml) or an OctoMap (.bt); ROBOT a URDF, with an SRDF of the same name
beside it, or JSON of a ball or a footprint. A path must begin and end exactly at its query's states (but for whole
turns), stay within the limits, be as long as it says, and be free: a segment is halved until the clearance at a piece's
middle exceeds how far any point may move from there, or until pieces move less than four millimetres. Prints each
violation and a summary; exit status 1 with violations, 2 where the files cannot be judged.
"""
import json
import math
import sys

import motion

PIECE_M = 4e-3  # pieces that move less count as free unless their middle collides
LENGTH_TOLERANCE = 1e-6


class Judge:
    def __init__(self, robot):
        self.robot, self.violations, self.looked = robot, 0, 0

    def violation(self, index, text):
        self.violations += 1
        print(f"query {index}: {text}")

    def segment_free(self, a, b):
        middle = self.robot.interpolate(a, b, 0.5)
        self.looked += 1
        clearance, moved = self.robot.clearance(middle), self.robot.motion(a, b) / 2
        if clearance <= 0:
            return False
        if clearance > moved or moved < PIECE_M / 2:
            return True
        return self.segment_free(a, middle) and self.segment_free(middle, b)

    def path(self, index, query, result):
        path, robot = result["path"], self.robot
        goal = query["goal"] if "goal" in query else query["goals"][result["goal_index"]]
        if not robot.same(path[0], query["start"]) or not robot.same(path[-1], goal):
            self.violation(index, "the path's ends are not the query's")
        length = 0
        for i, (a, b) in enumerate(zip(path, path[1:])):
            length += robot.distance(a, b)
            if not self.segment_free(a, b):
                self.violation(index, f"segment {i} collides")
        for i, q in enumerate(path):
            if robot.clearance(q) <= 0:
                self.violation(index, f"way-point {i} collides")
            if not robot.within_limits(q):
                self.violation(index, f"way-point {i} is beyond a limit")
        if not abs(length - result["length"]) <= LENGTH_TOLERANCE * (1 + length):
            self.violation(index, f"the length is given as {result['length']}, the path measures {length:.9g}")

    def all(self, request, answer):
        queries, results = request["queries"], answer["results"]
        if len(queries) != len(results):
            self.violation("-", f"{len(results)} results for {len(queries)} queries")
        solved = 0
        for index, (query, result) in enumerate(zip(queries, results)):
            if query.get("id") != result.get("id"):
                self.violation(index, "another id")
            if result["status"] == "solved":
                solved += 1
                self.path(index, query, result)
        print(f"{len(queries)} queries, {solved} solved, {self.looked} states looked at, {self.violations} violations")


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    try:
        world = motion.read_world(sys.argv[1])
        robot = motion.read_robot(sys.argv[2], world)
        request, answer = (json.load(open(path, encoding="utf-8")) for path in sys.argv[3:])
        judge = Judge(robot)
        judge.all(request, answer)
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as fault:
        print(f"check_motions: {fault!r}", file=sys.stderr)
        sys.exit(2)
    sys.exit(judge.violations > 0)


if __name__ == "__main__":
    main()
