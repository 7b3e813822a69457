#!/usr/bin/env python3
"""The rules for Prometheus against the metrics of a running server, where promtool is installed.

    alerts.py PROGRAM SOURCE

The series are those of the server's /metrics, under the job that docs/how-to/deploy.md gives them.
As they are on a good day no rule fires; of each rule there is a day on which it fires alone.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from local_service import WatchedServer
from local_storm import prepare

LEFT_OUT = 77
MINUTES = 90
RULES = "packaging/tacet-alerts.yml"


def still(value):
    return f"{value}+0x{MINUTES}"


def rises(per_minute):
    return f"0+{per_minute}x{MINUTES}"


def scraped(metrics, job):
    """{series: its values} on a good day: 60 reports a minute, each stored at once."""
    found = {f'up{{job="{job}"}}': still(1)}
    line = re.compile(r"^(tacet_\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)
    for name, labels, value in line.findall(metrics):
        series = f"{name}{{{labels + ',' if labels else ''}job=\"{job}\"}}"
        busy = name == "tacet_reports_accepted" or name.startswith("tacet_commit_seconds") or \
            labels in ('reason="slot"', 'reason="counted"')
        found[series] = rises(60) if busy else still(value)
    return found


def days(good, job):
    """(the alert, the series) of bad days."""
    def day(**changes):
        changed = {f'tacet_{name}{{job="{job}"}}': values for name, values in changes.items()}
        unknown = set(changed) - set(good)
        assert not unknown, f"the server has no {unknown}"
        return {**good, **changed}

    wrong = f'tacet_answers_total{{reason="wrong_checksum",job="{job}"}}'
    assert wrong in good
    slow = {series: rises(60) if re.search(r'le="(\+Inf|[1-9])', series) else still(0)
            for series in good if series.startswith("tacet_commit_seconds_bucket")}
    assert len(set(slow.values())) == 2, slow
    yield "TacetNotReady", day(ready=still(0))
    yield "TacetNotReady", {f'up{{job="{job}"}}': still(0)}
    yield "TacetDiverged", day(diverged=still(1))
    yield "TacetStands", day(reports_accepted=still(5))
    yield "TacetSlotsLapse", day(slots_lapsed_total=rises(30))
    yield "TacetProbed", {**good, wrong: rises(30)}
    yield "TacetPlacesShort", day(connections_ended_early_total=rises(120))
    yield "TacetSlowCommits", {**good, **slow}


def case(series, fires):
    expected = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in fires]
    return {"interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "promql_expr_test": [{"expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                                  "eval_time": f"{MINUTES - 5}m", "exp_samples": expected}]}


def main(program, source):
    source, program = pathlib.Path(source).resolve(), str(pathlib.Path(program).resolve())
    promtool = shutil.which("promtool")
    if not promtool:
        print("left out: promtool is not installed")
        return LEFT_OUT
    page = (source / "docs/how-to/deploy.md").read_text()
    job = re.search(r"job_name: (\S+)", page).group(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(program, source, folder, 32)
        server = WatchedServer(program, folder)
        server.start()
        metrics = server.read("/metrics")
        server.stop()
        good = scraped(metrics, job)
        bad = list(days(good, job))
        rules = re.findall(r"alert: (\S+)", (source / RULES).read_text())
        if {alert for alert, _ in bad} != set(rules):
            print(f"FAILED: the rules are {rules}")
            return 1
        tests = [case(good, []), *(case(series, [alert]) for alert, series in bad)]
        (folder / "days.yml").write_text(json.dumps(
            {"rule_files": [str(source / RULES)], "evaluation_interval": "1m", "tests": tests}))
        done = subprocess.run([promtool, "test", "rules", "days.yml"], cwd=folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            print(f"FAILED: {done.stdout}")
        return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
