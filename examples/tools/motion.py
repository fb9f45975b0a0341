"""Robots that turn and bend, in the worlds of the examples, sharing no code with the service.

Readers of what the service is given (URDF, ROS maps, OctoMaps, MoveIt scenes, JSON), and of each robot `clearance(q)`,
a lower bound of its distance from all it may hit, which is not positive where it hits something, `motion(a, b)`, how
far any of its points may move between two states, and its metric. Nothing but the standard library.

An arm is the surfaces of its own collision shapes, as points `SPACING` apart at most: the planner's spheres enclose
these, so that what hits here is a fault of the planner. A footprint is its polygon, against the squares of a map; a
ball is a ball, against the cubes of a map.
"""
import itertools
import json
import math
import pathlib
import re
import xml.etree.ElementTree as xml

SPACING = 0.02  # of points on surfaces, metres
REACH = 0.25    # clearances are not looked for beyond, metres
GROUP = 0.08    # points of a cube of this edge are looked at together


# ---- frames: (rotation as rows, translation) ----

def rotation_rpy(roll, pitch, yaw):
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in (roll, pitch, yaw))
    return ((cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr))


def rotation_axis(axis, angle):
    norm = math.sqrt(sum(a * a for a in axis))
    x, y, z = (a / norm for a in axis)
    c, s, d = math.cos(angle), math.sin(angle), 1 - math.cos(angle)
    return ((c + x * x * d, x * y * d - z * s, x * z * d + y * s),
            (y * x * d + z * s, c + y * y * d, y * z * d - x * s),
            (z * x * d - y * s, z * y * d + x * s, c + z * z * d))


def rotation_quaternion(x, y, z, w):
    length = math.sqrt(x * x + y * y + z * z)
    return rotation_axis((x, y, z), 2 * math.atan2(length, w)) if length else rotation_rpy(0, 0, 0)


def place(frame, p):
    r, t = frame
    return tuple(r[i][0] * p[0] + r[i][1] * p[1] + r[i][2] * p[2] + t[i] for i in range(3))


def place_back(frame, p):
    r, t = frame
    d = (p[0] - t[0], p[1] - t[1], p[2] - t[2])
    return tuple(r[0][i] * d[0] + r[1][i] * d[1] + r[2][i] * d[2] for i in range(3))


def chain(outer, inner):
    r, s = outer[0], inner[0]
    return (tuple(tuple(sum(r[i][k] * s[k][j] for k in range(3)) for j in range(3)) for i in range(3)),
            place(outer, inner[1]))


# ---- shapes ----

class Shape:
    """A box, cylinder or sphere in a frame; `half` are half sizes, of a cylinder radius and half length."""

    def __init__(self, kind, half, frame):
        self.kind, self.half, self.frame = kind, half, frame

    def distance(self, p):
        """From a point of the outer frame; negative inside."""
        x, y, z = place_back(self.frame, p)
        if self.kind == "sphere":
            return math.sqrt(x * x + y * y + z * z) - self.half[0]
        if self.kind == "cylinder":
            d = (math.hypot(x, y) - self.half[0], abs(z) - self.half[1])
        else:
            d = (abs(x) - self.half[0], abs(y) - self.half[1], abs(z) - self.half[2])
        outside = math.sqrt(sum(a * a for a in d if a > 0))
        return outside if outside > 0 else max(d)

    def surface(self):
        """Points on it, such that every point of it is within SPACING of one."""
        if self.kind == "sphere":
            points = list(ball_points(self.half[0]))
        elif self.kind == "cylinder":
            points = list(cylinder_points(*self.half))
        else:
            points = list(box_points(self.half))
        return [place(self.frame, p) for p in points]


def steps(length):
    """Places from -length to length, close enough that a square of them is."""
    count = max(1, math.ceil(2 * length / (SPACING * 1.2)))
    return [-length + 2 * length * i / count for i in range(count + 1)]


def ring(radius):
    count = max(6, math.ceil(2 * math.pi * radius / (SPACING * 1.2)))
    return [(radius * math.cos(2 * math.pi * i / count), radius * math.sin(2 * math.pi * i / count))
            for i in range(count)]


def ball_points(radius):
    for angle in steps(math.pi / 2 * radius):
        for x, y in ring(radius * math.cos(angle / radius)):
            yield x, y, radius * math.sin(angle / radius)


