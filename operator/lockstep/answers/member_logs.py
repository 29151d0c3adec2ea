"""Shows the logs of all members of a gang. Each line has the rank of its member."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from coschedule import GangKey
from lockstep.answers.reading.cluster import parse_shown, read_gang, read_members
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.stamped_lines import StampedLines
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.long_answers import Text
from lockstep.api.members.member_log import MemberLog, containers_of, parse_member_log
from lockstep.api.preemption import gang_name
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.ranks import MOST_RANKS, format_ranks, has_rank, parse_ranks, ranks_from, ranks_in
from lockstep.facts.reasons import Condition
from lockstep.report.text.sentences import n_members

if TYPE_CHECKING:
    from lockstep.facts.pods.pod import PodKey

MOST_FOLLOWED = 100
"""The most logs that are followed.

Each needs a connection to the API server, and another one from there to a kubelet.
"""

_POLL_SECONDS = 2.0


class LogEntry(NamedTuple):
    """A line of a member's log, or a notice.

    If ``line`` is None, the entry is a ``notice`` about the log. If ``rank`` is None, the notice is about the gang.
    """

    rank: int | None
    attempt: int
    pod: str
    line: bytes | None
    notice: str = ""


Show = Callable[[LogEntry], None]


class LogsRequest(NamedTuple):
    """The logs to show: those of ``ranks``, or of all members if it is empty.

    ``tail`` is the number of last lines to show; None means all lines.
    """

    gang: GangKey
    ranks: str = ""
    container: str = ""
    tail: int | None = None

    def wants(self, rank: int) -> bool:
        """Whether the log of that rank is wanted."""
        return not self.ranks or has_rank(parse_ranks(self.ranks), rank)


class _MembersNow(NamedTuple):
    """A gang and its members' logs at one time.

    The logs are of the last attempt that has pods, in the order of ranks.
    """

    gang: GangFact
    logs: list[MemberLog]

    @property
    def is_over(self) -> bool:
        return self.gang.status.end is not None


async def show_logs(client: KubeClient, request: LogsRequest, show: Show) -> bool:
    """Pass the current logs to ``show``, rank by rank; returns whether all requested logs were read.

    Raises ``AnswerError`` if there is no such gang or container, or if the gang has none of the requested members.
    """
    members = await _read_members(client, request)
    if not members.logs:
        raise AnswerError(_no_members(members.gang, request))
    results = [await _show_one(client, log, request, show) for log in members.logs]
    gone = _without_pod(members, request)
    if gone:
        show(
            LogEntry(
                None, members.gang.status.attempt, "", None, f"There is no pod of rank {gone}, so there is no log."
            )
        )
    return all(results) and not gone


async def follow_logs(client: KubeClient, request: LogsRequest, show: Show) -> bool:
    """Pass the logs to ``show`` as they grow, including logs of later attempts, until the gang has ended.

    Returns whether all followed logs were read to their ends. Raises ``AnswerError`` if there is no such gang or
    container, or if too many logs are requested.
    """
    followed: dict[PodKey, _FollowedLog] = {}
    shown: set[LogEntry] = set()
    try:
        while True:
            members = await _read_members(client, request)
            _check_number(members, request)
            for log in members.logs:
                if log.why_none:
                    _show_once(_notice(log, f"does not run yet: {log.why_none}"), shown, show)
                else:
                    followed.setdefault(log.pod, _FollowedLog(client, request, show, shown)).go_on(log)
            if not members.logs:
                _show_once(LogEntry(None, 0, "", None, _no_members(members.gang, request)), shown, show)
            if members.is_over:
                there = {log.pod for log in members.logs}
                return all(await asyncio.gather(*(one.end(is_there=pod in there) for pod, one in followed.items())))
            await asyncio.sleep(_POLL_SECONDS)
    finally:
        for one in followed.values():
            one.stop()


class _FollowedLog:
    """Follows the log of one container, also after the container was started again, or the connection was cut.

    ``go_on`` must be called before ``end`` and ``stop``.
    """

    def __init__(self, client: KubeClient, request: LogsRequest, show: Show, shown: set[LogEntry]) -> None:
        self._client = client
        self._request = request
        self._show = show
        self._shown = shown
        self._lines = StampedLines()
        self._log: MemberLog | None = None
        self._reading: asyncio.Task[None] | None = None
        self._was_opened = False
        # ``_has_all_of`` is the container as it was before its log was last read to the end. ``_trouble`` says why the
        # log can't be read; '' without an error.
        self._has_all_of: MemberLog | None = None
        self._trouble = ""

    def go_on(self, log: MemberLog) -> None:
        """Begin to read the log, unless it is being read.

        The log is not read again if the container has ended and its log was read to the end since then.
        """
        self._log = log
        if self._reading is not None and not self._reading.done():
            return
        if self._reading is not None:
            self._reading.result()
        if self._has_all_of != log or not log.has_ended:
            self._reading = asyncio.create_task(self._read(log))

    async def end(self, *, is_there: bool) -> bool:
        """Wait for the end of the log; returns whether it was read to its end.

        After a cut, the log is read once more, if the pod still ``is_there``.
        """
        assert self._log is not None, "the log is being read"
        assert self._reading is not None, "the log is being read"
        await self._reading
        if is_there:
            self.go_on(self._log)
            await self._reading
        if self._trouble:
            _show_once(_notice(self._log, self._trouble), self._shown, self._show)
        return not self._trouble

    def stop(self) -> None:
        """Stop reading."""
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self, log: MemberLog) -> None:
        params = _params(log, self._request, follow=True) | self._lines.next_request()
        if "sinceTime" in params:
            params.pop("tailLines", None)
        try:
            async with self._client.text(paths.pod_log(log.pod), params) as text:
                refusal = await text.refusal()
                if refusal is None:
                    self._was_opened = True
                    await self._show_lines(log, text)
        except ApiUnavailableError as error:
            self._failed(log, f"has a log that ended early: {error}", is_said=bool(self._trouble))
            return
        if refusal is None:
            self._has_all_of, self._trouble = log, ""
        elif self._trouble or not self._was_opened:
            # If the log was opened before and no error followed, the refusal is no error: the log has ended, and the
            # pod may be gone.
            self._failed(log, f"has a log that can't be read: {refusal}", is_said=True)

    def _failed(self, log: MemberLog, why: str, *, is_said: bool) -> None:
        """Remember why the log could not be read to its end; the first reason of several in a row counts."""
        self._trouble = self._trouble or why
        if is_said:
            _show_once(_notice(log, self._trouble), self._shown, self._show)

    async def _show_lines(self, log: MemberLog, text: Text) -> None:
        async for line in text.lines():
            new = self._lines.take(line)
            if new is not None:
                self._trouble = ""
                self._show(LogEntry(log.member.rank, log.member.attempt, log.pod.name, new))


def _show_once(entry: LogEntry, shown: set[LogEntry], show: Show) -> None:
    if entry not in shown:
        shown.add(entry)
        show(entry)


async def _read_members(client: KubeClient, request: LogsRequest) -> _MembersNow:
    manifest = await read_gang(client, request.gang)
    if manifest is None:
        raise AnswerError(f"There is no GangJob {gang_name(request.gang)}.")
    gang = parse_shown(manifest)
    pods = await read_members(client, request.gang)
    parsed = [(pod, parse_member_log(pod, request.container)) for pod in pods]
    own = [(pod, log) for pod, log in parsed if log is not None and log.member.gang_uid == gang.uid]
    last = max((log.member.attempt for _, log in own), default=0)
    wanted = [(pod, log) for pod, log in own if log.member.attempt == last and request.wants(log.member.rank)]
    for pod, log in wanted:
        _check_container(pod, log)
    return _MembersNow(gang, sorted((log for _, log in wanted), key=lambda log: log.member.rank))


def _check_container(pod: Mapping[str, Any], log: MemberLog) -> None:
    names = containers_of(pod)
    if log.container not in names:
        raise AnswerError(f"{log.pod.name} has no container {log.container}: it has {', '.join(names)}.")


def _check_number(members: _MembersNow, request: LogsRequest) -> None:
    if len(members.logs) > MOST_FOLLOWED:
        raise AnswerError(
            f"At most {MOST_FOLLOWED} logs are followed at once, and {gang_name(request.gang)} has "
            f"{n_members(len(members.logs))} to follow: choose some, such as --rank 0-{MOST_FOLLOWED - 1}."
        )


def _without_pod(members: _MembersNow, request: LogsRequest) -> str:
    """The requested ranks that have no pod in the gang's last attempt, as text such as ``0-3,7``."""
    there = {log.member.rank for log in members.logs}
    return format_ranks(ranks_from(rank for rank in _ranks(members.gang) if rank not in there and request.wants(rank)))


