"""The material of a sweep's runs that has to be read or computed: template, parameters and size.

All of it is computed in a thread beside the event loop, because templates and parameters may have a megabyte.
"""

import asyncio
from dataclasses import dataclass
from typing import NamedTuple

from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.sweeps.parameters import RunParameters, read_parameters
from lockstep.api.sweeps.run_gang import sample_gang
from lockstep.belief.common.kept_answers import KeptAnswers
from lockstep.cycle.sweeps.common_sizes import RunSize, choose_size, size_question
from lockstep.facts.gang.after import Predecessor, PredecessorKind
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.facts.runs.sweep_run import Parameters
from lockstep.facts.sweeps.sweep import Sweep, SweepReason, SweepRefusal

# Roughly the memory of a line of parameters, in addition to its characters.
_BYTES_OF_LINE = 60


class _ReadSweep(NamedTuple):
    """A generation of a sweep."""

    uid: str
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMaterial:
    """The parsed GangJob of a run of the sweep, the number of ``runs``, and their parameters."""

    sample: AcceptedGang
    runs: int
    parameters: RunParameters | None = None

    @property
    def parameters_uid(self) -> str:
        """The UID of the ConfigMap with the parameters; '' without one."""
        return "" if self.parameters is None else self.parameters.uid

    def parameters_of(self, run: int) -> Parameters:
        """The parameters of a run."""
        return () if self.parameters is None else self.parameters.of(run)


class Materials:
    """Reads the material of runs, and keeps a bounded part of it. A part that is dropped is read again."""

    def __init__(self, services: Services) -> None:
        self._client = services.client
        self._state = services.state
        self._parameters = KeptAnswers[str, RunParameters]()
        self._samples = KeptAnswers[_ReadSweep, GangFact]()
        # Only one computation at a time: a thread that computes slows down the event loop.
        self._turn = asyncio.Lock()

    async def of(self, sweep: Sweep, parameters_uid: str) -> RunMaterial | SweepRefusal:
        """The material of the runs; a refusal if they can't be created. Raises ``ApiUnavailableError``.

        ``parameters_uid`` is the UID of the ConfigMap with the parameters of earlier runs; '' for none.
        """
        gang = accepted_template(sweep, await self._sample(sweep))
        if isinstance(gang, SweepRefusal):
            return gang
        if sweep.spec.runs is not None:
            return RunMaterial(sample=gang, runs=sweep.spec.runs)
        read = await self._read(sweep)
        if isinstance(read, SweepRefusal):
            return read
        if parameters_uid not in ("", read.uid):
            return _refused(sweep, "differs from that of the first runs")
        return RunMaterial(sample=gang, runs=len(read.lines), parameters=read)

    async def _read(self, sweep: Sweep) -> RunParameters | SweepRefusal:
        known = self._parameters.get(sweep.uid)
        if known is not None:
            return known
        answer = await self._client.get(paths.config_map(sweep.key.namespace, sweep.spec.parameters))
        if not answer.is_success:
            return _refused(sweep, f"can't be read: {answer.message.rstrip('.')}")
        async with self._turn:
            read = await asyncio.to_thread(read_parameters, answer.body)
        if isinstance(read, SweepRefusal):
            return read
        return self._parameters.keep(sweep.uid, read, answer.size + _BYTES_OF_LINE * len(read.lines))

    async def _sample(self, sweep: Sweep) -> GangFact:
        asked = _ReadSweep(sweep.uid, sweep.generation)
        gang = self._samples.get(asked)
        if gang is not None:
            return gang
        async with self._turn:
            gang = await asyncio.to_thread(self._parse, sweep)
        return self._samples.keep(asked, gang, 2 * len(sweep.spec.template.json))

    async def size(self, sweep: Sweep, gang: AcceptedGang, runs: int) -> RunSize:
        """The size of the next runs."""
        question = size_question(self._state, sweep.spec, gang, runs)
        async with self._turn:
            return await asyncio.to_thread(choose_size, question)

    def _parse(self, sweep: Sweep) -> GangFact:
        return parse_gang(sample_gang(sweep), None, self._state.pool, self._state.gate_image)


def accepted_template(sweep: Sweep, gang: GangFact) -> AcceptedGang | SweepRefusal:
    """The GangJob of a run if its spec is accepted and does not wait for the sweep itself, else a refusal."""
    if not isinstance(gang, AcceptedGang):
        return SweepRefusal(SweepReason.TEMPLATE_REFUSED, f"template: {gang.refusal.message}")
    own = next((one for one in gang.policies.after if _is_own(sweep, one)), None)
    if own is None:
        return gang
    why = f"template.after: it names {own.title}, so that runs of the sweep would wait for each other."
    return SweepRefusal(SweepReason.TEMPLATE_REFUSED, why)


def _is_own(sweep: Sweep, asked: Predecessor) -> bool:
    """Whether ``asked`` is the sweep itself, or one of its runs."""
    name, key = sweep_name(sweep.key), asked.kind.key(sweep.key.namespace, asked.name)
    stem, _, number = asked.name.rpartition("-")
    return key == sweep.key or (asked.kind is PredecessorKind.GANG_JOB and stem == name and number.isdecimal())


def _refused(sweep: Sweep, why: str) -> SweepRefusal:
    return SweepRefusal(SweepReason.PARAMETERS_REFUSED, f"parametersFrom: ConfigMap {sweep.spec.parameters} {why}.")