def cylinder_points(radius, half):
    for z in steps(half):
        for x, y in ring(radius):
            yield x, y, z
    for r in steps(radius / 2):
        for x, y in ring(radius / 2 + r):
            yield x, y, half
            yield x, y, -half


def box_points(half):
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for a, b, side in itertools.product(steps(half[u]), steps(half[v]), (-1, 1)):
            point = [0.0] * 3
            point[axis], point[u], point[v] = side * half[axis], a, b
            yield tuple(point)


# ---- worlds ----

def read_scene(path):
    """A MoveIt scene in its older form: boxes, cylinders and spheres."""
    words = open(path, encoding="utf-8").read().split("*")[1:]
    shapes = []
    for part in words:
        lines = [line.strip() for line in part.splitlines() if line.strip() not in ("", ".")]
        at = 2
        for _ in range(int(lines[1])):
            kind, size = lines[at], [float(w) for w in lines[at + 1].split()]
            xyz, turn = ([float(w) for w in line.split()] for line in lines[at + 2:at + 4])
            half = size if kind == "sphere" else [s / 2 for s in size]
            if kind == "cylinder":
                half = (size[0], size[1] / 2)
            shapes.append(Shape(kind, half, (rotation_quaternion(*turn), tuple(xyz))))
            at += 5
    return shapes


class Cells:
    """Squares or cubes of one size; what is not known is occupied. Outside, a map is occupied and an OctoMap bounds the
    centre of what moves alone: its `bounds` are then the corners of its box."""

    def __init__(self, resolution, origin, free, bounds=None):
        self.resolution, self.origin, self.free, self.bounds = resolution, origin, free, bounds

    def occupied(self, lower, upper):
        """Lower corners of the occupied cells that meet a box."""
        first = [math.floor((a - o) / self.resolution) for a, o in zip(lower, self.origin)]
        last = [math.floor((b - o) / self.resolution) for b, o in zip(upper, self.origin)]
        if self.bounds:
            first = [max(a, round(b / self.resolution)) for a, b in zip(first, self.bounds[0])]
            last = [min(a, round(b / self.resolution) - 1) for a, b in zip(last, self.bounds[1])]
        for cell in itertools.product(*(range(a, b + 1) for a, b in zip(first, last))):
            if cell not in self.free:
                yield tuple(o + c * self.resolution for o, c in zip(self.origin, cell))


