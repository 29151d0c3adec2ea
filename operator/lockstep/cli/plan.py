"""``lockstep plan``: shows what would happen if you applied a file now."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from time import time
from typing import IO, Any

import click

from coschedule import GangKey
from lockstep.answers.plan.document import unplanned_document, waiting_document
from lockstep.answers.plan.planned import AnsweredPlan, plan_now, start_times
from lockstep.answers.plan.recorded import planned_before, read_recorded, with_further
from lockstep.answers.plan.text import delays_line, unplanned_lines, wrapped
from lockstep.answers.plan.unplanned_gangs import UnplannedAnswer, answer_unplanned
from lockstep.answers.plan.waiting import WaitingAnswer, answer_about
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.reading.documents import LONGEST
from lockstep.answers.reading.dry_run import dry_run_of, suppose
from lockstep.answers.reading.errors import AnswerError, NotAllowedError
from lockstep.answers.supposing.in_cluster import suppose_gang
from lockstep.answers.supposing.manifests import read_manifests
from lockstep.answers.supposing.predecessors import record_predecessors
from lockstep.answers.supposing.runtimes import read_runtimes
from lockstep.answers.supposing.supposed_gangs import Supposed, supposed
from lockstep.answers.supposing.supposed_sweeps import (
    ConfigMaps,
    RefusedSweep,
    SupposedSweep,
    SweepFile,
    counted_spec,
    sorted_out,
    suppose_sweep,
)
from lockstep.answers.sweeps.planned_sweep import (
    PlannedSweep,
    planned_sweep,
    sweep_plan_document,
    sweep_plan_lines,
)
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import load_configuration, usual_namespace
from lockstep.api.manifest import NewManifest
from lockstep.api.preemption import gang_name
from lockstep.belief.state import State
from lockstep.cli.options.answer_options import (
    namespace_option,
    one_sentence,
    output_option,
    print_answer,
    print_document,
    print_lines,
    print_waiting,
    read_with_progress,
    tried_with_progress,
)
from lockstep.cli.options.connection_options import connection_options
from lockstep.cli.options.plan_options import member_options, plan_options, rules_of, state_of
from lockstep.cli.options.settings_options import settings_option, with_operators
from lockstep.cli.options.source_options import yielding_options
from lockstep.facts.gang.source import Source
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS
from lockstep.tenants.commands.answer_text import plan_lines, sweep_plan_answer_lines
from lockstep.tenants.commands.asking import NoAnswer, ask_plan, ask_sweep_plan
from lockstep.tenants.documents import Document

Delays = Sequence[tuple[str, float]]


@click.command(context_settings={"show_default": True})
@click.option(
    "-f",
    "--filename",
    "file",
    metavar="FILE",
    type=click.File("r"),
    required=True,
    help="File to plan. The name - means standard input.",
)
@click.option(
    "--snapshot",
    metavar="FILE",
    type=click.File("rb"),
    help="Saved copy of the page /debug/snapshot. The command plans on it, and needs no cluster.",
)
@namespace_option
@connection_options
@plan_options
@member_options
@yielding_options
@settings_option
@output_option
def plan(file: IO[str], snapshot: IO[bytes] | None, namespace: str | None, output: str, **options: Any) -> None:
    """Show what would happen if you applied a file now, and why. The command creates nothing.

    For example: lockstep plan -f gangjob.yaml

    The file holds GangJobs, GangSweeps, Gangs with their pods, or unchanged Jobs, JobSets and other owners of pods.

    If you leave out an option, the command uses the operator's value. With --snapshot it uses the values in the
    snapshot.
    """
    connection = {name: options[name] for name in ("kubeconfig", "context")}
    with one_sentence():
        namespace = namespace or ("default" if snapshot else usual_namespace(**connection))
        manifests = read_manifests(_text(file), namespace=namespace)
        if snapshot is None:
            _in_cluster(manifests, connection, options, output)
        else:
            _in_snapshot(manifests, snapshot.read(), output)


def _text(file: IO[str]) -> str:
    try:
        return file.read(LONGEST + 1)
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{file.name} is not text: {error}.") from error


def _in_cluster(
    manifests: Sequence[NewManifest], connection: Mapping[str, str | None], options: Mapping[str, Any], output: str
) -> None:
    in_force, file = with_operators(options, load_configuration(**connection)), sorted_out(manifests, time())
    state, rules = state_of(in_force), rules_of(in_force)
    runtimes = asyncio.run(_runtimes(connection, file.others))
    asked = supposed((*file.others, *runtimes), state.sources, time())
    try:
        asyncio.run(_read(connection, state))
    except NotAllowedError as error:
        _print_answers_for_tenants(connection, asked, file, error, output)
        return
    now = time()
    before = plan_now(state, rules, now, asked=())
    keys, sweeps = asyncio.run(_suppose(connection, state, asked, file, now))
    runs = [key for one in sweeps if isinstance(one, SupposedSweep) for key in one.first]
    waiting = [key for key in (*keys, *runs) if state.phase_of(state.gangs[key]).is_planned]
    after = plan_now(state, rules, now, asked=waiting)
    answers = [_answer(state, after, key, is_waiting=key in waiting) for key in keys]
    starts = start_times(after.preempting.plan.decisions)
    planned = [one if isinstance(one, RefusedSweep) else planned_sweep(one, starts, now) for one in sweeps]
    _print(answers, _delays(before, after), asked.notes, output, planned)


def _print_answers_for_tenants(
    connection: Mapping[str, str | None], asked: Supposed, file: SweepFile, without: NotAllowedError, output: str
) -> None:
    plans, sweep_plans = asyncio.run(_asked_tenants_api(connection, asked, file, without))
    for document in plans:
        print_answer(document, plan_lines, output, time())
    for document in sweep_plans:
        print_answer(document, sweep_plan_answer_lines, output, time())


def _answer(state: State, planned: AnsweredPlan, key: GangKey, *, is_waiting: bool) -> WaitingAnswer | UnplannedAnswer:
    if is_waiting:
        return answer_about(planned, key, progress=tried_with_progress)
    return answer_unplanned(state, state.gangs[key])


async def _runtimes(connection: Mapping[str, str | None], manifests: Sequence[NewManifest]) -> Sequence[NewManifest]:
    async with one_client(load_configuration(**connection)) as client:
        return await read_runtimes(client, manifests)


async def _read(connection: Mapping[str, str | None], state: State) -> None:
    async with one_client(load_configuration(**connection)) as client:
        await read_with_progress(client, state)


async def _asked_tenants_api(
    connection: Mapping[str, str | None], asked: Supposed, file: SweepFile, without: NotAllowedError
) -> tuple[list[Document], list[Document]]:
    """The plans of the cluster's API for tenants, for GangJobs and for sweeps.

    The API server must accept each GangJob and sweep as a dry run. Raises ``AnswerError``.
    """
    if asked.gangs:
        raise AnswerError(
            f"{without}\nThe cluster's API for tenants can't help: it plans only GangJobs and GangSweeps."
        ) from without
    async with one_client(load_configuration(**connection)) as client:
        plans = [await _plan_of_tenants_api(client, manifest, without) for manifest in asked.gang_jobs]
        return plans, [await _sweep_of_tenants_api(client, one, file.config_maps, without) for one in file.sweeps]


async def _plan_of_tenants_api(client: KubeClient, manifest: NewManifest, without: NotAllowedError) -> Document:
    key = GangKey(manifest["metadata"]["namespace"], manifest["metadata"]["name"])
    made = await dry_run_of(client, paths.gangs_of(key.namespace), manifest, key)
    return _given(await ask_plan(client, key.namespace, key.name, made["spec"]), without)


async def _sweep_of_tenants_api(
    client: KubeClient, manifest: NewManifest, config_maps: ConfigMaps, without: NotAllowedError
) -> Document:
    metadata = manifest["metadata"]
    spec = await counted_spec(client, manifest, config_maps)
    return _given(await ask_sweep_plan(client, metadata["namespace"], metadata["name"], spec), without)


def _given(answer: Document | NoAnswer, without: NotAllowedError) -> Document:
    if not isinstance(answer, NoAnswer):
        return answer
    if not answer.why:
        raise without
    raise AnswerError(f"{answer.why}\nYour own rights do not suffice: {without}") from without


async def _suppose(
    connection: Mapping[str, str | None], state: State, asked: Supposed, file: SweepFile, now: float
) -> tuple[list[GangKey], list[SupposedSweep | RefusedSweep]]:
    """Add the gangs, and the first runs of the sweeps, to ``state``; returns the keys of the gangs, and the sweeps."""
    async with one_client(load_configuration(**connection)) as client:
        keys = [await suppose(client, state, manifest) for manifest in asked.gang_jobs]
        for gang in asked.gangs:
            await suppose_gang(client, state, gang)
        keys += [gang.key for gang in asked.gangs]
        sweeps = [await suppose_sweep(client, state, one, file.config_maps, now) for one in file.sweeps]
    for key in (*keys, *(key for one in sweeps if isinstance(one, SupposedSweep) for key in one.first)):
        record_predecessors(state, key)
    return keys, sweeps


def _in_snapshot(manifests: Sequence[NewManifest], raw: bytes, output: str) -> None:
    recorded = read_recorded(raw)
    if sorted_out(manifests, recorded.snapshot.now).sweeps:
        raise AnswerError(
            "A GangSweep is planned only with a cluster, since its size follows from all nodes of the cluster."
        )
    after, keys, notes = with_further(recorded, supposed(manifests, frozenset(Source), recorded.snapshot.now))
    answers = [answer_about(after, key, progress=tried_with_progress) for key in keys]
    _print(answers, _delays(planned_before(recorded), after), notes, output, [])


def _delays(before: AnsweredPlan, after: AnsweredPlan) -> Delays:
    """The other gangs that would start later, each with its delay in seconds, in the order of the plan."""
    now = start_times(after.preempting.plan.decisions)
    return [
        (gang_name(gang), now[gang] - start)
        for gang, start in start_times(before.preempting.plan.decisions).items()
        if now.get(gang, start) > start + SAME_TIME_SECONDS
    ]


def _print(
    answers: Sequence[WaitingAnswer | UnplannedAnswer],
    delays: Delays,
    notes: Sequence[str],
    output: str,
    sweeps: Sequence[PlannedSweep | RefusedSweep],
) -> None:
    if output == "json":
        gangs = [
            waiting_document(one) if isinstance(one, WaitingAnswer) else unplanned_document(one) for one in answers
        ]
        delayed = [{"gang": name, "seconds": by if math.isfinite(by) else None} for name, by in delays]
        planned = [sweep_plan_document(one) for one in sweeps]
        print_document({"gangs": gangs, "sweeps": planned, "delays": delayed, "notes": notes})
        return
    for answer in answers:
        if isinstance(answer, WaitingAnswer):
            print_waiting(answer, output)
        else:
            print_lines(unplanned_lines(answer))
        click.echo()
    for sweep in sweeps:
        print_lines(sweep_plan_lines(sweep))
        click.echo()
    said = [line for note in notes for line in wrapped(note)]
    print_lines([delays_line(delays), *said, "Nothing was created."])
