"""The rights that the API server denies us though we need them, and whether it lets us write at all.

A right that is missing costs what needs it, and nothing else: its requests are answered as the API server answered the
last one, which is asked again after 1, 2, 4 … 60 s. Without the right to write statuses anywhere, nothing can be
written, as every attempt and every report begins with one: then all writes wait until it is given back.
"""

import asyncio
import logging
import re
from dataclasses import dataclass
from typing import NamedTuple

from lockstep.api.client.pauses import pause_after
from lockstep.api.names import GANGS

FORBIDDEN = 403
_OPEN = 200
STATUSES = f"{GANGS}/status"

# As its authorizer words it; admission, which also answers 403, may quote whatever a tenant has written.
_DENIAL = re.compile(r'[^ ]+( "[^"]*")? is forbidden: User "[^"]*" cannot [a-z]+ resource "')
_NAMESPACE = re.compile(r"/namespaces/([^/]+)/")
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "WATCH": "watch"}
# Whoever needs a right asks for it again, after a minute at the latest: whoever does not may not need it any more.
_NEEDED_SECONDS = 120.0
# Of more rights in more namespaces nobody reads; the first tell what has happened.
_MOST_TOLD = 20
_REMEDY = (
    "give it back: apply operator/rbac.yaml, or upgrade the Helm release, which have the operator's ClusterRole and "
    "ClusterRoleBinding"
)

log = logging.getLogger(__name__)


class Need(NamedTuple):
    """A verb on a resource, as rules of roles name them; without a namespace in the whole cluster."""

    verb: str
    resource: str
    namespace: str

    def __str__(self) -> str:
        """``create pods in namespace team-a``."""
        where = f"in namespace {self.namespace}" if self.namespace else "in the whole cluster"
        return f"{self.verb} {self.resource} {where}"


@dataclass(slots=True)
class _Denial:
    message: str
    since: float
    ask_again_at: float
    tries: int = 0


class Rights:
    """What is denied just now, of the requests of one client.

    ``doubted`` is set from a denied status on until :meth:`judged` tells whether statuses may be written anywhere.
    """

    def __init__(self) -> None:
        self._denials: dict[Need, _Denial] = {}
        self._may_write = asyncio.Event()
        self._may_write.set()
        self.doubted = asyncio.Event()
        self.trouble = ""
        """One sentence on why nothing can be written, and what to do, without a period; empty where something can."""

    @property
    def denied(self) -> list[Need]:
        """The rights that are denied, as far as somebody has needed them lately."""
        now = _now()
        self._denials = {need: one for need, one in self._denials.items() if one.ask_again_at + _NEEDED_SECONDS > now}
        return list(self._denials)

    def is_denied(self, need: Need) -> bool:
        """Whether that right was denied the last time."""
        return need in self._denials

    def denial(self, need: Need) -> str:
        """What the API server says to who needs that right; empty where it is to be asked. One at a time asks."""
        known = self._denials.get(need)
        if known is None:
            return ""
        if known.ask_again_at > _now():
            return known.message
        known.tries += 1
        known.ask_again_at = _now() + pause_after(known.tries)
        return ""

    def deny(self, need: Need, message: str) -> None:
        """The API server denies that right, and not only in its first moments."""
        ask_again_at = _now() + pause_after(0)
        if need in self._denials:
            known = self._denials[need]
            # Who watches has pauses of its own.
            known.ask_again_at = max(known.ask_again_at, ask_again_at)
        else:
            self._denials[need] = _Denial(message, since=_now(), ask_again_at=ask_again_at)
            self._tell(need, message)
        if need.resource == STATUSES and not self.trouble:
            self._may_write.clear()
            self.doubted.set()

    def grant(self, need: Need) -> None:
        """The API server has answered what it answers to those only who have that right."""
        denial = self._denials.pop(need, None)
        if denial is not None:
            log.info("the API server lets us %s again, after %.0f s", need, _now() - denial.since)

    def watch_answered(self, need: Need, code: int) -> None:
        """A watch that needs this right was answered with that HTTP code. It has pauses of its own."""
        if code == FORBIDDEN:
            self.deny(need, f"HTTP {code}")
        elif code == _OPEN:
            self.grant(need)

    async def to_write(self) -> None:
        """Return when writes may be sent: at once, unless there may be no right to write anything."""
        await self._may_write.wait()

    def judged(self, *, may_write: bool) -> None:
        """Whether statuses may be written in any namespace; where they may, those that are denied are single ones."""
        if may_write:
            self._writes_again()
        elif not self.trouble:
            self.trouble = f"nothing can be written: the API server lets us not patch {STATUSES} anywhere; {_REMEDY}"
            log.error("%s", self.trouble)

    def _writes_again(self) -> None:
        if self.trouble:
            log.info("the API server lets us write again")
            # All were denied with it: each is asked for as if it never had been.
            self._denials.clear()
        self.trouble = ""
        self.doubted.clear()
        self._may_write.set()

    def _tell(self, need: Need, message: str) -> None:
        if len(self._denials) <= _MOST_TOLD:
            log.error("the API server lets us not %s: %s; %s", need, message, _REMEDY)


def is_denial(code: int, message: str) -> bool:
    """Whether an answer says that we lack a right, and not that admission refuses an object."""
    return code == FORBIDDEN and _DENIAL.match(message) is not None


def need_of(verb: str, path: str, resource: str) -> Need:
    """Which right a request needs."""
    namespace = _NAMESPACE.search(path)
    reading = "list" if path.endswith(f"/{resource}") else "get"
    return Need(_VERBS.get(verb, reading), resource, "" if namespace is None else namespace[1])


def _now() -> float:
    return asyncio.get_running_loop().time()