def read_ros_map(path):
    """A map's yaml, and beside it a PGM of 8 bits without comments after its first line."""
    text = open(path, encoding="utf-8").read()
    field = {key: value.strip() for key, value in re.findall(r"^(\w+):(.*)$", text, re.M)}
    data = pathlib.Path(path).with_name(field["image"]).read_bytes()
    head = re.match(rb"P5\s+(?:#[^\n]*\n)?(\d+)\s+(\d+)\s+255\s", data)
    width, height = int(head[1]), int(head[2])
    resolution, origin = float(field["resolution"]), json.loads(field["origin"])
    limit = float(field["free_thresh"])
    free = set()
    for i, value in enumerate(data[head.end():]):
        if (255 - value) / 255 <= limit:
            free.add((i % width, height - 1 - i // width))
    return Cells(resolution, origin[:2], free)


def read_octomap(path):
    """A .bt: two bits a child, 1 free, 2 occupied, 3 with children of its own."""
    data = open(path, "rb").read()
    head = re.search(rb"\nres ([0-9.e-]+)\n.*?data\n", data, re.S)
    resolution, at = float(head[1]), head.end()
    free, low, high = set(), [math.inf] * 3, [-math.inf] * 3

    def node(corner, edge):
        nonlocal at
        bits = data[at] | data[at + 1] << 8
        at += 2
        half = edge // 2
        for child in range(8):
            kind = bits >> 2 * child & 3
            first = [c + (child >> i & 1) * half for i, c in enumerate(corner)]
            if kind == 3:
                node(first, half)
            elif kind:
                low[:] = map(min, low, first)
                high[:] = map(max, high, (c + half for c in first))
            if kind == 1:
                free.update(itertools.product(*(range(c, c + half) for c in first)))

    node([-32768] * 3, 65536)
    return Cells(resolution, (0, 0, 0), free, [[c * resolution for c in corner] for corner in (low, high)])


def read_world(path):
    for ending, reader in ((".scene", read_scene), (".yaml", read_ros_map), (".bt", read_octomap)):
        if path.endswith(ending):
            return reader(path)
    raise ValueError(f"{path}: no world that is read here")


# ---- robots ----

def turn_between(a, b):
    return (b - a + math.pi) % (2 * math.pi) - math.pi


class Ball:
    """A ball among cubes."""

    def __init__(self, document, world):
        self.radius, self.world = document["radius"], world
        self.weights = None

    def interpolate(self, a, b, t):
        return [x + t * (y - x) for x, y in zip(a, b)]

    def same(self, a, b):
        return a == b

    def distance(self, a, b):
        return math.dist(a, b)

    motion = distance

    def within_limits(self, q):
        return all(a <= x <= b for a, x, b in zip(self.world.bounds[0], q, self.world.bounds[1]))

    def clearance(self, q):
        least, r = REACH, self.world.resolution
        around = self.radius + REACH
        for low in self.world.occupied([x - around for x in q], [x + around for x in q]):
            gap = math.sqrt(sum(max(c - x, 0, x - c - r) ** 2 for x, c in zip(q, low)))
            least = min(least, gap - self.radius)
        return least


class Footprint:
    """A convex polygon that turns among squares."""

    def __init__(self, document, world):
        self.points, self.world = document["footprint"], world
        self.weights = document.get("weights", [1, 1, 1])
        self.reach = max(math.hypot(*p) for p in self.points)

    def interpolate(self, a, b, t):
        return [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * turn_between(a[2], b[2])]

    def distance(self, a, b):
        w = self.weights
        return math.sqrt((w[0] * (b[0] - a[0])) ** 2 + (w[1] * (b[1] - a[1])) ** 2 +
                         (w[2] * turn_between(a[2], b[2])) ** 2)

    def motion(self, a, b):
        return math.dist(a[:2], b[:2]) + self.reach * abs(turn_between(a[2], b[2]))

    def within_limits(self, q):
        return True

    def same(self, a, b):
        return a[:2] == b[:2] and abs(turn_between(a[2], b[2])) < 1e-12

    def clearance(self, q):
        c, s = math.cos(q[2]), math.sin(q[2])
        shape = [(q[0] + c * x - s * y, q[1] + s * x + c * y) for x, y in self.points]
        edges = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(shape, shape[1:] + shape[:1])]
        normals = [(y / math.hypot(x, y), -x / math.hypot(x, y)) for x, y in edges] + [(1, 0), (0, 1)]
        spans = [(n, min(n[0] * x + n[1] * y for x, y in shape), max(n[0] * x + n[1] * y for x, y in shape))
                 for n in normals]
        low = [min(p[i] for p in shape) - REACH for i in range(2)]
        high = [max(p[i] for p in shape) + REACH for i in range(2)]
        least, half = REACH, self.world.resolution / 2
        for corner in self.world.occupied(low, high):
            # the widest gap along any normal: separating axes
            gap = max(max(lower - middle, middle - upper) - half * (abs(n[0]) + abs(n[1]))
                      for n, lower, upper in spans
                      for middle in [n[0] * (corner[0] + half) + n[1] * (corner[1] + half)])
            least = min(least, gap)
        return least


class Joint:
    def __init__(self, element):
        self.kind = element.get("type")
        self.parent, self.child = element.find("parent").get("link"), element.find("child").get("link")
        self.origin = read_origin(element)
        axis = element.find("axis")
        self.axis = [float(a) for a in axis.get("xyz").split()] if axis is not None else [1, 0, 0]
        limit = element.find("limit")
        if self.kind == "revolute":
            self.lower, self.upper = float(limit.get("lower")), float(limit.get("upper"))


def read_origin(element):
    origin = element.find("origin")
    numbers = {"xyz": "0 0 0", "rpy": "0 0 0"} | (origin.attrib if origin is not None else {})
    xyz, rpy = ([float(w) for w in numbers[key].split()] for key in ("xyz", "rpy"))
    return rotation_rpy(*rpy), tuple(xyz)


def read_shape(element):
    geometry = element.find("geometry")[0]
    frame = read_origin(element)
    if geometry.tag == "box":
        return Shape("box", [float(s) / 2 for s in geometry.get("size").split()], frame)
    if geometry.tag == "cylinder":
        return Shape("cylinder", (float(geometry.get("radius")), float(geometry.get("length")) / 2), frame)
    return Shape("sphere", [float(geometry.get("radius"))], frame)


def enclosed(points):
    """The points with a ball about them: (centre, radius, points)."""
    centre = tuple(sum(p[i] for p in points) / len(points) for i in range(3))
    return centre, max(math.dist(centre, p) for p in points), points


def grouped(points):
    """Points by cubes of a grid, each enclosed."""
    cubes = {}
    for p in points:
        cubes.setdefault(tuple(math.floor(a / GROUP) for a in p), []).append(p)
    return [enclosed(members) for members in cubes.values()]


class Arm:
    """A chain of revolute joints from a URDF, among shapes and with itself."""

    def __init__(self, path, world, ignored=()):
        tree = xml.parse(path).getroot()
        self.world = world
        self.joints = [Joint(j) for j in tree.findall("joint")]
        self.moving = [j for j in self.joints if j.kind == "revolute"]
        self.root = self.joints[0].parent
        shapes = {link.get("name"): [read_shape(c) for c in link.findall("collision")] for link in tree.findall("link")}
        self.shapes = {name: found for name, found in shapes.items() if found}
        points = {name: [p for s in found for p in s.surface()] for name, found in self.shapes.items()}
        self.groups = {name: grouped(found) for name, found in points.items()}
        self.balls = {name: enclosed(found) for name, found in points.items()}
        ignored = {frozenset(pair) for pair in ignored} | {frozenset((j.parent, j.child)) for j in self.joints}
        names = list(self.shapes)
        self.pairs = [(a, b) for a, b in itertools.combinations(names, 2) if frozenset((a, b)) not in ignored]
        self.reaches = self.measure()

    def measure(self):
        """How far a point beyond each joint may be from its axis, at most."""
        beyond = {}
        for joint in reversed(self.joints):
            own = [math.dist((0, 0, 0), c) + r for c, r, _ in self.groups.get(joint.child, [])]
            later = [math.dist((0, 0, 0), j.origin[1]) + beyond[j.child]
                     for j in self.joints if j.parent == joint.child]
            beyond[joint.child] = max(own + later, default=0)
        return [beyond[j.child] for j in self.moving]

    def interpolate(self, a, b, t):
        return [x + t * (y - x) for x, y in zip(a, b)]

    def same(self, a, b):
        return a == b

    def distance(self, a, b):
        return math.dist(a, b)

    def motion(self, a, b):
        return sum(abs(y - x) * reach for x, y, reach in zip(a, b, self.reaches))

    def within_limits(self, q):
        return all(j.lower <= value <= j.upper for j, value in zip(self.moving, q))

    def frames(self, q):
        """Frames of all links."""
        frames, values = {self.root: (rotation_rpy(0, 0, 0), (0.0, 0.0, 0.0))}, iter(q)
        for joint in self.joints:
            frame = chain(frames[joint.parent], joint.origin)
            if joint.kind == "revolute":
                frame = chain(frame, (rotation_axis(joint.axis, next(values)), (0, 0, 0)))
            frames[joint.child] = frame
        return frames

    def clearance(self, q):
        frames = self.frames(q)
        least = REACH
        for name in self.groups:
            if name != self.root:
                least = min(least, self.gap(name, frames[name], self.world, least))
        for a, b in self.pairs:
            # points of the one in the frame of the other
            rotation = frames[b][0]
            back = (tuple(zip(*rotation)), place_back(frames[b], (0, 0, 0)))
            least = min(least, self.gap(a, chain(back, frames[a]), self.shapes[b], least))
        return least

    def gap(self, link, frame, shapes, least):
        """Of a link in a frame from shapes, less what lies between its points; shapes beyond `least` do not count."""
        def near(enclosed_points, candidates):
            middle, far = place(frame, enclosed_points[0]), enclosed_points[1] + least + SPACING
            return [shape for shape in candidates if shape.distance(middle) < far]

        shapes = near(self.balls[link], shapes)
        for group in self.groups[link] if shapes else ():
            for shape in near(group, shapes):
                nearest = min(shape.distance(place(frame, p)) for p in group[2])
                least = min(least, nearest - SPACING if nearest > SPACING else min(nearest, 1e-6))
                if least <= 0:
                    return least
        return least


def read_srdf(path):
    return [(e.get("link1"), e.get("link2")) for e in xml.parse(path).getroot().findall("disable_collisions")]


def read_robot(path, world):
    if path.endswith(".urdf"):
        return Arm(path, world, read_srdf(path[:-4] + "srdf"))
    document = json.load(open(path, encoding="utf-8"))
    return Footprint(document, world) if document["type"] == "rigid" else Ball(document, world)
