"""What the operator's account asked for in the audit logs of a run, beside what it may do."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rights.granted import NAME, NAMESPACE, Right, formatted

OPERATOR = f"system:serviceaccount:{NAMESPACE}:{NAME}"

# Rights that no test makes the operator use, and why it has them all the same.
UNUSED: Mapping[tuple[str, str], str] = {}

# What the operator asks for by a role that Kubernetes gives to every account, system:basic-user.
EVERYBODYS = (Right("create", "authorization.k8s.io/selfsubjectaccessreviews"),)


class Request(NamedTuple):
    """What a request asks for, as rights say it; one that is not about a resource has its path as the resource."""

    verb: str
    resource: str
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        """``patch pods n/p``."""
        return " ".join(filter(None, (self.verb, self.resource, "/".join(filter(None, (self.namespace, self.name))))))


@dataclass(frozen=True, slots=True)
class Use:
    """What was asked for and allowed, by right or by what everybody may do, and what was forbidden without a right."""

    allowed: Counter[tuple[str, str]] = field(default_factory=Counter)
    forbidden: Counter[Request] = field(default_factory=Counter)
    too_early: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note(self, event: Mapping[str, Any], rights: Sequence[Right]) -> None:
        """Count one request.

        What a right covers, or what everybody may do, may be forbidden too: an API server that has just started does
        not know its roles yet.
        """
        request = request_of(event)
        if event["annotations"]["authorization.k8s.io/decision"] == "allow":
            self.allowed[request.verb, request.resource] += 1
        elif any(covers(right, request) for right in (*rights, *EVERYBODYS)):
            self.too_early[request.verb, request.resource] += 1
        else:
            self.forbidden[request] += 1


def use_in(folder: Path, rights: Sequence[Right]) -> Use:
    """Count the operator's requests in all logs of a folder, each once."""
    use = Use()
    for log in sorted(folder.glob("*.jsonl")):
        for event in _operators_events(log):
            use.note(event, rights)
    return use


def unused(use: Use, rights: Iterable[Right]) -> list[tuple[str, str]]:
    """The rights of which no use was made, and that have no excuse."""
    return sorted({(one.verb, one.resource) for one in rights} - use.allowed.keys() - UNUSED.keys())


def request_of(event: Mapping[str, Any]) -> Request:
    """What an event of an audit log is about."""
    about = event.get("objectRef")
    if about is None:
        return Request(event["verb"], event["requestURI"].partition("?")[0])
    resource = "/".join(filter(None, (about["resource"], about.get("subresource"))))
    whole = formatted(about.get("apiGroup", ""), resource)
    return Request(event["verb"], whole, about.get("namespace", ""), about.get("name", ""))


def covers(right: Right, request: Request) -> bool:
    """Whether the right is all that the request needs."""
    return (
        (right.verb, right.resource) == (request.verb, request.resource)
        and right.namespace in ("", request.namespace)
        and (not right.names or request.name in right.names)
    )


def _operators_events(log: Path) -> Iterator[Mapping[str, Any]]:
    seen: set[str] = set()
    with log.open(encoding="utf-8") as lines:
        for line in lines:
            # A server that was killed leaves half a line.
            if OPERATOR not in line or not line.endswith("}\n"):
                continue
            event = json.loads(line)
            # A request that lasts is logged twice; one whose user could not be made out was not authorized at all.
            if event["user"]["username"] == OPERATOR and event["auditID"] not in seen and "annotations" in event:
                seen.add(event["auditID"])
                yield event
