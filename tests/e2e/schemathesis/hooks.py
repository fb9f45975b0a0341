"""What schemathesis cannot know from the document: names of things that are there, and files.

Only data that is valid by itself is changed, so that what is invalid stays so.
"""
import io
import os
import pathlib
import random
import struct
import zipfile

import schemathesis
from hypothesis import strategies as st
from schemathesis.core import NOT_SET
from schemathesis.core.parameters import ParameterLocation as Place
from schemathesis.generation import GenerationMode

# those that run.py puts, which only reading operations are led to; and those that come and go
KEPT = {"world": ["room", "space"], "robot": ["ball", "arm"], "roadmap": ["room", "space"], "obstacle": ["pillar"]}
LOOSE = {"world": ["w1", "w2"], "robot": ["r1", "r2"], "roadmap": ["m1", "m2"], "obstacle": ["o1", "pillar"]}
CHANGING = ("PUT", "PATCH", "DELETE")

URDF = (b'<robot name="crane"><link name="base"/><link name="boom"><collision><geometry><sphere radius="0.1"/>'
        b'</geometry></collision></link><joint name="slew" type="revolute"><parent link="base"/><child link="boom"/>'
        b'<axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint></robot>')
PGM = b"P2 4 3 255  0 0 0 0  254 254 205 0  254 254 254 0"
YAML = b"image: hall.pgm\nresolution: 0.5\norigin: [0, 0, 0]\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"


def npy(values, dtype="<f4", shape=None):
    """An array file of numbers or of rows, by hand: numpy need not be there."""
    rows = values if isinstance(values[0], list) else [values]
    shape = shape or ((len(values), len(rows[0])) if rows is values else (len(values),))
    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    data = b"".join(struct.pack({"<f4": "<f", "<u4": "<I"}[dtype], v) for row in rows for v in row)
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data


def npz(**arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in arrays.items():
            archive.writestr(name + ".npy", data)
    return out.getvalue()


# files by what they are put as
FILES = {
    b"type octile\nheight 2\nwidth 3\nmap\n..@\n.T.\n": {"format": "movingai"},
    b"type octile\nheight 1\nwidth 2\nmap\n.T\n": {"format": "movingai", "passable": "T"},
    b"1 1 1\n1.5 2 1\n": {"format": "xyz", "radius": 0.1},
    b"v 0 0 0\nv 1 0 0\nv 0 1 1\nf 1 2 3\n": {"format": "obj"},
    b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 1\nendloop\nendfacet\nendsolid a\n":
        {"format": "stl"},
    b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n":
        {"format": "ply", "resolution": 0.5},
    PGM: {"format": "heightfield", "height": 2, "base": -1},
    npy([[1.0, 2.0, 3.0]]): {"format": "npy"},
    b"no file at all": {"format": "pcd"},
}

schemathesis.openapi.media_type("application/octet-stream", st.sampled_from(list(FILES)))
schemathesis.openapi.media_type("application/xml", st.sampled_from([URDF, b"<robot/>", b"<a>", b"no xml"]))
schemathesis.openapi.media_type("application/x-npy", st.sampled_from(
    [npy([3, 1, 2], "<u4"), npy([0.5, 1.5]), npy([[0.0, 1.0], [2.0, 3.0]]), npy([[0, 1]], "<u4"),
     npy([[1.0, 1.0], [9.0, 9.0]], shape=(1, 2, 2))]))
schemathesis.openapi.media_type("application/x-npz", st.sampled_from(
    [npz(values=npy([3, 1, 2], "<u4")), npz(keys=npy([3, 1, 2], "<u4"), queries=npy([1], "<u4")),
     npz(points=npy([[0.0, 1.0]]), k=npy([1], "<u4")), npz(next=npy([0], "<u4"))]))
schemathesis.openapi.media_type("application/zip", st.just(pathlib.Path(os.environ["PRM_ARCHIVE"]).read_bytes()))


def is_valid(case, place):
    """Whether a part of a case was made as the document says."""
    part = case.meta.components.get(place) if case.meta else None
    return part is not None and part.mode == GenerationMode.POSITIVE


@schemathesis.hook
def map_case(context, case):
    chance = random.Random(repr((case.method, case.path, case.path_parameters, case.body)))
    led = KEPT if case.method not in CHANGING else LOOSE
    if is_valid(case, Place.PATH):
        for key in case.path_parameters or {}:
            if key in led and chance.random() < 0.8:
                case.path_parameters[key] = chance.choice(led[key] + (LOOSE[key] if led is KEPT else []))
    if is_valid(case, Place.HEADER):
        # random entity tags only ever fail
        for name in ("If-Match", "If-None-Match"):
            if name in case.headers and chance.random() < 0.8:
                del case.headers[name]
        if "Prefer" in case.headers:
            case.headers["Prefer"] = f"wait={chance.choice([0, 0, 1])}"
    lead_roadmap(case, chance)
    lead_files(case)
    return case


def lead_roadmap(case, chance):
    """A roadmap of what is there."""
    if case.method == "PUT" and case.path.endswith("/{roadmap}") and is_valid(case, Place.BODY) and \
            isinstance(case.body, dict) and chance.random() < 0.7:
        case.body["world"] = chance.choice(["room", "room", "space", "w1"])
        case.body["robot"] = chance.choice(["ball", "ball", "arm", "r1"])


def lead_files(case):
    """Parameters that go with the body."""
    if "{world}" not in case.path and "{robot}" not in case.path or case.method != "PUT":
        return
    if not is_valid(case, Place.QUERY) and case.query:
        return
    if case.media_type == "application/json":
        case.query = {}
    elif case.media_type == "application/octet-stream":
        case.query = dict(FILES.get(case.body, {})) if isinstance(case.body, bytes) else case.query
    elif case.media_type == "multipart/form-data" and "{world}" in case.path:
        case.query = {"format": "ros-map"}
        if is_valid(case, Place.BODY) and isinstance(case.body, dict) and len(str(case.body)) % 2:
            case.body = {"yaml": YAML.decode(), "image": PGM.decode()}
    elif case.body is not NOT_SET:
        case.query = {}
