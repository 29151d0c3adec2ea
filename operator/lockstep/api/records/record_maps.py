"""The ConfigMaps by which records go from the operator to the recorder. Each has several records, as lines of JSON.

Their names are numbered from 0, and numbers are reused. So the number of ConfigMaps is bounded, and a repeated
creation makes no second ConfigMap.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import orjson

from lockstep.api.manifest import Manifest
from lockstep.api.names import RECORDS_LABEL
from lockstep.api.records.record_document import parse_record, record_document
from lockstep.facts.records.gang_record import GangRecord

SLOTS = 32
"""The most ConfigMaps with records at the same time."""
MOST_BYTES = 128 * 1024
"""The most bytes of records in one ConfigMap, unless a single record is larger."""
SELECTOR = f"{RECORDS_LABEL}=true"
_KEY = "records.jsonl"


class ParsedMap(NamedTuple):
    """The records of a ConfigMap, and the error of its first line that is not a record; '' if there was none."""

    records: list[GangRecord]
    problem: str


def records_map_name(lease: str, slot: int) -> str:
    """The name of the ConfigMap in that slot, for operators that share the lease of that name."""
    return f"{lease}-records-{slot:02}"


def record_line(record: GangRecord) -> bytes:
    """The record as one line of JSON."""
    return orjson.dumps(record_document(record), option=orjson.OPT_APPEND_NEWLINE)


def records_manifest(namespace: str, name: str, lines: Iterable[bytes]) -> dict[str, Any]:
    """The ConfigMap with these lines."""
    metadata = {"namespace": namespace, "name": name, "labels": {RECORDS_LABEL: "true"}}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "immutable": True,
        "data": {_KEY: b"".join(lines).decode()},
    }


def parse_records(manifest: Manifest) -> ParsedMap:
    """Parse the records in a ConfigMap. An invalid line does not affect other lines."""
    records, problems = [], []
    for line in _lines(manifest):
        try:
            document = orjson.loads(line)
            records.append(parse_record(document if isinstance(document, dict) else {}))
        except ValueError as error:
            problems.append(str(error))
    return ParsedMap(records, problems[0] if problems else "")


def _lines(manifest: Manifest) -> Iterator[str]:
    text = (manifest.get("data") or {}).get(_KEY)
    yield from (line for line in str(text or "").split("\n") if line)