def _ranks(gang: GangFact) -> Iterable[int]:
    """The ranks of the gang's members, by its status."""
    status = gang.status
    return ranks_in(parse_ranks(status.ranks)) if status.ranks else range(min(status.size or 0, MOST_RANKS))


def _no_members(gang: GangFact, request: LogsRequest) -> str:
    conditions = [gang.status.condition(kind) for kind in (Condition.PLACED, Condition.PLANNED, Condition.ACCEPTED)]
    why = next((f": {one.message}" for one in conditions if one is not None and one.message), ".")
    which = f" of rank {request.ranks}" if request.ranks else ""
    return f"There is no member{which} of {gang_name(gang.key)}{why}"


async def _show_one(client: KubeClient, log: MemberLog, request: LogsRequest, show: Show) -> bool:
    """Pass one log to ``show``; returns whether it was read to its end."""
    if log.why_none:
        show(_notice(log, f"does not run yet: {log.why_none}"))
        return False
    try:
        async with client.text(paths.pod_log(log.pod), _params(log, request)) as text:
            refusal = await text.refusal()
            if refusal is not None:
                show(_notice(log, f"has a log that can't be read: {refusal}"))
                return False
            async for line in text.lines():
                show(LogEntry(log.member.rank, log.member.attempt, log.pod.name, line))
    except ApiUnavailableError as error:
        show(_notice(log, f"has a log that ended early: {error}"))
        return False
    return True


def _params(log: MemberLog, request: LogsRequest, *, follow: bool = False) -> dict[str, str]:
    tail = {} if request.tail is None else {"tailLines": str(request.tail)}
    return {"container": log.container, **({"follow": "true"} if follow else {}), **tail}


def _notice(log: MemberLog, sentence: str) -> LogEntry:
    return LogEntry(log.member.rank, log.member.attempt, log.pod.name, None, f"{log.pod.name} {sentence}")
