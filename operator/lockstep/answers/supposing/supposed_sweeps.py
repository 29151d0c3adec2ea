"""The sweeps of a file: the size of their runs, and their first runs as gangs that would wait. Nothing is created."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coschedule import GangKey
from lockstep.answers.reading.cluster import answered
from lockstep.answers.reading.dry_run import dry_run_of
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.reading.gang_called import gang_called
from lockstep.answers.supposing.manifests import full_name
from lockstep.answers.supposing.owner_kinds import CONFIG_MAP, GANG_SWEEP, kind_of
from lockstep.answers.supposing.supposed_gangs import as_created
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.sweeps.parameters import RunParameters, read_parameters
from lockstep.api.sweeps.run_gang import run_gang, sample_gang
from lockstep.api.sweeps.sweep import parse_sweep
from lockstep.belief.state import State
from lockstep.cycle.sweeps.common_sizes import RunSize, choose_size, size_question
from lockstep.cycle.sweeps.materials import accepted_template
from lockstep.facts.runs.sweep_keys import sweep_key
from lockstep.facts.sweeps.sweep import Sweep, SweepRefusal


@dataclass(frozen=True, slots=True, kw_only=True)
class SupposedSweep:
    """A sweep as it would be created, the number of its ``runs``, their size, and the keys of the ``first`` runs."""

    sweep: Sweep
    runs: int
    size: RunSize
    first: tuple[GangKey, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedSweep:
    """A sweep of which no run can be made, and the reason."""

    sweep: Sweep
    refusal: SweepRefusal


ConfigMaps = Mapping[str, Manifest]
"""The ConfigMaps of a file, by namespace and name."""


class SweepFile(NamedTuple):
    """A file's sweeps, its ConfigMaps with parameters, and all other objects."""

    sweeps: Sequence[NewManifest]
    config_maps: ConfigMaps
    others: Sequence[NewManifest]


def sorted_out(manifests: Sequence[NewManifest], now: float) -> SweepFile:
    """Sort the objects of a file. ConfigMaps get the metadata that they would have after their creation."""
    config_maps = (one for one in manifests if kind_of(one) == CONFIG_MAP)
    return SweepFile(
        [one for one in manifests if kind_of(one) == GANG_SWEEP],
        {full_name(one): {**one, "metadata": {**one["metadata"], **as_created(now)}} for one in config_maps},
        [one for one in manifests if kind_of(one) not in (GANG_SWEEP, CONFIG_MAP)],
    )


async def suppose_sweep(
    client: KubeClient, state: State, manifest: NewManifest, config_maps: ConfigMaps, now: float
) -> SupposedSweep | RefusedSweep:
    """Add the first runs of a sweep to ``state``: as many as would wait at the same time.

    Returns ``RefusedSweep`` if no run can be made. Raises ``AnswerError``.
    """
    metadata = manifest["metadata"]
    key = sweep_key(metadata["namespace"], metadata["name"])
    sweep = parse_sweep(await dry_run_of(client, paths.sweeps_of(key.namespace), manifest, key))
    gang = accepted_template(sweep, parse_gang(sample_gang(sweep), None, state.pool, state.gate_image))
    if isinstance(gang, SweepRefusal):
        return RefusedSweep(sweep=sweep, refusal=gang)
    parameters = await _parameters(client, sweep, config_maps)
    if isinstance(parameters, SweepRefusal):
        return RefusedSweep(sweep=sweep, refusal=parameters)
    runs = sweep.spec.runs or (0 if parameters is None else len(parameters.lines))
    size = choose_size(size_question(state, sweep.spec, gang, runs))
    first = [_add(state, sweep, run, parameters, size, now) for run in range(min(runs, size.near(sweep.spec.template)))]
    return SupposedSweep(sweep=sweep, runs=runs, size=size, first=tuple(first))


async def counted_spec(client: KubeClient, manifest: NewManifest, config_maps: ConfigMaps) -> Manifest:
    """The spec of a sweep after a dry run. If runs have parameters, the number of runs replaces the ConfigMap's name.

    Raises ``AnswerError``, for example if the parameters can't be read.
    """
    metadata = manifest["metadata"]
    key = sweep_key(metadata["namespace"], metadata["name"])
    made = await dry_run_of(client, paths.sweeps_of(key.namespace), manifest, key)
    parameters = await _parameters(client, parse_sweep(made), config_maps)
    if isinstance(parameters, SweepRefusal):
        raise AnswerError(f"{gang_called(key)} would be refused: {parameters.message}")
    spec: Manifest = made["spec"]
    if parameters is None:
        return spec
    return {**{name: value for name, value in spec.items() if name != "parametersFrom"}, "runs": len(parameters.lines)}


async def _parameters(client: KubeClient, sweep: Sweep, config_maps: ConfigMaps) -> RunParameters | SweepRefusal | None:
    name, namespace = sweep.spec.parameters, sweep.key.namespace
    if not name:
        return None
    found = config_maps.get(f"{namespace}/{name}")
    return read_parameters(await _read(client, namespace, name) if found is None else found)


async def _read(client: KubeClient, namespace: str, name: str) -> Manifest:
    with answered(client):
        answer = await client.get(paths.config_map(namespace, name))
    if answer.is_absence:
        raise AnswerError(f"ConfigMap {namespace}/{name} is neither in the file nor in the cluster.")
    if not answer.is_success:
        needed = f"The verb get on configmaps of namespace {namespace} is needed, or ConfigMap {name} in the file"
        raise AnswerError(f"{needed}: {answer.message}.")
    return answer.body


def _add(state: State, sweep: Sweep, run: int, parameters: RunParameters | None, size: RunSize, now: float) -> GangKey:
    made = run_gang(sweep, run, () if parameters is None else parameters.of(run), size.size)
    gang = parse_gang({**made, "metadata": {**made["metadata"], **as_created(now)}}, None, state.pool, state.gate_image)
    state.apply_gang(gang)
    return gang.key
