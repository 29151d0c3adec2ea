"""Reads from a cluster, once, the objects that the operator watches. It writes nothing."""

import asyncio
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

from coschedule import GangKey
from lockstep.answers.reading.errors import AnswerError, NotAllowedError
from lockstep.answers.reading.learned_runs import remember_runs
from lockstep.answers.reading.sized_owners import listed_owners_kind
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError, Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import Configuration
from lockstep.api.client.credentials import Credentials, refused_to_person
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.manifest import Manifest
from lockstep.api.names import GANG_LABEL
from lockstep.api.podgang.pod_gang import parse_pod_gang
from lockstep.api.podgang.sizing.sized_kind import sized_kinds
from lockstep.api.pool import ALL_NODES
from lockstep.api.shares.fair_share import parse_fair_share
from lockstep.api.sweeps.sweep import parse_sweep
from lockstep.api.unreadable.unreadable_objects import unreadable_gang, unreadable_pod_gang
from lockstep.belief.podgangs.composing import composed
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.state import State
from lockstep.facts.fair_share import FairShare
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reason_meanings import LACKING_PODS
from lockstep.facts.reasons import Condition
from lockstep.facts.sweeps.sweep import Sweep
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kinds import bids_kind, fair_shares_kind, gangs_kind, pod_gangs_kind
from lockstep.watch.kubernetes_kinds import WATCHED
from lockstep.watch.pages import ListError, pages

_GANG_JOBS_AND_BIDS = (gangs_kind, bids_kind)

_Shown = TypeVar("_Shown", GangFact, Sweep)

_OPERATORS_OWN = "operator"

# The number of objects that are parsed in one turn of the event loop.
_IN_A_TURN = 32


class _NoSuchKindError(AnswerError):
    """The API server does not know the kind."""


# A list names no object, so 404 is about its kind.
_ERRORS: Mapping[int, type[AnswerError]] = {
    HTTPStatus.FORBIDDEN: NotAllowedError,
    HTTPStatus.NOT_FOUND: _NoSuchKindError,
}


def one_client(configuration: Configuration, *, connections: int = 1) -> KubeClient:
    """A client without metrics, with at least that many connections."""
    credentials = Credentials(refused=refused_to_person(configuration))
    return KubeClient(configuration, concurrency=connections, observer=lambda *_: None, credentials=credentials)


def kinds_of(state: State) -> tuple[Callable[[State], WatchedKind[Any]], ...]:
    """The kinds from which a plan is made, in the order in which they are read.

    Gangs and owners are read only if there are sources: Gangs after pods, and owners last. Only owners that wait for a
    size affect the plan.
    """
    gangs = (pod_gangs_kind,) if state.sources else ()
    owners = (partial(listed_owners_kind, kind) for kind in sized_kinds(state.sources))
    shares = (fair_shares_kind,) if state.has_shares else ()
    return (*WATCHED, *_GANG_JOBS_AND_BIDS, *shares, *gangs, *owners)


async def read_cluster(client: KubeClient, state: State, *, kind_read: Callable[[], None]) -> None:
    """Fill ``state`` with all objects that the API server lists. Raises ``AnswerError``.

    ``kind_read`` is called after each of ``kinds_of(state)``.
    """
    # Reservations are taken from statuses, as in a process that stands by.
    state.stand_by()
    for make_kind in kinds_of(state):
        await _read_kind(client, make_kind(state))
        kind_read()
    remember_runs(state)


def parse_shown(manifest: Manifest) -> GangFact:
    """A GangJob for commands that make no plan.

    It is parsed as if the operator had a gate image, because it is not known here whether the operator has one. A
    GangJob that can't be parsed, such as one of a later version, counts as refused.
    """
    try:
        return parse_gang(manifest, None, gate_image=_OPERATORS_OWN)
    except Exception as problem:  # noqa: BLE001 - the API server accepts any content
        return unreadable_gang(manifest, problem)


def parse_shown_pod_gang(manifest: Manifest) -> GangFact:
    """A Gang for commands that make no plan. Its pods are not read: its status says whether it awaits pods."""
    try:
        gang = parse_pod_gang(manifest)
    except Exception as problem:  # noqa: BLE001 - as above
        gang = unreadable_pod_gang(manifest, problem)
    fact = composed(gang, PodGroup(), ALL_NODES)
    if not isinstance(fact, AcceptedGang):
        return fact
    return replace(fact, spec=replace(fact.spec, awaits_pods=_awaited(gang.status)))


def _parse_shown_sweep(manifest: Manifest) -> Sweep | None:
    try:
        return parse_sweep(manifest)
    except Exception:  # noqa: BLE001 - as above
        return None


async def read_gangs(client: KubeClient, namespace: str | None) -> list[GangFact]:
    """The GangJobs of one namespace, or of all, at one time. Raises ``AnswerError``."""
    target = paths.ALL_GANGS if namespace is None else paths.gangs_of(namespace)
    return await _read_shown(client, target, namespace, parse_shown)


async def read_pod_gangs(client: KubeClient, namespace: str | None) -> list[GangFact]:
    """The Gangs of one namespace, or of all, at one time. Raises ``AnswerError``."""
    target = paths.ALL_POD_GANGS if namespace is None else paths.pod_gangs_of(namespace)
    return await _read_shown(client, target, namespace, parse_shown_pod_gang)


