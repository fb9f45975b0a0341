"""Robots from files, as their users send them: a URDF by itself and in forms, by curl's types and by prm; where their
links are; plans of bodies and arms by name.

Oracle: joints by hand; a pose of the Panda that was measured elsewhere.
"""
import pathlib
import subprocess
import tempfile

from daemon import BINARY, SHARED, DaemonTest, main, needs_shared

XML = {"Content-Type": "application/xml"}
CRANE = b"""<?xml version="1.0"?>
<robot name="crane">
  <link name="mast"><collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
  <link name="boom"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
  <link name="hook"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="lift" type="prismatic"><parent link="boom"/><child link="hook"/><origin xyz="1 0 -0.2"/><axis xyz="0 0 -1"/>
    <limit lower="0" upper="0.6"/></joint>
  <joint name="slew" type="continuous"><parent link="mast"/><child link="boom"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/></joint>
</robot>
"""
SRDF = b"""<robot name="crane"><group name="turn"><joint name="slew"/></group>
  <disable_collisions link1="mast" link2="hook" reason="User"/></robot>"""


def form(**parts):
    """(headers, body) of a form of these parts."""
    body = b"".join(b'--edge\r\nContent-Disposition: form-data; name="%s"; filename="x"\r\n\r\n%s\r\n'
                    % (name.encode(), content) for name, content in parts.items())
    return {"Content-Type": "multipart/form-data; boundary=edge"}, body + b"--edge--\r\n"


class Robots(DaemonTest):
    def near(self, got, expected):
        got = list(got)
        self.assertEqual(len(got), len(expected))
        for a, b in zip(got, expected):
            self.assertAlmostEqual(a, b, places=5)

    def test_a_urdf(self):
        for headers, query in ((XML, ""), ({"Content-Type": "text/xml"}, ""),
                               ({"Content-Type": "application/x-www-form-urlencoded"}, "?format=urdf")):
            robot = self.daemon.must("PUT", "/v1/robots/crane" + query, CRANE, headers)
        self.assertEqual(robot["coordinates"], ["slew", "lift"])
        self.assertGreater(robot["cover_excess"], 0)
        self.assertEqual([w["code"] for w in robot["warnings"]], ["unmoved_link"])
        status, refused = self.daemon.request("PUT", "/v1/robots/crane", CRANE, {"Content-Type": "text/plain"})
        self.assertEqual((status, refused["code"]), (415, "unsupported_media_type"))

        # what GET gives PUT takes, without a change
        got = self.daemon.must("GET", "/v1/robots/crane")
        self.assertEqual(self.daemon.must("PUT", "/v1/robots/crane", got)["revision"], got["revision"])

        # half a turn and a way down
        links = self.daemon.must("POST", "/v1/robots/crane/forward",
                                 {"states": [[3.141592653589793, 0.25], {"lift": 0, "slew": 0}]})["states"]
        self.near(links[0]["links"]["hook"]["xyz"], [-1, 0, 0.55])
        self.near(map(abs, links[0]["links"]["boom"]["quaternion"]), [0, 0, 1, 0])
        self.near(links[1]["spheres"]["hook"][0], [1, 0, 0.8, 0.05])

    def test_a_form(self):
        headers, body = form(urdf=CRANE, srdf=SRDF, spheres=b"boom: [{center: [0.9, 0, 0], radius: 0.1}]",
                             options=b'{"group":"turn","locked":{"lift":0.3},"base":{"xyz":[0,0,2]}}')
        robot = self.daemon.must("PUT", "/v1/robots/turning", body, headers)
        self.assertEqual(robot["coordinates"], ["slew"])
        self.assertEqual(robot["ignore_pairs"], [["mast", "hook"]])
        state = self.daemon.must("POST", "/v1/robots/turning/forward", {"states": [[0]]})["states"][0]
        self.near(state["links"]["hook"]["xyz"], [1, 0, 2.5])
        self.assertEqual(len(state["spheres"]["boom"]), 1)

    def test_hostile_files(self):
        nested = b"<robot>" + b"<a>" * 1000000
        entities = b"<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><robot name='&a;'/>"
        for body, status, code in ((nested, 400, "malformed"), (entities, 422, "unsupported"),
                                   (b"<robot>" + b"<a/>" * (2 << 20), 422, "limit_exceeded"), (b"\0" * 100, 400, "malformed")):
            got, reply = self.daemon.request("PUT", "/v1/robots/bad", body, XML)
            self.assertEqual((got, reply["code"]), (status, code), reply)
        self.assertEqual(self.daemon.request("GET", "/v1/robots/bad")[0], 404)

    def test_plans_by_name(self):
        """A crane whose hook must rise over a box."""
        self.daemon.must("PUT", "/v1/robots/crane", CRANE, XML)
        self.daemon.must("PUT", "/v1/worlds/yard", {
            "dimension": 3, "bounds": {"min": [-2, -2, 0], "max": [2, 2, 2]},
            "obstacles": [{"id": "box", "type": "box", "center": [0, 1, 0.25], "size": [0.3, 0.3, 0.5]}]})
        info = self.daemon.roadmap("yard", {"world": "yard", "robot": "crane", "samples": {"count": 500}})
        self.assertEqual(info["coordinates"], ["slew", "lift"])
        reply = self.daemon.plan("yard", {"queries": [
            {"start": {"slew": 1, "lift": 0.5}, "goal": {"slew": 2.2, "lift": 0.5}},
            {"start": {"slew": 1.5707963267948966, "lift": 0.5}, "goal": [0, 0]},
            {"start": [0, 0.7], "goal": [0, 0]}]})["results"]
        self.assertEqual([r["status"] for r in reply], ["solved", "start_in_collision", "start_out_of_bounds"])
        self.assertEqual((reply[1]["reason"]["link"], reply[1]["reason"]["obstacle"]), ("hook", "box"))
        self.assertEqual(reply[2]["reason"]["coordinate"], "lift")

    @needs_shared
    def test_the_panda_by_prm(self):
        folder = SHARED / "data/robots"
        prm = pathlib.Path(BINARY).with_name("prm")
        with tempfile.TemporaryDirectory() as place:
            options = pathlib.Path(place, "options.json")
            options.write_text('{"group":"panda_arm"}', encoding="ascii")
            done = subprocess.run([prm, "--server", f"http://127.0.0.1:{self.daemon.port}", "robot", "put", "panda",
                                   folder / "vamp_panda.urdf", folder / "vamp_panda.srdf", folder / "franka_spheres.yml",
                                   options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        robot = self.daemon.must("GET", "/v1/robots/panda")
        self.assertEqual((robot["dof"], robot["coordinates"][6]), (7, "panda_joint7"))
        state = self.daemon.must("POST", "/v1/robots/panda/forward", {
            "states": [[0, -.785, 0, -2.356, 0, 1.571, .785]]})["states"][0]
        self.near(state["links"]["panda_link8"]["xyz"], [0.30702, 0, 0.59027])


if __name__ == "__main__":
    main()
