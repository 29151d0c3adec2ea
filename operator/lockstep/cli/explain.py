"""``lockstep explain``: says why a gang has its size, its nodes and its start."""

import asyncio
from dataclasses import replace
from time import time
from typing import Any

import click

from coschedule import GangKey
from lockstep.answers.plan.document import unplanned_document
from lockstep.answers.plan.planned import plan_now
from lockstep.answers.plan.rules import PlanRules
from lockstep.answers.plan.size_of_run import answer_with_size
from lockstep.answers.plan.text import unplanned_lines
from lockstep.answers.plan.waiting import WaitingAnswer, answer_about
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.reading.errors import AnswerError, NotAllowedError
from lockstep.answers.reading.gang_called import gangs_of_owner_called
from lockstep.answers.sweeps.explained_text import explained_document, explained_lines
from lockstep.answers.sweeps.explaining import answer_sweep
from lockstep.answers.sweeps.reading import read_sweep
from lockstep.api.client.configuration import Configuration, load_configuration, usual_namespace
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
from lockstep.cli.options.gang_argument import KeyIn, any_gang_argument
from lockstep.cli.options.plan_options import member_options, plan_options, rules_of, state_of
from lockstep.cli.options.settings_options import settings_option, with_operators
from lockstep.cli.options.source_options import yielding_options
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang, object_name
from lockstep.facts.reasons import Condition
from lockstep.facts.runs.sweep_keys import is_sweep
from lockstep.facts.sweeps.sweep import Sweep
from lockstep.report.text.learned import work_used
from lockstep.report.text.sentences import listed
from lockstep.report.text.share_sentences import use_of_group_of
from lockstep.tenants.commands.answer_text import explanation_lines
from lockstep.tenants.commands.asking import NoAnswer, ask_answer
from lockstep.tenants.documents import AnswerKind, Document


@click.command(context_settings={"show_default": True})
@any_gang_argument
@namespace_option
@connection_options
@plan_options
@member_options
@yielding_options
@settings_option
@output_option
def explain(gang: KeyIn, namespace: str | None, output: str, **options: Any) -> None:
    """Explain the size, nodes and start of a gang, and list changes that would let it start sooner.

    For example: lockstep explain gj/heat --namespace default

    For a sweep, the command explains the size of the next runs, how many runs may run at once, and what delays the
    sweep.

    The command changes nothing in the cluster. If you leave out an option, the command uses the operator's value.
    """
    connection = {name: options[name] for name in ("kubeconfig", "context")}
    with one_sentence():
        key, configuration = gang(namespace or usual_namespace(**connection)), load_configuration(**connection)
        in_force = with_operators(options, configuration)
        state = state_of(in_force)
        document = asyncio.run(_read(configuration, state, key))
        if document is not None:
            print_answer(document, explanation_lines, output, time())
        elif is_sweep(key):
            _explain_sweep(asyncio.run(_read_sweep(configuration, key)), state, output)
        else:
            _explain_gang(_known(key, state), state, rules_of(in_force), output)


def _explain_gang(gang: GangFact, state: State, rules: PlanRules, output: str) -> None:
    if state.phase_of(gang).is_planned:
        print_waiting(_answer_waiting(gang, state, rules), output)
        return
    answer = answer_with_size(state, rules, gang, time())
    if output == "json":
        print_document(unplanned_document(answer))
    else:
        print_lines(unplanned_lines(answer))


def _answer_waiting(gang: GangFact, state: State, rules: PlanRules) -> WaitingAnswer:
    planned = plan_now(state, rules, time(), asked=[gang.key])
    answer = answer_about(planned, gang.key, progress=tried_with_progress)
    asked = gang.status.condition(Condition.NODES_REQUESTED)
    return replace(
        answer,
        work_used=work_used(gang, state.past_runs.in_force(gang)),
        nodes_requested="" if asked is None else asked.message,
        use_of_group=use_of_group_of(state.shares, gang.key.namespace, planned.snapshot.now),
    )


def _explain_sweep(sweep: Sweep, state: State, output: str) -> None:
    answer = answer_sweep(state, sweep)
    if output == "json":
        print_document(explained_document(answer))
    else:
        print_lines(explained_lines(answer))


async def _read_sweep(configuration: Configuration, key: GangKey) -> Sweep:
    async with one_client(configuration) as client:
        return await read_sweep(client, key)


def _known(gang: GangKey, state: State) -> GangFact:
    known = state.gangs.get(gang)
    if known is None:
        raise AnswerError(_missing(gang, state))
    return known


def _missing(gang: GangKey, state: State) -> str:
    """A sentence that says why the cache does not have that gang."""
    if not is_pod_gang(gang):
        meant = gangs_of_owner_called(gang, state.gangs)
        return f"There is no GangJob {gang_name(gang)}.{f' There is {listed(meant)}.' if meant else ''}"
    if not state.sources:
        return "The operator places no Gangs: as far as its options are known, it runs without --sources."
    return f"There is no Gang {gang.namespace}/{object_name(gang)}."


async def _read(configuration: Configuration, state: State, gang: GangKey) -> Document | None:
    """Read the cluster into ``state``; returns None.

    If the user may not read the cluster, the function returns the answer of the cluster's API for tenants. If there is
    no such answer, it raises ``NotAllowedError`` or ``AnswerError``.
    """
    async with one_client(configuration) as client:
        try:
            await read_with_progress(client, state)
        except NotAllowedError as error:
            if is_sweep(gang):
                raise
            kind = AnswerKind.GANG_EXPLANATIONS if is_pod_gang(gang) else AnswerKind.GANGJOB_EXPLANATIONS
            answer = await ask_answer(client, kind, gang.namespace, object_name(gang))
            if not isinstance(answer, NoAnswer):
                return answer
            if not answer.why:
                raise
            raise AnswerError(f"{answer.why}\nYour own rights do not suffice: {error}") from error
    return None