async def read_sweeps(client: KubeClient, namespace: str | None) -> list[Sweep]:
    """The GangSweeps of one namespace, or of all; none if the kind is not installed. Raises ``AnswerError``.

    GangSweeps that can't be parsed are left out.
    """
    target = paths.ALL_SWEEPS if namespace is None else paths.sweeps_of(namespace)
    try:
        return await _read_shown(client, target, namespace, _parse_shown_sweep)
    except _NoSuchKindError:
        return []


async def read_fair_share(client: KubeClient) -> FairShare | None:
    """The FairShare; None if the API server returns none. Raises ``AnswerError`` if the API server does not answer."""
    with answered(client):
        answer = await client.get(paths.FAIR_SHARE)
    return parse_fair_share(answer.body) if answer.is_success else None


async def read_gang(client: KubeClient, key: GangKey) -> Manifest | None:
    """The manifest of one GangJob; None if there is none. Raises ``AnswerError``."""
    with answered(client):
        answer = await client.get(paths.gang(key))
    if answer.is_absence:
        return None
    if answer.is_unserved:
        raise AnswerError(f"GangJob {key.name} of namespace {key.namespace} can't be read: {answer.message}.")
    if not answer.is_success:
        needed = f"The verb get on gangjobs of namespace {key.namespace} is needed: {answer.message}."
        raise AnswerError(_refusal(client, answer.code, needed))
    return answer.body


async def read_members(client: KubeClient, gang: GangKey) -> list[Manifest]:
    """The pods with the label of a gang. Any user may have set this label. Raises ``AnswerError``."""
    pods: dict[str, Manifest] = {}

    def add(manifest: Manifest) -> None:
        pods[manifest["metadata"]["name"]] = manifest

    whose, selector = f"namespace {gang.namespace}", f"{GANG_LABEL}={gang.name}"
    target = paths.pods_of(gang.namespace)
    await _read(client, target, add, forget=pods.clear, whose=whose, selector=selector)
    return list(pods.values())


@contextmanager
def answered(client: KubeClient) -> Iterator[None]:
    """Raise ``AnswerError`` if the API server does not answer."""
    try:
        yield
    except ApiUnavailableError as error:
        raise AnswerError(f"The API server at {client.configuration.host} does not answer: {error}.") from error


def _awaited(status: GangStatus) -> str:
    """The message in the status of a Gang that is not planned because too few of its pods wait; '' for other Gangs."""
    planned = status.condition(Condition.PLANNED)
    if planned is None:
        return ""
    is_just_placed = status.is_true(Condition.PLACED) and status.is_true(Condition.PLANNED) and status.plan is None
    return planned.message if is_just_placed or planned.reason in LACKING_PODS else ""


async def _read_shown(
    client: KubeClient, target: Target, namespace: str | None, parse: Callable[[Manifest], _Shown | None]
) -> list[_Shown]:
    gangs: dict[GangKey, _Shown] = {}

    def add(manifest: Manifest) -> None:
        gang = parse(manifest)
        if gang is not None:
            gangs[gang.key] = gang

    whose = "all namespaces" if namespace is None else f"namespace {namespace}"
    await _read(client, target, add, forget=gangs.clear, whose=whose)
    return list(gangs.values())


async def _read_kind(client: KubeClient, kind: WatchedKind[Any]) -> None:
    added = set[Hashable]()

    def add(manifest: Manifest) -> None:
        added.add(kind.key(manifest))
        kind.accept(manifest)

    def forget() -> None:
        for key in added:
            kind.drop(key)
        added.clear()

    try:
        await _read(client, kind.target, add, forget=forget)
    except _NoSuchKindError:
        if not kind.may_be_missing:
            raise


async def _read(
    client: KubeClient,
    target: Target,
    add: Callable[[Manifest], None],
    *,
    forget: Callable[[], None],
    whose: str = "all namespaces",
    selector: str = "",
) -> None:
    """Read a list page by page. If it expires between two pages, forget it and start again."""
    while True:
        try:
            with answered(client):
                await _read_pages(client, target, add, selector)
        except ListError as error:
            if error.code != HTTPStatus.GONE:
                kind = _ERRORS.get(error.code, AnswerError)
                raise kind(_refusal(client, error.code, _sentence(target.resource, error, whose))) from error
            forget()
        else:
            return


async def _read_pages(client: KubeClient, target: Target, add: Callable[[Manifest], None], selector: str) -> None:
    async for page in pages(client, target, selector=selector):
        for number, manifest in enumerate(page["items"] or (), start=1):
            add(manifest)
            if number % _IN_A_TURN == 0:
                await asyncio.sleep(0)


def _refusal(client: KubeClient, code: int, otherwise: str) -> str:
    """The reason why a request was refused: the credentials are not accepted, or ``otherwise``."""
    return f"{refused_to_person(client.configuration)}." if code == HTTPStatus.UNAUTHORIZED else otherwise


def _sentence(resource: str, error: ListError, whose: str) -> str:
    if error.code == HTTPStatus.NOT_FOUND:
        return f"The API server does not know {resource}: apply the CRDs first (kubectl apply -f crds/)."
    return f"The verb list on {resource} of {whose} is needed, and was refused: {error}."
