"""Runs schemathesis against a prmd of its own that asks for tokens, holds worlds, robots and roadmaps, and has small
limits.

    run.py SCHEMATHESIS [ARGUMENT…]

The program and further arguments of it (--max-examples, --phases, --seed …). The exit status is schemathesis's.
"""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from daemon import Daemon  # noqa: E402

# what is asked for at random must not take long; the served document has these limits
LIMITS = {"queries": 20, "milestones": 500, "neighbors": 12, "states": 50, "expand-samples": 50, "points": 100,
          "triangles": 100, "boxes": 100, "grid-cells": 4096, "obstacles": 20, "compute-elements": 4096, "spheres": 64,
          "links": 16, "polygon-points": 50, "jobs": 256}
ROOM = {"dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
        "obstacles": [{"id": "pillar", "type": "circle", "center": [5, 5], "radius": 1}]}
SPACE = {"dimension": 3, "bounds": {"min": [-2, -2, -2], "max": [2, 2, 2]},
         "obstacles": [{"id": "pillar", "type": "sphere", "center": [1, 1, 1], "radius": 0.3}]}
ARM = {"type": "arm", "joints": [{"name": "turn", "type": "continuous", "axis": [0, 0, 1]},
                                 {"name": "lift", "type": "revolute", "axis": [0, 1, 0], "lower": -1.5, "upper": 1.5}],
       "links": [{"name": "base"}, {"name": "arm", "spheres": [{"center": [0.3, 0, 0], "radius": 0.05}]},
                 {"name": "tool", "spheres": [{"center": [0.5, 0, 0], "radius": 0.05}]}]}


TOKEN = "for-tests-only"
ACCESS = {"Authorization": "Bearer " + TOKEN}


def put(daemon, path, document):
    status, reply = daemon.request("PUT", "/v1/" + path, document, {**ACCESS, "Prefer": "wait=600"})
    assert status in (200, 201), (path, status, reply)


def prepare(daemon):
    for name, world in (("room", ROOM), ("space", SPACE), ("w1", ROOM), ("w2", SPACE)):
        put(daemon, "worlds/" + name, world)
    for name, robot in (("ball", {"type": "ball", "radius": 0.2}), ("arm", ARM)):
        put(daemon, "robots/" + name, robot)
    for world, robot in (("room", "ball"), ("space", "arm")):
        put(daemon, "roadmaps/" + world, {"world": world, "robot": robot, "samples": {"count": 200}, "neighbors": {"k": 8}})


def start(folder):
    tokens = pathlib.Path(folder, "tokens")
    tokens.write_text(f"write {hashlib.sha256(TOKEN.encode()).hexdigest()}\n", encoding="ascii")
    tokens.chmod(0o600)
    limits = [part for name, value in LIMITS.items() for part in ("--max-" + name, str(value))]
    return Daemon("--token-file", str(tokens), *limits)


def main():
    with tempfile.TemporaryDirectory() as folder:
        daemon = start(folder)
        try:
            prepare(daemon)
            command = [sys.argv[1], "--config-file", str(HERE / "schemathesis.toml"), "run",
                       "-H", "Authorization: Bearer " + TOKEN, f"http://127.0.0.1:{daemon.port}/openapi.json",
                       *sys.argv[2:]]
            archive = pathlib.Path(folder, "archive")
            archive.write_bytes(daemon.raw("GET", "/v1/roadmaps/room/archive", headers=ACCESS)[2])
            environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PRM_ARCHIVE": str(archive)}
            status = subprocess.run(command, check=False, cwd=HERE, env=environment).returncode
            log = daemon.log()[-2000:]
        finally:
            ended = daemon.stop()
    if ended != 0:
        print(f"prmd ended with {ended}: {log}")
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
