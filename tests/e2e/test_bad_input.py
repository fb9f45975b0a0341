"""Bad requests: each gets the problem that the contract names, and the server keeps serving."""
import json

from daemon import DaemonTest, main

WORLD = {"dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
         "obstacles": [{"type": "circle", "center": [5, 5], "radius": 1}]}
PLAN = "/v1/roadmaps/m/plan"
MATRIX = "/v1/roadmaps/m/matrix"
GOOD_QUERY = b'{"queries":[{"start":[1,1],"goal":[2,2]}]'


def with_obstacle(**members):
    return {**WORLD, "obstacles": [members]}


class BadInput(DaemonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.daemon.must("PUT", "/v1/worlds/w", WORLD)
        cls.daemon.must("PUT", "/v1/robots/p", {"type": "point"})
        cls.daemon.roadmap("m", {"world": "w", "robot": "p", "samples": {"count": 500}})

    # method, path, body, status, code, pointer (None: any)
    CASES = [
        ("POST", PLAN, b"{", 400, "malformed", None),
        ("POST", PLAN, b"", 400, "malformed", None),
        ("POST", PLAN, b"\xff\xfe{}", 400, "malformed", None),
        ("POST", PLAN, b'{"queries":[{"start":[1,1],"goal":[NaN,2]}]}', 400, "malformed", None),
        ("POST", PLAN, b'{"queries":[{"start":[1,1],"goal":[1e999,2]}]}', 400, "malformed", None),
        ("POST", PLAN, b'{"queries":[{"start":[1,1],"goal":[' + b"9" * 400 + b",2]}]}", 400, "malformed", None),
        ("POST", PLAN, b"[" * 100000, 400, "malformed", None),
        ("POST", PLAN, GOOD_QUERY + b',"queries":[]}', 400, "malformed", None),
        ("POST", PLAN, b'{"querys":[]}', 422, "unknown_member", "/querys"),
        ("POST", PLAN, b'{"queries":{}}', 422, "invalid_argument", "/queries"),
        ("POST", PLAN, GOOD_QUERY + b',"objective":"fast"}', 422, "invalid_argument", "/objective"),
        ("POST", PLAN, GOOD_QUERY + b',"simplify":1}', 422, "invalid_argument", "/simplify"),
        ("POST", PLAN, GOOD_QUERY + b',"interpolate":0}', 422, "invalid_argument", "/interpolate"),
        ("POST", PLAN, GOOD_QUERY + b',"expand":{"samples":-1}}', 422, "invalid_argument", "/expand/samples"),
        ("POST", PLAN, GOOD_QUERY + b',"expand":{"samples":1000000000}}', 422, "limit_exceeded", "/expand/samples"),
        ("POST", PLAN, GOOD_QUERY + b',"deadline_ms":-5}', 422, "invalid_argument", "/deadline_ms"),
        ("POST", PLAN, GOOD_QUERY + b',"ignore":["nothing"]}', 422, "unknown_reference", "/ignore/0"),
        ("POST", PLAN, GOOD_QUERY + b',"obstacles":[{"type":"circle","center":[1,1]}]}', 422, "invalid_argument",
         "/obstacles/0/radius"),
        ("POST", MATRIX, b'{"states":[[1,1]],"sources":[1]}', 422, "invalid_argument", "/sources/0"),
        ("POST", MATRIX, b'{"states":[[1]]}', 422, "invalid_argument", "/states/0"),
        ("POST", "/v1/roadmaps/none/plan", GOOD_QUERY + b"}", 404, "unknown_roadmap", None),
        ("GET", "/v1/worlds/none", None, 404, "unknown_world", None),
        ("GET", "/v1/robots/none", None, 404, "unknown_robot", None),
        ("DELETE", "/v1/jobs/none", None, 404, "unknown_job", None),
        ("GET", "/v1/nothing", None, 404, "unknown_route", None),
        ("PATCH", PLAN, b"{}", 405, "method_not_allowed", None),
        ("PUT", "/v1/worlds/a%2Fb", WORLD, 400, "malformed", None),
        ("PUT", "/v1/worlds/a%00b", WORLD, 400, "malformed", None),
        ("PUT", "/v1/worlds/" + "a" * 65, WORLD, 422, "invalid_argument", None),
        ("PUT", "/v1/worlds/x", {**WORLD, "dimension": 4}, 422, "invalid_argument", "/dimension"),
        ("PUT", "/v1/worlds/x", {**WORLD, "bounds": {"min": [1, 1], "max": [0, 0]}}, 422, "invalid_argument", None),
        ("PUT", "/v1/worlds/x", with_obstacle(type="circle", center=[1, 1], radius=-1), 422, "invalid_argument",
         "/obstacles/0/radius"),
        ("PUT", "/v1/worlds/x", with_obstacle(type="circle", center=[1, 1], radius=0), 422, "invalid_argument",
         "/obstacles/0/radius"),
        ("PUT", "/v1/worlds/x", with_obstacle(type="rectangle", center=[1, 1], size=[1, 0]), 422,
         "invalid_argument", None),
        ("PUT", "/v1/worlds/x", with_obstacle(type="pyramid"), 422, "invalid_argument", "/obstacles/0/type"),
        ("PUT", "/v1/worlds/x", {**WORLD, "obstacles": WORLD["obstacles"] * 1 + [
            {"id": "a", "type": "circle", "center": [1, 1], "radius": 1},
            {"id": "a", "type": "circle", "center": [2, 1], "radius": 1}]}, 422, "duplicate_id", "/obstacles/2/id"),
        ("PUT", "/v1/worlds/x?format=teapot", b"x", 422, "invalid_argument", None),
        ("PUT", "/v1/worlds/x?format=movingai", b"type octile\nheight 2\nwidth 2\nmap\n..\n.?\n", 422,
         "invalid_argument", None),
        ("PUT", "/v1/robots/x", {"type": "ball", "radius": 0}, 422, "invalid_argument", "/radius"),
        ("PUT", "/v1/roadmaps/x", {"world": "none", "robot": "p"}, 422, "unknown_reference", "/world"),
        ("PUT", "/v1/roadmaps/x", {"world": "w", "robot": "none"}, 422, "unknown_reference", "/robot"),
        ("PUT", "/v1/roadmaps/x", {"world": "w", "robot": "p", "samples": {"count": 0}}, 422, "invalid_argument",
         "/samples/count"),
        ("PUT", "/v1/roadmaps/x", {"world": "w", "robot": "p", "samples": {"count": 10 ** 9}}, 422,
         "limit_exceeded", "/samples/count"),
        ("PUT", "/v1/roadmaps/x", {"world": "w", "robot": "p", "neighbors": {"k": -3}}, 422, "invalid_argument",
         "/neighbors/k"),
        ("PUT", "/v1/roadmaps/x", {"world": "w", "robot": "p", "samples": {"method": {"lattice": 1}}}, 422,
         "unknown_member", "/samples/method/lattice"),
        ("PUT", "/v1/roadmaps/x", {"world": "w", "robot": "p", "anchors": [[1, 1], [1, 1, 1]]}, 422,
         "invalid_argument", "/anchors/1"),
        ("PUT", "/v1/roadmaps/x", {"world": "w", "robot": "p", "allow": [["body", "nothing"]]}, 422,
         "unknown_reference", "/allow/0/1"),
    ]

    def test_each_has_its_problem(self):
        for method, path, body, status, code, pointer in self.CASES:
            with self.subTest(path=path[:60], body=str(body)[:60]):
                got, problem = self.daemon.request(method, path, body)
                self.assertIsInstance(problem, dict, (got, problem))
                self.assertEqual((got, problem.get("code")), (status, code), problem)
                if pointer is not None:
                    self.assertEqual(problem.get("pointer"), pointer, problem)
                for member in ("type", "title", "status", "detail", "request_id"):
                    self.assertIn(member, problem)
        self.assertEqual(self.daemon.request("GET", "/readyz")[0], 200)

    def test_limit_names_value_and_flag(self):
        _, problem = self.daemon.request("PUT", "/v1/roadmaps/x", {"world": "w", "robot": "p",
                                                                  "samples": {"count": 10 ** 9}})
        self.assertEqual(problem["flag"], "--max-milestones")
        self.assertEqual(int(problem["limit"]), 2000000)

    def test_all_faults_of_a_body(self):
        _, problem = self.daemon.request("PUT", "/v1/worlds/x", {
            **WORLD, "padding": -1, "obstacles": [{"type": "circle", "center": [1, 1], "radius": -1}], "colour": 1})
        self.assertGreaterEqual(len(problem["errors"]), 3)

    def test_syntax_error_has_a_place(self):
        _, problem = self.daemon.request("POST", PLAN, b'{\n"queries": [}\n')
        self.assertEqual(problem["line"], 2)
        self.assertIn("column", problem)

    def test_in_use(self):
        status, problem = self.daemon.request("DELETE", "/v1/worlds/w")
        self.assertEqual((status, problem["code"]), (409, "in_use"))
        self.assertIn("m", problem["detail"])

    def test_problem_is_typed_and_numbered(self):
        status, headers, body = self.daemon.raw("GET", "/v1/worlds/none", headers={"X-Request-Id": "abc-1"})
        self.assertEqual(headers["Content-Type"].split(";")[0], "application/problem+json")
        self.assertEqual((status, headers["X-Request-Id"], json.loads(body)["request_id"]), (404, "abc-1", "abc-1"))


if __name__ == "__main__":
    main()
