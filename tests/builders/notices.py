"""What a template has so that its members read a notice of a change of size, and the annotations for it."""

NOTICE, READY = "lockstep.dev/resize", "lockstep.dev/ready-to-resize"
FIELD = {"fieldPath": f"metadata.annotations['{NOTICE}']"}
READS = {"volumes": [{"name": "podinfo", "downwardAPI": {"items": [{"path": "resize", "fieldRef": FIELD}]}}]}
"""The pod spec of members that have the notice as a file."""
