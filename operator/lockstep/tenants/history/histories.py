"""Answers questions about the records of each namespace. Users take turns.

A namespace shows no record of an earlier namespace with the same name.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from lockstep.api.client.client import KubeClient
from lockstep.api.records.history_params import HistoryQuestionError, parse_history
from lockstep.facts.records.history_question import HistoryQuestion, HistoryScope
from lockstep.tenants.fair_turns import FairTurns
from lockstep.tenants.history.recorder_client import FoundHistory, HistoryRefusedError
from lockstep.tenants.namespaces import read_namespace

AskRecorder = Callable[[HistoryQuestion, HistoryScope], Awaitable[FoundHistory]]


class HistoryView(NamedTuple):
    """The records that an answer may have: those of a namespace, with or without its Gangs."""

    namespace: str
    with_pod_gangs: bool


class Histories:
    """Answers questions about the records of one namespace."""

    def __init__(self, client: KubeClient, ask: AskRecorder, wall: Callable[[], float]) -> None:
        self._client = client
        self._ask = ask
        self._wall = wall
        self._turns = FairTurns()

    async def history(self, view: HistoryView, query: Mapping[str, str], party: str) -> FoundHistory:
        """The records that a query asks for. Only one question at a time is sent to the recorder; parties take turns.

        Raises ``NoAnswerNowError``, ``TooManyWaitError``, ``NoNamespaceError`` or ``HistoryRefusedError``.
        """
        try:
            asked = parse_history(query, self._wall())
        except HistoryQuestionError as error:
            raise HistoryRefusedError(f"{error}.") from error
        async with self._turns.turn(party):
            # Records from before the namespace was created belong to users of an earlier namespace.
            made = (await read_namespace(self._client, view.namespace)).made
            scope = HistoryScope(namespace=view.namespace, made=made, with_pod_gangs=view.with_pod_gangs)
            return await self._ask(asked, scope)
