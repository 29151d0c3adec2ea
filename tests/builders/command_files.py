"""Files that commands read: a snapshot that was recorded, and a manifest to plan behind it."""

import json

import yaml

from coschedule import encode_plan, encode_snapshot, plan
from engine.builders import node, snapshot
from lockstep.report.text.refusal_sentences import format_refusal

SNAPSHOT, MANIFEST = "then.json", "new.yaml"


def write_command_files(folder, waiting, new):
    """Write a snapshot of one node with a gang that waits, and the manifest of a new one."""
    snap = snapshot([node("a", free=(2, 2000, 110))], [waiting], resources=("bid slots", "cpu", "pods"))
    document = {"snapshot": encode_snapshot(snap), "plan": encode_plan(plan(snap), format_refusal)}
    (folder / SNAPSHOT).write_text(json.dumps(document))
    (folder / MANIFEST).write_text(yaml.safe_dump(new))
