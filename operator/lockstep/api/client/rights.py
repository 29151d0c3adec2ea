"""Tracks the rights that the API server denies us, and whether we may write at all.

A missing right affects only the requests that need it. These get the API server's last denial again, without being
sent; one of them is sent after 1, 2, 4 … 60 s. Every attempt and every report begins with a write of a status. So if no
status may be written anywhere, all writes wait until this right is back.
"""

import asyncio
import logging
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple

from lockstep.api.client.pauses import pause_after
from lockstep.api.names import GANGS, POD_GANGS, SWEEPS

STATUSES = f"{GANGS}/status"

# The message of the API server's authorizer. Admission also answers with 403, and tenants may choose that message.
_DENIAL = re.compile(r'[^ ]+( "[^"]*")? is forbidden: User "[^"]*" cannot [a-z]+ resource "')
_NAMESPACE = re.compile(r"/namespaces/([^/]+)/")
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "WATCH": "watch"}
# In seconds. While a right is needed, a request for it is sent at least once a minute. A denied right is no longer
# listed if its next request is overdue by this time.
_NEEDED_SECONDS = 120.0
# The most denials that are logged. More of them would give no further information.
_MOST_LOGGED = 20
_MANIFEST = "operator/rbac.yaml"
# Rights that only some options need are in separate manifests: rights for Gangs, owners of pods, sweeps and evictions.
# The operator reads owners to make their Gangs. It changes owners to suspend them, or to give them a size.
_SCHEDULING_GROUPS = "podgroups.scheduling.k8s.io"
_OF_KUEUE = ("workloads", "workloads/status", "admissionchecks", "admissionchecks/status", "resourceflavors")
_OF_SOURCES = (
    *(POD_GANGS, f"{POD_GANGS}/status"),
    *(_SCHEDULING_GROUPS, f"{_SCHEDULING_GROUPS}/status"),
    *_OF_KUEUE,
)
_OWNERS = ("jobs", "jobsets", "leaderworkersets", "mpijobs", "podgroups", "rayclusters")
_ABOVE_OWNERS = ("trainjobs", "pytorchjobs", "tfjobs", "xgboostjobs", "paddlejobs", "jaxjobs")
_OF_SWEEPS = (SWEEPS, f"{SWEEPS}/status")
_SWEEPING = "operator/rbac-sweeps.yaml"
_EVICTIONS = "pods/eviction"
_SOURCES = "operator/rbac-sources.yaml"
_EVICTS = "operator/rbac-evicting.yaml"
_CHANGES = "operator/rbac-suspending.yaml, or operator/rbac-sizing.yaml for the sources sizedjob and sizedraycluster"

log = logging.getLogger(__name__)


class Need(NamedTuple):
    """A right: a verb on a resource, as in the rules of roles. '' as the namespace means the whole cluster."""

    verb: str
    resource: str
    namespace: str

    def __str__(self) -> str:
        """The right in words, such as ``create pods in namespace team-a``."""
        where = f"in namespace {self.namespace}" if self.namespace else "in the whole cluster"
        return f"{self.verb} {self.resource} {where}"


@dataclass(slots=True)
class _Denial:
    message: str
    since: float
    ask_again_at: float
    tries: int = 0


