"""Jobs of the walk: the operator makes Gangs for them, and places their pods, which it never deletes."""

from collections.abc import Mapping
from typing import Any

from builders.manifests import RUN_FOR, member_container

NAMES = ("job0", "job1", "job2", "job3")


def job(how: Mapping[str, Any], node_selector: Mapping[str, str]) -> dict[str, Any]:
    """An Indexed Job as a step describes it; one with a range of ``sizes`` waits for its size."""
    annotations = {RUN_FOR: how["run_for"]} if how["run_for"] else {}
    pod = {
        "schedulerName": "lockstep",
        "restartPolicy": "Never",
        "priorityClassName": how["priority"],
        "nodeSelector": node_selector,
        "terminationGracePeriodSeconds": 1,
        "containers": [member_container(how["cpu"])],
    }
    spec = {
        "parallelism": how["size"],
        "completions": how["size"],
        "completionMode": "Indexed",
        "backoffLimit": how["backoff_limit"],
        "suspend": how["sizes"] is not None,
        "template": {"metadata": {"annotations": annotations}, "spec": pod},
    }
    sizes = {"lockstep.dev/size": how["sizes"]} if how["sizes"] else {}
    return {"metadata": {"name": how["name"], "annotations": sizes}, "spec": spec}
