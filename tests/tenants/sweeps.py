"""GangSweeps at their largest: each field of a sweep, and each field of the template of its runs.

A template is the spec of a GangJob, so its values are made as those of GangJobs are. What a sweep makes are GangJobs,
of which the first few are priced with it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from builders.served import metadata
from lockstep.api.names import API_VERSION, SWEEP_KIND
from lockstep.api.sweeps.run_gang import run_gang
from lockstep.api.sweeps.sweep import parse_sweep
from lockstep.facts.runs.sweep_run import MOST_RUNS
from tenants.companions import MOST_MEMBERS, least, with_roles
from tenants.schema import Field, fields, spec_of
from tenants.shapes import NAMED, NAMESPACE, Shape, shapes_of

Manifest = Mapping[str, Any]

NOT_IN_TEMPLATES = ("spec.template.suspend", "spec.template.ttlSecondsAfterFinished")
"""A rule refuses them."""
RUNS = 2
"""As many runs of each sweep are priced with it; the GangJobs of more are priced as GangJobs."""
_CREATED = "2027-01-16T07:00:00Z"


def shapes_of_sweeps() -> Iterator[Shape]:
    """Sweeps, each with one field at its largest."""
    for field in own_fields():
        yield from shapes_of("gangsweeps", field, _sweeps)
    for field in template_fields():
        for shape in shapes_of("gangsweeps", field, _swept):
            yield shape._replace(field=in_template(field))


def own_fields() -> list[Field]:
    """The fields of a sweep but those of its template."""
    return [one for one in fields(spec_of("gangsweeps")) if not one.path.startswith("spec.template")]


def template_fields() -> list[Field]:
    """The fields of the template, by the paths that they have in a GangJob."""
    found = fields(spec_of("gangsweeps")["properties"]["template"])
    return [one for one in found if in_template(one) not in NOT_IN_TEMPLATES]


def in_template(field: Field) -> str:
    """The path of a field of a GangJob in a sweep."""
    return f"spec.template{field.path.removeprefix('spec')}"


def first_runs(sweep: Manifest) -> list[Manifest]:
    """The GangJobs of the first runs, as the API server has them once the operator has made them."""
    parsed = parse_sweep(sweep)
    gangs = [run_gang(parsed, run, (), None) for run in range(min(RUNS, parsed.spec.runs or 1))]
    return [{**one, "metadata": {**one["metadata"], **_given(one["metadata"]["name"])}} for one in gangs]


def _given(name: str) -> Manifest:
    return {"uid": f"uid-of-{name}", "resourceVersion": "1", "generation": 1, "creationTimestamp": _CREATED}


def _sweeps(_: Field, spec: Manifest, count: int) -> list[Manifest]:
    """Sweeps with that field, and what has to stand beside it."""
    own = {name: value for name, value in spec.items() if name in spec_of("gangsweeps")["properties"]}
    counted = {} if "parametersFrom" in own else {"runs": MOST_RUNS}
    template = {"size": {"min": 1, "max": MOST_MEMBERS}, "work": {"serialTime": "10m"}}
    whole = {**counted, **own, "template": {**template, "template": least("spec.template", {}, 0)}}
    return [_sweep(whole, number) for number in range(count)]


def _swept(field: Field, spec: Manifest, count: int) -> list[Manifest]:
    """Sweeps with that template, and a few runs: what many runs cost is priced with the fields of a sweep itself."""
    template = with_roles(field.path, spec)
    return [_sweep({"runs": RUNS, "template": template}, number) for number in range(count)]


def _sweep(spec: Manifest, number: int) -> Manifest:
    named = metadata(f"{NAMED}{number}", namespace=NAMESPACE, generation=1)
    about = {**named, "creationTimestamp": _CREATED}
    return {"apiVersion": API_VERSION, "kind": SWEEP_KIND, "metadata": about, "spec": spec}
