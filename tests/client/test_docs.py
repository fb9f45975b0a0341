"""Goal: what README.md and docs/api.md tell people to type works. Method: their shell blocks, in order, against a
prmd of the test's own, in a folder that looks like the project's root. Oracle: every command's exit status, and
what the daemon holds afterwards."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from daemon import BINARY, SOURCE, Daemon, main

BLOCK_S = 120


def blocks(page):
    """The shell blocks of a page, but for those that build the project itself, or install it (e2e_install does)."""
    found = re.findall(r"^```sh\n(.*?)^```", (SOURCE / page).read_text(encoding="utf-8"), re.S | re.M)
    return [block for block in found if not block.startswith(("./dev", "cmake --install"))]


@unittest.skipUnless(shutil.which("curl"), "needs curl")
class Docs(unittest.TestCase):
    def run_page(self, page):
        """Runs the page as one script, so that its variables last; returns what it printed."""
        script = "set -euo pipefail\n" + "\n".join(blocks(page))
        daemon = self.daemon = Daemon()
        self.addCleanup(lambda: self.assertEqual(daemon.stop(), 0))
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(SOURCE / "examples", pathlib.Path(folder, "examples"))
            os.symlink(pathlib.Path(BINARY).resolve().parents[1], pathlib.Path(folder, "build"))
            run = subprocess.run(["bash", "-c", script], cwd=folder, timeout=BLOCK_S, text=True,
                                 env={**os.environ, "PRM_SERVER": f"http://127.0.0.1:{daemon.port}"},
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(run.returncode, 0, run.stdout[-3000:])
            return run.stdout

    def test_readme(self):
        printed = self.run_page("README.md")
        self.assertIn('"status":"start_in_collision"', printed)
        self.assertIn("200 queries, 200 solved, 0 failed", printed)
        self.assertIn("200 of 200 lengths are the published ones", printed)

    def test_api(self):
        printed = self.run_page("docs/api.md")
        for text in ('"code":"in_use"', '"goal_index":', '"roadmaps":[', '"reason":'):
            self.assertIn(text, printed)

        # as the daemon's own log has it each route was asked, and answered well
        routes = {(row["method"], row["path"]) for row in self.daemon.must("GET", "/v1")["routes"]}
        for line in self.daemon.log().splitlines():
            entry = json.loads(line)
            if entry["event"] == "request" and entry["status"] < 400:
                routes.discard((entry["method"], entry["route"]))
        self.assertEqual(sorted(routes), [], "routes without an example")


if __name__ == "__main__":
    main()
