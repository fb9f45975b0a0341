"""Goal: /metrics keeps Prometheus' rules, the scrape and alerts are right, and the dashboard asks for what there is.

Method: a prmd that has built, planned, failed and cancelled; promtool on its metrics, on the configuration, the rules
and their tests; each expression of rules and dashboard parsed by promtool, each name and label in it looked for in
what prmd tells. Oracle: promtool; without it that part is skipped.
"""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from daemon import SOURCE, DaemonTest, main

MONITORING = SOURCE / "deploy"
RULES = MONITORING / "prometheus" / "prmd.rules.yml"
PROMTOOL = shutil.which("promtool")
WORLD = {"dimension": 2, "bounds": {"min": [0, 0], "max": [10, 10]},
         "obstacles": [{"type": "circle", "center": [5, 5], "radius": 1}]}
# what the collector adds, and what Grafana puts in
COLLECTED = {"up": set()}
COLLECTED_LABELS = {"instance", "job", "le", "alertname", "alertstate"}
GRAFANA = (("$__rate_interval", "5m"), ("$instance", ".*"))


def promtool(*arguments, text=None):
    done = subprocess.run([PROMTOOL, *arguments], input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def expressions(dashboard):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            expression = target["expr"]
            for word, value in GRAFANA:
                expression = expression.replace(word, value)
            yield panel["title"], expression


class Monitoring(DaemonTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        daemon = cls.daemon
        daemon.must("PUT", "/v1/worlds/w", WORLD)
        daemon.must("PUT", "/v1/robots/p", {"type": "point"})
        daemon.roadmap("m", {"world": "w", "robot": "p", "samples": {"count": 500}})
        for _ in range(3):
            daemon.plan("m", {"queries": [{"start": [1, 1], "goal": [9, 9]}, {"start": [5, 5], "goal": [9, 9]}]})
        daemon.request("GET", "/v1/nothing")
        daemon.request("POST", "/v1/compute/scan", {"values": [1, 2, 3]})
        status, job = daemon.request("PUT", "/v1/roadmaps/large", {"world": "w", "robot": "p",
                                                                   "samples": {"count": 500000}})
        assert status == 202, job
        daemon.request("DELETE", "/v1/jobs/" + job["id"])
        cls.text = daemon.raw("GET", "/metrics")[2].decode()
        # labels by the names of samples
        cls.names = dict(COLLECTED)
        for line in cls.text.splitlines():
            if not line.startswith("#"):
                name, labels = re.match(r"(\w+)(?:\{(.*)\})? \S+$", line).groups()
                cls.names.setdefault(name, set()).update(re.findall(r'(\w+)="', labels or ""))
        rules = RULES.read_text(encoding="utf-8")
        cls.recorded = set(re.findall(r"record: (\S+)", rules))
        cls.dashboard = json.loads((MONITORING / "grafana" / "dashboard.json").read_text(encoding="utf-8"))

    def rule_expressions(self):
        """The expressions of the rules as promtool would read them: folded texts are one line."""
        text = RULES.read_text(encoding="utf-8")
        for block in re.findall(r"expr: (?:>-\n)?((?:.*\n)(?: {10,}.*\n)*)", text):
            yield "rule", " ".join(line.strip() for line in block.splitlines())

    def test_promtool_finds_nothing_to_say_about_metrics(self):
        if not PROMTOOL:
            self.skipTest("needs promtool")
        code, output = promtool("check", "metrics", text=self.text)
        self.assertEqual((code, output.strip()), (0, ""))

    def test_content_type(self):
        self.assertEqual(self.daemon.raw("GET", "/metrics")[1]["Content-Type"],
                         "text/plain; version=0.0.4; charset=utf-8")

    def test_all_that_is_promised_is_there(self):
        promised = {
            "prmd_build_info": {"version", "device"}, "prmd_http_requests_total": {"method", "route", "code"},
            "prmd_http_request_duration_seconds_bucket": {"route", "le"}, "prmd_queue_duration_seconds_bucket": {"op", "le"},
            "prmd_queries_total": {"status"}, "prmd_batch_queries_bucket": {"le"},
            "prmd_stage_duration_seconds_bucket": {"stage", "le"}, "prmd_jobs": {"state"},
            "prmd_jobs_ended_total": {"state"}, "prmd_job_duration_seconds_bucket": {"kind", "le"},
            "prmd_roadmaps": {"state"}, "prmd_device_memory_bytes": {"device", "use"},
            "prmd_ready": set(), "prmd_requests_in_flight": set(), "prmd_worlds": set(), "prmd_robots": set(),
            "process_cpu_seconds_total": set(), "process_resident_memory_bytes": set(),
            "process_virtual_memory_bytes": set(), "process_open_fds": set(), "process_max_fds": set(),
            "process_start_time_seconds": set(),
        }
        for name, labels in promised.items():
            self.assertEqual(self.names.get(name), labels, name)
        # and nothing that a client has named is a label
        for word in ("/v1/nothing", '"m"', '"w"', "large"):
            self.assertNotIn(word, self.text)
        self.assertIn('prmd_queries_total{status="solved"} 3', self.text)
        self.assertIn('prmd_http_requests_total{method="GET",route="unknown",code="404"} 1', self.text)

    def test_configuration_and_rules(self):
        if not PROMTOOL:
            self.skipTest("needs promtool")
        folder = MONITORING / "prometheus"
        for arguments in (("check", "config", folder / "prometheus.yml"), ("check", "rules", RULES),
                          ("test", "rules", folder / "prmd.rules.test.yml")):
            code, output = promtool(*map(str, arguments))
            self.assertEqual(code, 0, output)

    def test_expressions_parse(self):
        if not PROMTOOL:
            self.skipTest("needs promtool")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "all.yml")
            # JSON is YAML
            path.write_text(json.dumps({"groups": [{"name": "all", "rules": [
                {"record": f"x:y{i}", "expr": expression}
                for i, (_, expression) in enumerate(expressions(self.dashboard))]}]}), encoding="utf-8")
            code, output = promtool("check", "rules", str(path))
            self.assertEqual(code, 0, output)

    def test_expressions_ask_for_what_there_is(self):
        asked = 0
        for where, expression in [*expressions(self.dashboard), *self.rule_expressions()]:
            plain = re.sub(r'"[^"]*"', '""', expression)
            # names as they stand, with the labels that are matched right behind
            for name, matched in re.findall(r"\b((?:prmd|process|up|instance|instance_op|instance_route)[\w:]*)(?:\{([^}]*)\})?",
                                            plain):
                if name in self.recorded or name in COLLECTED_LABELS:
                    continue
                self.assertIn(name, self.names, f"{where}: {expression}")
                asked += 1
                for label in re.findall(r"(\w+)\s*[=!]", matched or ""):
                    self.assertIn(label, self.names[name] | COLLECTED_LABELS, f"{where}: {expression}")
        self.assertGreater(asked, 40)

    def test_dashboard_is_laid_out(self):
        panels = self.dashboard["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        taken = set()
        for panel in panels:
            place = panel["gridPos"]
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])}
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells
        variables = {variable["name"] for variable in self.dashboard["templating"]["list"]}
        self.assertEqual(variables, {"datasource", "instance"})


if __name__ == "__main__":
    main()
