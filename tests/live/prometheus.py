"""A real Prometheus that scrapes operators of a test every second, with the shipped alerts hastened to match."""

import contextlib
import json
import math
import re
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from eventually import eventually
from observe.programs import program
from observe.rules_file import RULES
from sandbox import processes
from sandbox.binaries import Tool
from sandbox.ports import LOOPBACK, KeptPort
from sandbox.processes import Mark

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
NAMESPACE = "lockstep-system"


class Sample(NamedTuple):
    """One series of an answer and its value."""

    labels: Mapping[str, str]
    value: float


class Prometheus:
    """Asks one Prometheus."""

    def __init__(self, port: KeptPort) -> None:
        self._port = port

    def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            with DIRECT.open(f"http://{LOOPBACK}:{self._port.number}/-/ready", timeout=300) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def query(self, expression: str) -> list[Sample]:
        """What an expression is now."""
        found = self._ask("query", query=expression)
        assert found["resultType"] == "vector", f"{expression} gives a {found['resultType']}"
        return [Sample(one["metric"], float(one["value"][1])) for one in found["result"]]

    def firing(self) -> list[dict[str, Any]]:
        """The alerts that fire now."""
        return [alert for alert in self._ask("alerts")["alerts"] if alert["state"] == "firing"]

    def fires(self, alert: str, **labels: str) -> dict[str, Any] | None:
        """That alert, with these labels among its own, if it fires."""
        wanted = {"alertname": alert, **labels}.items()
        return next((one for one in self.firing() if wanted <= one["labels"].items()), None)

    def rules(self) -> list[dict[str, Any]]:
        """Every rule, with how its last evaluation went."""
        return [rule for group in self._ask("rules")["groups"] for rule in group["rules"]]

    def _ask(self, path: str, **parameters: str) -> dict[str, Any]:
        url = f"http://{LOOPBACK}:{self._port.number}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with DIRECT.open(url, timeout=300) as answer:
            data: dict[str, Any] = json.loads(answer.read())["data"]
            return data


@contextlib.contextmanager
def prometheus(folder: Path, targets: Sequence[str], rules: Mapping[str, Any]) -> Iterator[Prometheus]:
    """Run one that scrapes these addresses and evaluates these rules, both every second."""
    port = KeptPort()
    (folder / "rules.yaml").write_text(yaml.safe_dump(rules))
    (folder / "prometheus.yaml").write_text(
        yaml.safe_dump(
            {
                "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                "rule_files": ["rules.yaml"],
                "scrape_configs": [
                    {
                        "job_name": "lockstep",
                        "static_configs": [{"targets": list(targets), "labels": {"namespace": NAMESPACE}}],
                    }
                ],
            }
        )
    )
    command = [
        program(Tool.PROMETHEUS),
        f"--config.file={folder / 'prometheus.yaml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={LOOPBACK}:{port.number}",
        "--log.level=warn",
    ]
    with (folder / "prometheus.log").open("ab") as log:
        process = subprocess.Popen(
            processes.owned(command), env=processes.environment(Mark(folder, "prometheus")), stdout=log, stderr=log
        )
    found = Prometheus(port)
    try:
        eventually(found.is_ready)
        yield found
    finally:
        process.kill()
        process.wait()


def hastened(windows: Mapping[str, str], thresholds: Mapping[str, float]) -> dict[str, Any]:
    """The shipped rules, that fire without waiting, over these windows and with these thresholds."""
    rules: dict[str, Any] = yaml.safe_load(RULES.read_text())
    for group in rules["groups"]:
        for rule in group["rules"]:
            rule["expr"] = re.sub(r"\[(\w+)\]", lambda found: f"[{windows[found[1]]}]", rule["expr"])
            name = rule.get("record", "").removeprefix("lockstep:threshold:")
            if name in thresholds:
                rule["expr"] = f"vector({thresholds[name]})"
            if "for" in rule:
                rule["for"] = "0s"
    return rules


def is_number(sample: Sample) -> bool:
    """Whether a panel can show it."""
    return math.isfinite(sample.value)
