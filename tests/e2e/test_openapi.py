"""Goal: the OpenAPI document tells the truth. What its schemas allow is read, what they forbid is refused, every
member has an example, every limit is the server's, and answers have the members that are declared and no others.
Method: the document's own examples, sent as they are and with each value in turn replaced, left out or joined by an
unknown one; jsonschema judges what the server is sent and what it answers. Oracle: each of the two for the other.
"""
import copy
import json
import unittest

from daemon import SOURCE, Daemon, DaemonTest, main

try:
    import jsonschema
except ImportError:
    jsonschema = None

METHODS = ("get", "put", "post", "patch", "delete")
# what takes the place of values; small numbers, so that what is accepted is no work
JUNK = (None, True, -1, 0, 0.5, 1e300, "", "x", [], ["x"], {})
# how details say that a value is of the wrong type
WRONG_TYPE = ("not null", "not a string", "not a boolean", "not an object", "not an array", "not a number")
FILL = {"world": "plane", "robot": "ball", "roadmap": "room", "obstacle": "door", "job": None}
# examples whose names say what they are put under, in an order in which each finds what it needs
PREPARED = [("world_put", "plane", {"world": "plane"}), ("world_put", "plane", {"world": "room"}),
            ("world_put", "grid", {"world": "grid"}), ("world_put", "space", {"world": "space"}),
            ("robot_put", "point", {"robot": "point"}), ("robot_put", "ball", {"robot": "ball"}),
            ("robot_put", "arm", {"robot": "arm"}), ("roadmap_put", "grid", {"roadmap": "grid"}),
            ("roadmap_put", "room", {"roadmap": "room"})]


class Document:
    """The document of a server, with what it takes to use it."""

    def __init__(self, document):
        self.document = document
        self.schemas = document["components"]["schemas"]
        self.operations = {}
        for path, item in document["paths"].items():
            for method, operation in item.items():
                if method in METHODS:
                    self.operations[operation["operationId"]] = (method.upper(), path, operation)

    def resolve(self, node):
        while "$ref" in node:
            target = self.document
            for name in node["$ref"][2:].split("/"):
                target = target[name]
            node = target
        return node

    def validator(self, schema):
        return jsonschema.Draft202012Validator({**schema, "components": self.document["components"]})

    def request(self, operation):
        """The schema of a JSON body and its examples; None: it takes none."""
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            return None, {}
        return content["schema"], {name: item["value"] for name, item in content["examples"].items()}

    def applying(self, schema, value):
        """The schemas that say something of a value: all of allOf, of the others those that it satisfies."""
        schema = {**self.resolve(schema), **{k: v for k, v in schema.items() if k != "$ref"}}
        yield schema
        for part in schema.get("allOf", []):
            yield from self.applying(part, value)
        for word in ("anyOf", "oneOf"):
            for part in schema.get(word, []):
                if self.validator(part).is_valid(value):
                    yield from self.applying(part, value)

    def visit(self, schema, value, seen, path=""):
        """Notes in `seen` the declarations that a value makes use of; yields the places of undeclared members."""
        schemas = list(self.applying(schema, value))
        if isinstance(value, dict):
            for key, member in value.items():
                found = [s["properties"][key] for s in schemas if key in s.get("properties", {})]
                seen.update((key, json.dumps(one)) for one in found)
                found += [s["additionalProperties"] for s in schemas if isinstance(s.get("additionalProperties"), dict)]
                if not found and any("properties" in s for s in schemas):
                    yield f"{path}/{key}"
                for one in found:
                    yield from self.visit(one, member, seen, f"{path}/{key}")
        if isinstance(value, list):
            for i, element in enumerate(value):
                for one in [s["items"] for s in schemas if "items" in s]:
                    yield from self.visit(one, element, seen, f"{path}/{i}")

    def declared(self, schema, done):
        """All (member, its schema) below a schema, with a name for people."""
        schema = self.resolve(schema)
        if id(schema) in done:
            return
        done.add(id(schema))
        for key, one in schema.get("properties", {}).items():
            if one.get("$ref") != "#/components/schemas/ReadOnly":
                yield (key, json.dumps(one)), f"{schema.get('description', '')} {key}"
            yield from self.declared(one, done)
        for word in ("anyOf", "oneOf", "allOf"):
            for one in schema.get(word, []):
                yield from self.declared(one, done)
        for word in ("items", "additionalProperties"):
            if isinstance(schema.get(word), dict):
                yield from self.declared(schema[word], done)