class Rights:
    """The rights that are denied to one client now.

    A denied write of a status sets ``needs_review``. Only :meth:`record_review` with ``may_write`` clears it.
    """

    def __init__(self) -> None:
        self._denials: dict[Need, _Denial] = {}
        self._may_write = asyncio.Event()
        self._may_write.set()
        self.needs_review = asyncio.Event()
        self.trouble = ""
        """A sentence that says why nothing can be written and what to do, without a period; '' if writes go on."""

    @property
    def denied(self) -> list[Need]:
        """The denied rights that requests have needed recently."""
        now = _now()
        self._denials = {need: one for need, one in self._denials.items() if one.ask_again_at + _NEEDED_SECONDS > now}
        return list(self._denials)

    def is_denied(self, need: Need) -> bool:
        """Whether that right was denied at the last request."""
        return need in self._denials

    def denial_or_try(self, need: Need) -> str:
        """The API server's last denial of that right; '' if the request must be sent.

        While the right is denied, '' is returned once after each pause, and the next pause begins.
        """
        known = self._denials.get(need)
        if known is None:
            return ""
        if known.ask_again_at > _now():
            return known.message
        known.tries += 1
        known.ask_again_at = _now() + pause_after(known.tries)
        return ""

    def deny(self, need: Need, message: str) -> None:
        """Record that the API server denies that right. Do not call this for denials while the API server starts."""
        ask_again_at = _now() + pause_after(0)
        if need in self._denials:
            known = self._denials[need]
            # For a request, ``denial_or_try`` has already set the next time. A watch has other pauses: its denial only
            # shows that the right is still needed.
            known.ask_again_at = max(known.ask_again_at, ask_again_at)
        else:
            self._denials[need] = _Denial(message, since=_now(), ask_again_at=ask_again_at)
            self._log_denial(need, message)
        if need.resource == STATUSES and not self.trouble:
            self._may_write.clear()
            self.needs_review.set()

    def grant(self, need: Need) -> None:
        """Record an answer that shows that we have the right."""
        denial = self._denials.pop(need, None)
        if denial is not None:
            log.info("the API server allows this process to %s again, after %.0f s", need, _now() - denial.since)

    def watch_answered(self, need: Need, code: int) -> None:
        """Record the answer to a watch that needs this right."""
        if code == HTTPStatus.FORBIDDEN:
            self.deny(need, f"HTTP {code}")
        elif code == HTTPStatus.OK:
            self.grant(need)

    async def to_write(self) -> None:
        """Return when writes may be sent: at once, unless a write of a status was denied.

        After such a denial, writes wait for a review that finds that statuses may be written.
        """
        await self._may_write.wait()

    def record_review(self, *, may_write: bool) -> None:
        """Record whether the operator may write statuses. If so, writes go on, and only single rights are denied."""
        if may_write:
            self._writes_again()
        elif not self.trouble:
            self.trouble = (
                f"nothing can be written: the API server forbids this process to patch {STATUSES} in all "
                f"namespaces; {_remedy(STATUSES)}"
            )
            log.error("%s", self.trouble)

    def _writes_again(self) -> None:
        if self.trouble:
            log.info("the API server allows this process to write again")
            # All rights were denied together, so a request for each is sent again without a pause.
            self._denials.clear()
        self.trouble = ""
        self.needs_review.clear()
        self._may_write.set()

    def _log_denial(self, need: Need, message: str) -> None:
        if len(self._denials) <= _MOST_LOGGED:
            log.error(
                "the API server forbids this process to %s: %s; %s", need, message, _remedy(need.resource, need.verb)
            )


def is_denial(code: int, message: str) -> bool:
    """Whether an answer says that we lack a right, and not that admission refuses an object."""
    return code == HTTPStatus.FORBIDDEN and _DENIAL.match(message) is not None


def need_of(verb: str, path: str, resource: str) -> Need:
    """The right that a request needs."""
    namespace = _NAMESPACE.search(path)
    reading = "list" if path.endswith(f"/{resource}") else "get"
    return Need(_VERBS.get(verb, reading), resource, "" if namespace is None else namespace[1])


def _remedy(resource: str, verb: str = "") -> str:
    manifest = _MANIFEST
    if resource == _EVICTIONS:
        manifest = _EVICTS
    elif resource in _OF_SWEEPS or (resource, verb) == (GANGS, "create"):
        manifest = _SWEEPING
    elif resource in _ABOVE_OWNERS or (resource in _OWNERS and verb != "get"):
        manifest = _CHANGES
    elif resource in _OF_SOURCES or resource in _OWNERS:
        manifest = _SOURCES
    return f"to restore the right, apply {manifest} or upgrade the Helm release"


def _now() -> float:
    return asyncio.get_running_loop().time()
