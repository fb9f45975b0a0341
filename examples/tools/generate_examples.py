#!/usr/bin/env python3
"""Makes what of the examples is binary or found by search: the map of rooms, the OctoMap of a building site, and the
queries of the three. The seeds are fixed: the committed files are the output.

  generate_examples.py        writes into the folders beside tools/
"""
import json
import math
import pathlib
import random

import motion

HERE = pathlib.Path(__file__).resolve().parent.parent
QUERIES, GRASPS = 12, 8


# ---- the rooms: a PGM of 5 cm pixels ----

WIDTH, HEIGHT, PIXEL = 280, 200, 0.05
UNKNOWN, WALL, FLOOR = 205, 0, 254


def fill(rows, x0, y0, x1, y1, value):
    """A rectangle in metres from the lower left corner."""
    for y in range(round(y0 / PIXEL), round(y1 / PIXEL)):
        for x in range(round(x0 / PIXEL), round(x1 / PIXEL)):
            rows[HEIGHT - 1 - y][x] = value


def make_rooms(folder):
    rows = [[UNKNOWN] * WIDTH for _ in range(HEIGHT)]
    fill(rows, 0.5, 0.5, 13.5, 9.5, WALL)
    # a corridor, three rooms below and two above it, walls of 15 cm
    fill(rows, 0.65, 4.2, 13.35, 5.8, FLOOR)
    for x0, x1 in ((0.65, 4.5), (4.65, 8.9), (9.05, 13.35)):
        fill(rows, x0, 0.65, x1, 4.05, FLOOR)
    for x0, x1 in ((0.65, 6.5), (6.65, 13.35)):
        fill(rows, x0, 5.95, x1, 9.35, FLOOR)
    # doors of a metre: the cart passes lengthwise alone
    for x, y in ((2.2, 4.0), (6.4, 4.0), (11.5, 4.0), (3.0, 5.75), (9.6, 5.75)):
        fill(rows, x, y, x + 1, y + 0.25, FLOOR)
    fill(rows, 6.45, 7.2, 6.7, 8.2, FLOOR)
    # furniture, and a corner that the scanner has not seen
    for x0, y0, x1, y1 in ((0.65, 0.65, 1.4, 2.2), (5.9, 1.6, 7.5, 2.4), (12.6, 1.2, 13.35, 3.2),
                           (9.05, 0.65, 9.6, 1.6), (1.6, 8.3, 4.2, 9.35), (8.2, 7.4, 8.8, 8.0),
                           (10.6, 7.4, 11.2, 8.0), (12.2, 8.6, 13.35, 9.35)):
        fill(rows, x0, y0, x1, y1, WALL)
    fill(rows, 0.65, 8.3, 1.6, 9.35, UNKNOWN)
    head = b"P5\n%d %d\n255\n" % (WIDTH, HEIGHT)
    folder.mkdir(exist_ok=True)
    (folder / "rooms.pgm").write_bytes(head + b"".join(map(bytes, rows)))
    (folder / "rooms.yaml").write_text(
        "image: rooms.pgm\nresolution: 0.05\norigin: [-7.0, -5.0, 0.0]\nnegate: 0\n"
        "occupied_thresh: 0.65\nfree_thresh: 0.196\n")


# ---- the building site: an OctoMap of 20 cm cubes ----

SITE, CUBE = (64, 64, 32), 0.2
FREE, OCCUPIED, INNER = 1, 2, 3


def site_occupied(x, y, z):
    """Whether the cell is of the floor, a wall with a window and a door, a low one, a scaffold, a pile or a mast."""
    if z < 2:
        return True
    if x in (30, 31):
        window = 18 <= y < 24 and 14 <= z < 20
        door = 44 <= y < 50 and z < 12
        return not window and not door
    if y in (20, 21) and x > 40 and z < 20:
        return True
    if 8 <= x < 24 and 8 <= y < 14 and z in (10, 11, 20, 21):
        return True
    if x in (8, 9, 22, 23) and y in (8, 9, 12, 13) and z < 24:
        return True
    if z < 12 - max(abs(x - 14), abs(y - 44)):
        return True
    return 48 <= x < 52 and 44 <= y < 48


def write_node(corner, edge, out):
    """Appends a node's children; they are pruned where all below is alike. Cells outside the site are not known."""
    half, bits, inner = edge // 2, 0, []
    for child in range(8):
        low = [c + (child >> i & 1) * half for i, c in enumerate(corner)]
        kind = kind_of(low, half)
        bits |= (kind or 0) << 2 * child
        if kind == INNER:
            inner.append(low)
    out += bytes((bits & 255, bits >> 8))
    return 1 + sum(write_node(low, half, out) for low in inner) + bin(bits).count("1") - 2 * len(inner)