def places(value, path=()):
    """Every place in a value, the value itself first."""
    yield path
    items = value.items() if isinstance(value, dict) else []
    if isinstance(value, list):
        # the first of a kind stands for all
        kinds = {}
        for i, one in enumerate(value):
            kinds.setdefault((type(one), frozenset(one) if isinstance(one, dict) else 0), (i, one))
        items = kinds.values()
    for key, one in items:
        yield from places(one, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def replaced(value, path, by):
    if not path:
        return by
    changed = copy.deepcopy(value)
    at(changed, path[:-1])[path[-1]] = by
    return changed


def mutations(value):
    """(what was done, the changed document)"""
    for path in places(value):
        where = "/" + "/".join(map(str, path))
        for junk in JUNK:
            yield f"{where} = {json.dumps(junk)}", replaced(value, path, junk)
        if path:
            changed = copy.deepcopy(value)
            del at(changed, path[:-1])[path[-1]]
            yield f"{where} left out", changed
        here = at(value, path)
        if isinstance(here, dict):
            yield f"{where} with an unknown member", replaced(value, path, {**here, "unheard_of": 1})
        if isinstance(here, list) and here:
            yield f"{where} with an element more", replaced(value, path, here + [here[-1]])


@unittest.skipUnless(jsonschema, "needs python3-jsonschema")
class Schemas(DaemonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.doc = Document(cls.daemon.must("GET", "/openapi.json"))
        for operation, example, names in PREPARED:
            status, reply = cls.send(operation, cls.doc.request(cls.doc.operations[operation][2])[1][example], names)
            assert status in (200, 201), (operation, example, reply)

    @classmethod
    def send(cls, operation_id, body=None, names=None, headers=None):
        method, path, _ = cls.doc.operations[operation_id]
        for key, name in {**FILL, **(names or {})}.items():
            path = path.replace("{%s}" % key, str(name))
        return cls.daemon.request(method, path, body, {"Prefer": "wait=60", **(headers or {})})

    def check_reply(self, operation_id, status, reply):
        """A reply is one that the operation declares, and has no member that is not declared."""
        response = self.doc.resolve(self.doc.operations[operation_id][2]["responses"][str(status)])
        content = response.get("content", {})
        media = content.get("application/json") or content.get("application/problem+json")
        if media is None:
            return
        errors = [f"{list(e.absolute_path)}: {e.message}" for e in self.doc.validator(media["schema"]).iter_errors(reply)]
        self.assertEqual(errors[:3], [], operation_id)
        self.assertEqual(list(self.doc.visit(media["schema"], reply, set()))[:3], [], operation_id)

    def examples(self):
        for operation_id, (_, _, operation) in self.doc.operations.items():
            schema, examples = self.doc.request(operation)
            for name, example in examples.items():
                yield operation_id, schema, name, example

    def names_for(self, operation_id, name):
        """Where an example goes, so that what others need stays as it is."""
        in_plane = name in ("circle", "rectangle", "polygon", "grid")
        return {"world_put": {"world": f"try-{name}"},
                "robot_put": {"robot": f"try-{name}"}, "robot_forward": {"robot": "arm"},
                "obstacle_put": {"world": "plane" if in_plane else "space", "obstacle": name},
                "roadmap_put": {"roadmap": name}}.get(operation_id, {})

    def test_served_is_the_page(self):
        self.assertEqual(self.daemon.raw("GET", "/openapi.json")[2].decode(),
                         (SOURCE / "docs/openapi.json").read_text(encoding="utf-8"))

    def test_examples_are_taken_and_answered_as_declared(self):
        for operation_id, schema, name, example in self.examples():
            with self.subTest(operation=operation_id, example=name):
                self.assertEqual([e.message for e in self.doc.validator(schema).iter_errors(example)], [])
                self.assertEqual(list(self.doc.visit(schema, example, set())), [])
                status, reply = self.send(operation_id, example, self.names_for(operation_id, name))
                self.assertIn(status, (200, 201), reply)
                self.check_reply(operation_id, status, reply)
        self.send("world_put", self.doc.request(self.doc.operations["world_put"][2])[1]["plane"])

    def test_every_member_has_an_example(self):
        seen = set()
        for _, schema, _, example in self.examples():
            list(self.doc.visit(schema, example, seen))
        for operation_id, (_, _, operation) in self.doc.operations.items():
            schema, _ = self.doc.request(operation)
            if schema is None:
                continue
            with self.subTest(operation=operation_id):
                self.assertEqual([text for key, text in self.doc.declared(schema, set()) if key not in seen], [])

    def test_answers_to_what_only_looks(self):
        self.send("roadmap_grow", {"count": 1}, headers={"Prefer": "wait=0"})
        job = self.daemon.must("GET", "/v1/jobs")["items"][-1]["id"]
        for operation_id, (method, _, operation) in self.doc.operations.items():
            declared = operation["responses"].get("200", {}).get("content", {})
            if method != "GET" or "application/json" not in declared:
                continue
            with self.subTest(operation=operation_id):
                status, reply = self.send(operation_id, names={"job": job})
                self.assertEqual(status, 200, reply)
                self.check_reply(operation_id, status, reply)

    def test_what_is_shown_can_be_put(self):
        for kind, name in (("world", "plane"), ("world", "space"), ("world", "grid"), ("robot", "arm"), ("robot", "ball"),
                           ("roadmap", "grid")):
            with self.subTest(kind=kind, name=name):
                shown = self.send(f"{kind}_get", names={kind: name})[1]
                schema, _ = self.doc.request(self.doc.operations[f"{kind}_put"][2])
                self.assertEqual([e.message for e in self.doc.validator(schema).iter_errors(shown)][:3], [])
                status, reply = self.send(f"{kind}_put", shown, {kind: name})
                self.assertEqual((status, reply["fingerprint"]), (200, shown["fingerprint"]))

    def test_schemas_and_readers_agree(self):
        refused = 0
        for operation_id, schema, name, example in self.examples():
            validator = self.doc.validator(schema)
            headers = {"If-Match": '"0"'} if operation_id in ("roadmap_put", "roadmap_grow", "robot_put") else {}
            names = self.names_for(operation_id, name)
            faults = []
            for what, changed in mutations(example):
                status, reply = self.send(operation_id, changed, names, headers)
                problem = status >= 400 and status != 412
                wrong_type = problem and any(word in reply["detail"] for word in WRONG_TYPE)
                valid = validator.is_valid(changed)
                refused += problem
                if status not in (200, 201, 400, 404, 409, 412, 422):
                    faults.append(f"{what}: {status} {reply}")
                elif not valid and not problem:
                    faults.append(f"{what}: forbidden by the schema, answered {status}")
                elif valid and problem and "is no coordinate" not in reply["detail"] and \
                        (wrong_type or reply["code"] == "unknown_member"):
                    faults.append(f"{what}: allowed by the schema, refused: {reply['detail']}")
            with self.subTest(operation=operation_id, example=name):
                self.assertEqual(faults[:5], [], f"{len(faults)} disagree")
            self.send("world_put", self.doc.request(self.doc.operations["world_put"][2])[1]["plane"])
        self.assertGreater(refused, 2500)

    def test_refusals_are_as_declared(self):
        for operation_id, body, names in (
                ("world_put", {"dimension": 4, "bounds": 1, "kount": 2}, {}), ("world_get", None, {"world": "none"}),
                ("world_delete", None, {"world": "room"}), ("roadmap_plan", {"queries": 1}, {}),
                ("roadmap_get", None, {"roadmap": "none"}), ("job_get", None, {"job": "none"}),
                ("roadmap_put", {"world": "none", "robot": "none"}, {}), ("compute_sort", {"keys": ["x"]}, {})):
            with self.subTest(operation=operation_id):
                status, reply = self.send(operation_id, body, names)
                self.assertGreaterEqual(status, 400, reply)
                self.check_reply(operation_id, status, reply)


@unittest.skipUnless(jsonschema, "needs python3-jsonschema")
class Limits(unittest.TestCase):
    """Small limits, so that both sides of each can be sent."""
    SMALL = {"queries": 2, "goals": 2, "states": 3, "neighbors": 4, "expand_samples": 5, "compute_elements": 6,
             "polygon_points": 4, "obstacles": 2, "milestones": 50, "links": 4, "spheres": 3, "points": 2, "triangles": 1,
             "boxes": 1, "grid_cells": 4}

    # (operation, name in the path, limit, body of n)
    SPHERE = {"center": [0, 0, 0], "radius": 1}
    BOUNDS = {"dimension": 3, "bounds": {"min": [0, 0, 0], "max": [9, 9, 9]}}
    CASES = (
        ("roadmap_plan", "queries", lambda n: {"queries": [{"start": [1, 1], "goal": [2, 2]}] * n}),
        ("roadmap_plan", "goals", lambda n: {"queries": [{"start": [1, 1], "goals": [[2, 2]] * n}]}),
        ("roadmap_plan", "neighbors", lambda n: {"queries": [], "connect": {"k": n}}),
        ("roadmap_plan", "expand_samples", lambda n: {"queries": [], "expand": {"samples": n}}),
        ("roadmap_validate", "states", lambda n: {"states": [[1, 1]] * n}),
        ("roadmap_nearest", "states", lambda n: {"states": [[1, 1]] * n}),
        ("roadmap_nearest", "neighbors", lambda n: {"states": [[1, 1]], "k": n}),
        ("robot_forward", "states", lambda n: {"states": [[1, 1]] * n}),
        ("roadmap_put", "milestones", lambda n: {"world": "w", "robot": "r", "samples": {"count": n}}),
        ("roadmap_put", "neighbors", lambda n: {"world": "w", "robot": "r", "neighbors": {"k": n}}),
        ("world_put", "obstacles", lambda n: {**Limits.BOUNDS, "obstacles": [{"type": "sphere", **Limits.SPHERE}] * n}),
        ("world_put", "points", lambda n: {**Limits.BOUNDS, "obstacles": [{"type": "points", "points": [[1, 1, 1]] * n}]}),
        ("world_put", "boxes",
         lambda n: {**Limits.BOUNDS, "obstacles": [{"type": "boxes", "boxes": [[1, 1, 1, 1, 1, 1]] * n}]}),
        ("world_put", "triangles",
         lambda n: {**Limits.BOUNDS, "obstacles": [{"type": "mesh", "vertices": [[1, 1, 1], [2, 1, 1]],
                                                    "triangles": [[0, 1, 1]] * n}]}),
        ("world_put", "grid_cells", lambda n: {"grid": {"width": n, "height": 1, "rows": ["." * n]}}),
        ("world_put", "polygon_points",
         lambda n: {"dimension": 2, "bounds": {"min": [0, 0], "max": [9, 9]},
                    "obstacles": [{"type": "polygon", "points": [[i, i * i] for i in range(n)]}]}),
        ("robot_put", "spheres", lambda n: {"type": "rigid", "spheres": [Limits.SPHERE] * n}),
        ("robot_put", "links",
         lambda n: {"type": "arm", "joints": [{"name": "j", "type": "continuous"}],
                    "links": [{"name": f"l{i}"} for i in range(n)]}),
        ("compute_repeats", "compute_elements", lambda n: {"values": [1] * n}),
        ("compute_histogram", "compute_elements", lambda n: {"values": [1], "bins": n, "min": 0, "max": 1}),
        ("compute_knn", "neighbors", lambda n: {"points": [[1]], "k": n}),
    )

    def test_each_limit_is_the_documents(self):
        daemon = Daemon(*(part for name, value in self.SMALL.items()
                          for part in ("--max-" + name.replace("_", "-"), str(value))))
        self.addCleanup(daemon.stop)
        limits = {name: item["value"] for name, item in daemon.must("GET", "/v1/limits").items()}
        doc = Document(daemon.must("GET", "/openapi.json"))
        daemon.must("PUT", "/v1/worlds/w", {"dimension": 2, "bounds": {"min": [0, 0], "max": [9, 9]}})
        daemon.must("PUT", "/v1/robots/r", {"type": "point"})
        daemon.roadmap("m", {"world": "w", "robot": "r", "samples": {"count": 20}, "neighbors": {"k": 4}})
        for operation_id, limit, body in self.CASES:
            with self.subTest(operation=operation_id, limit=limit):
                self.assertEqual(limits[limit], self.SMALL[limit])
                method, path, operation = doc.operations[operation_id]
                path = path.replace("{world}", "x").replace("{roadmap}", "m" if method == "POST" else "x")
                path = path.replace("{robot}", "r" if method == "POST" else "x")
                schema, _ = doc.request(operation)
                for count, fits in ((limits[limit], True), (limits[limit] + 1, False)):
                    status, reply = daemon.request(method, path, body(count), {"If-Match": '"0"'} if "roadmaps/x" in path else {})
                    self.assertEqual(doc.validator(schema).is_valid(body(count)), fits, count)
                    # the shape of an arm is another matter
                    if not fits or limit != "links":
                        self.assertEqual(status in (200, 201, 412), fits, reply)
                    if not fits:
                        self.assertEqual((reply["code"], reply["limit"]), ("limit_exceeded", limits[limit]), reply)


if __name__ == "__main__":
    main()
