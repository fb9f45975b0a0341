#!/usr/bin/env python3
"""What samplers and trees bring where the way out is narrow: a table of solved queries, by method and milestones.

  trap_table.py            against the server at $PRM_SERVER, or http://127.0.0.1:7767

The world is examples/trap: a trap whose mouth is a channel 5 m long that leads inwards, wider than the robot by 20 cm,
then by 6. The queries lead out of it, ten for each of ten seeds; the roadmaps are built anew for each seed.
"""
import json
import os
import pathlib
import random
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent.parent / "trap"
SERVER = os.environ.get("PRM_SERVER", "http://127.0.0.1:7767")
COUNTS, SEEDS, QUERIES = (250, 500, 1000, 2000), 10, 10
RADII = (0.3, 0.37)
METHODS = (("uniform", "uniform"), ("halton", "halton"),
           ("gaussian, half", {"uniform": 0.5, "gaussian": 0.5}), ("bridge, half", {"uniform": 0.5, "bridge": 0.5}),
           ("obstacle, half", {"uniform": 0.5, "obstacle": 0.5}))


def call(method, path, body):
    request = urllib.request.Request(SERVER + path, json.dumps(body).encode() if body is not None else None,
                                     {"Content-Type": "application/json", "Prefer": "wait=600"}, method=method)
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read() or b"null")


def queries(seed):
    """From within the trap, beside its channel, to outside."""
    draws = random.Random(seed)
    for i in range(QUERIES):
        goal = (10, 10)
        while 3 < goal[0] < 17 and 3 < goal[1] < 17:
            goal = (draws.uniform(0.5, 19.5), draws.uniform(0.5, 19.5))
        yield {"id": i, "start": [draws.uniform(5, 10), draws.uniform(5, 15)], "goal": list(goal)}


def solved(method, count, seed):
    """Of the queries, by the roadmap alone and with trees."""
    call("PUT", "/v1/roadmaps/trap", {"world": "trap", "robot": "bug", "seed": seed, "neighbors": {"k": 10},
                                      "samples": {"count": count, "method": method}})
    asked = list(queries(seed))
    alone, grown = (call("POST", "/v1/roadmaps/trap/plan", {"queries": asked, "expand": {"samples": samples}})
                    for samples in (0, 1000))
    return alone["summary"]["solved"], grown["summary"]["solved"]


def table(radius):
    call("PUT", "/v1/robots/bug", {"type": "ball", "radius": radius})
    print("| samples | " + " | ".join(f"{count}: alone, with trees" for count in COUNTS) + " |")
    print("|---|" + "---|" * len(COUNTS))
    for name, method in METHODS:
        cells = []
        for count in COUNTS:
            rows = [solved(method, count, seed) for seed in range(1, SEEDS + 1)]
            cells.append("{}, {}".format(*map(sum, zip(*rows))))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    call("DELETE", "/v1/roadmaps/trap", None)
    call("DELETE", "/v1/robots/bug", None)


def main():
    call("PUT", "/v1/worlds/trap", json.loads((HERE / "trap.json").read_text()))
    for radius in RADII:
        print(f"\nrobot of radius {radius}, channel {0.8 - 2 * radius:.2f} wider:\n")
        table(radius)
    call("DELETE", "/v1/worlds/trap", None)


if __name__ == "__main__":
    main()