def kind_of(low, edge):
    """FREE, OCCUPIED, INNER; None: nothing of it is in the site."""
    if any(l >= s or l + edge <= 0 for l, s in zip(low, SITE)):
        return None
    if edge > 32:
        return INNER
    x, y, z = low
    found = {site_occupied(i, j, k) for i in range(x, x + edge) for j in range(y, y + edge) for k in range(z, z + edge)}
    return INNER if len(found) > 1 else OCCUPIED if found.pop() else FREE


def make_site(folder):
    tree = bytearray()
    nodes = write_node([-32768] * 3, 65536, tree)
    head = f"# Octomap OcTree binary file\nid OcTree\nsize {nodes}\nres {CUBE}\ndata\n"
    folder.mkdir(exist_ok=True)
    (folder / "site.bt").write_bytes(head.encode() + tree)


# ---- queries ----

MARGIN = 0.04  # clearance of starts and goals; spheres enclose the shapes and are up to this much larger


def settle(robot, draw, wanted):
    """Random states of a robot with clearance, each also liked by its draw."""
    states = []
    while len(states) < wanted:
        q = draw()
        if q and robot.clearance(q) > MARGIN:
            states.append([round(x, 4) for x in q])
    return states


def cart_states(seed):
    robot = motion.read_robot(str(HERE / "rooms/cart.json"), motion.read_world(str(HERE / "rooms/rooms.yaml")))
    draws = random.Random(seed)
    return settle(robot, lambda: [draws.uniform(-7, 7), draws.uniform(-5, 5), draws.uniform(-3.1, 3.1)], 2 * QUERIES)


def drone_states(seed):
    robot = motion.read_robot(str(HERE / "drone.json"), motion.read_world(str(HERE / "site/site.bt")))
    draws = random.Random(seed)
    side = [0]

    def draw():
        # one side of the wall after the other
        side[0] += 1
        x = draws.uniform(0.5, 5.5) if side[0] % 2 else draws.uniform(7.2, 12.3)
        return [x, draws.uniform(0.5, 12.3), draws.uniform(1, 5)]

    states = []
    while len(states) < 2 * QUERIES:
        states += settle(robot, draw, 1)
        if (states[-1][0] < 6.4) != (len(states) % 2 == 1):
            states.pop()
    return states


def arm_states(seed):
    """Grasps in the shelf and postures before it by turns."""
    robot = motion.read_robot(str(HERE / "shelf/arm.urdf"), motion.read_world(str(HERE / "shelf/shelf.scene")))
    draws = random.Random(seed)
    middles = [(0.72, y, z) for y in (-0.3, 0.3) for z in (0.3, 0.66)]

    def tip(q):
        return motion.place(robot.frames(q)["hand"], (0, 0, 0.11))

    def anywhere():
        q = [draws.uniform(j.lower, j.upper) for j in robot.moving]
        return q if tip(q)[2] > 0.2 and tip(q)[0] < 0.5 else None

    def reach(target):
        """Descends on the distance of the tip, with random steps that shrink."""
        q, width = [draws.uniform(j.lower, j.upper) / 2 for j in robot.moving], 0.5
        error = math.dist(tip(q), target)
        while error > 0.03 and width > 0.002:
            other = [min(max(x + draws.gauss(0, width), j.lower), j.upper) for x, j in zip(q, robot.moving)]
            better = math.dist(tip(other), target)
            if better < error:
                q, error = other, better
            else:
                width *= 0.98
        return q if error <= 0.03 else None

    states = []
    for i in range(GRASPS):
        states += settle(robot, lambda: reach(middles[i % len(middles)]), 1)
        # out to a posture, or over to another place of the shelf
        over = i % 3 == 2
        states += settle(robot, (lambda: reach(middles[(i + 2) % len(middles)])) if over else anywhere, 1)
    return states


def write_queries(name, states):
    pairs = [{"id": i, "start": states[2 * i], "goal": states[2 * i + 1]} for i in range(len(states) // 2)]
    text = ",\n  ".join(json.dumps(pair) for pair in pairs)
    (HERE / name).write_text('{"queries": [\n  ' + text + "]}\n")


if __name__ == "__main__":
    make_rooms(HERE / "rooms")
    make_site(HERE / "site")
    write_queries("rooms/queries.json", cart_states(1))
    write_queries("site/queries.json", drone_states(2))
    write_queries("shelf/queries.json", arm_states(3))
