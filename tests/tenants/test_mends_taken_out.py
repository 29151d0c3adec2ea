"""The price list finds faults: with the mend of one taken out, it names the field that pays for it."""

import copy
import math
from collections import Counter

import pytest

from coschedule import TimesWork
from coschedule.queue.choosing.one_domain import OneDomainChooser
from lockstep.api import bounds
from lockstep.api.gangjob import gangjob, role
from lockstep.api.pods import pod_request, pod_size
from lockstep.belief.volumes.attachments import Attachments
from lockstep.facts import document
from lockstep.facts.cluster.quota import QuotaFact
from lockstep.snapshot import asked
from lockstep.snapshot.nodes import resource_columns
from lockstep.snapshot.quotas import quota_demand
from lockstep.watch import reader
from tenants import cluster
from tenants.all_shapes import all_shapes
from tenants.bounds import too_dear
from tenants.made import made_of
from tenants.price import price, prices, without
from tenants.schema import spec_of
from tenants.shapes import shapes_of_gangs
from tenants.together import each

FAR_MORE = 10_000
# Each is a column of thousands of numbers, which takes its time.
MANY_PORTS = 2_000
TERMS = "spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"


def counted_rank_by_rank(monkeypatch):
    """Count the claims of a gang by going through the members that it may have."""
    by_counting = quota_demand.taken_by_claims

    def by_listing(gang, role, claims):
        Counter((use.claim, rank) for rank in range(role.sizes.maximum) for use in role.claims)
        return by_counting(gang, role, claims)

    monkeypatch.setattr(quota_demand, "taken_by_claims", by_listing)


def without_index_of_resources(monkeypatch):
    """Read each resource that a quota names, for each gang."""
    monkeypatch.setattr(
        QuotaFact,
        "amounts_of",
        lambda quota, resources: [
            quota.by_resource[name] for name in sorted(quota.by_resource) if name in {*resources}
        ],
    )


def reading_all_in_one_turn(monkeypatch):
    """Read each object on the event loop, however large it is."""
    monkeypatch.setattr(reader, "BYTES_OF_TURN", math.inf)


def with_column_for_each_port(monkeypatch):
    """Distinguish as many host ports as are asked for."""

    def standing_in(*_):
        yield
        return {}

    monkeypatch.setattr(role, "MOST_EXCLUSIVE_OF_ROLE", MANY_PORTS)
    monkeypatch.setattr(pod_request, "few_exclusive", lambda taken: pod_size.few_exclusive(taken, MANY_PORTS))
    monkeypatch.setattr(resource_columns, "_standing_in", standing_in)
    monkeypatch.setitem(asked.Room.__init__.__kwdefaults__, "most_columns", MANY_PORTS)


def with_unbounded_list_of_terms(monkeypatch):
    """Let a template have any number of terms of node affinity."""
    written = bounds.written_bounds()
    holder = written
    for name in TERMS.split(".")[1:]:
        holder = holder["fields"][name]
    holder["most"] = FAR_MORE
    monkeypatch.setattr(bounds, "_BOUNDS", bounds._bound(written))
    monkeypatch.setattr(bounds, "MOST_ENTRIES", 10 * FAR_MORE)


def schema_with_unbounded_list_of_terms():
    schema = copy.deepcopy(spec_of("gangjobs"))
    holder = schema
    for name in TERMS.split(".")[1:]:
        holder = holder["properties"][name]
    holder["maxItems"] = FAR_MORE
    return schema


def with_time_of_each_size(monkeypatch):
    """Keep the run time of each size up to the largest of a profile."""

    def every_size(*given):
        work = parse_work(*given)
        return TimesWork(times=tuple(work.float_times(work.points[-1].members).tolist()))

    parse_work = gangjob.parse_work
    monkeypatch.setattr(gangjob, "parse_work", every_size)


def with_what_the_encoder_allocates(monkeypatch):
    """Keep documents as the JSON encoder returns them."""
    monkeypatch.setattr(document, "_compact", lambda encoded: encoded)


def searching_each_domain(monkeypatch):
    """Search each domain as a cluster of its own."""
    by_bounds = OneDomainChooser._best

    def one_by_one(chooser, timeline, goal):
        for ranks in chooser.domains(timeline):
            chooser.inner.choose(timeline.of_ranks(ranks))
        return by_bounds(chooser, timeline, goal)

    monkeypatch.setattr(OneDomainChooser, "_best", one_by_one)


def counting_volumes_at_each_query(monkeypatch):
    """Count the volumes of all nodes again whenever one asks for their attach limits."""
    of_changed = Attachments.renewing

    def of_all(attachments):
        attachments._stale.update(attachments._limits)
        yield from of_changed(attachments)

    monkeypatch.setattr(Attachments, "renewing", of_all)


def paid(shapes, field, name):
    """What is beyond its bound of the price of that shape; Gangs, with fields of the same names, are left out."""
    [shape] = [one for one in shapes if (one.field, one.name) == (field, name) and one.plural != "gangs"]
    return {phrase.split(": ")[1].split()[0] for phrase in too_dear(shape, price(shape))}


@pytest.mark.parametrize(
    ("take_out", "field", "name", "want_measure"),
    [
        pytest.param(counted_rank_by_rank, "spec.volumeClaimTemplates", "different entries", "step", id="claims"),
        pytest.param(without_index_of_resources, "quota.hard", "different entries", "work", id="quotas"),
        pytest.param(reading_all_in_one_turn, "quota.hard", "different entries", "step", id="reading of quotas"),
        pytest.param(
            reading_all_in_one_turn,
            "spec.template.spec.volumes[].downwardAPI.items[].fieldRef.apiVersion",
            "as often as it is read",
            "step",
            id="reading of gangs",
        ),
        pytest.param(
            with_column_for_each_port,
            "spec.template.spec.containers[].ports[].hostPort",
            "as often as it is read",
            "work",
            id="columns",
        ),
        pytest.param(with_time_of_each_size, "spec.work.profile[].members", "largest", "memory", id="profiles"),
        pytest.param(
            with_what_the_encoder_allocates,
            "spec.template.spec.securityContext.supplementalGroups",
            "different entries",
            "memory",
            id="documents",
        ),
    ],
)
def test_price_names_the_field_once_its_mend_is_taken_out(monkeypatch, take_out, field, name, want_measure):
    mended = paid(all_shapes(), field, name)
    take_out(monkeypatch)

    assert want_measure not in mended
    assert want_measure in paid(all_shapes(), field, name)


@pytest.fixture
def on_more_nodes(monkeypatch):
    """Some costs are for each node and each gang: a cluster of twice as many nodes shows them."""
    monkeypatch.setattr(cluster, "NODES", 2 * cluster.NODES)
    without.cache_clear()
    yield
    without.cache_clear()


@pytest.mark.parametrize(
    ("take_out", "field", "name", "want_measure"),
    [
        pytest.param(searching_each_domain, "spec.placement.allIn", "label of every node", "work", id="domains"),
        pytest.param(
            counting_volumes_at_each_query, "spec.volumeClaimTemplates", "small, of many", "step", id="attach limits"
        ),
    ],
)
def test_price_on_more_nodes_names_the_field(on_more_nodes, monkeypatch, take_out, field, name, want_measure):
    mended = paid(all_shapes(), field, name)
    take_out(monkeypatch)

    assert mended == set()
    assert want_measure in paid(all_shapes(), field, name)


def test_prices_of_a_group_name_the_field_once_its_mend_is_taken_out(monkeypatch):
    field = "spec.work.profile[].members"
    mended = dear_of_group(field, "largest")
    with_time_of_each_size(monkeypatch)

    assert mended == set()
    assert dear_of_group(field, "largest") == {field}


def dear_of_group(field, name):
    """The fields that have a price beyond a bound, of that shape and one like it that share a cluster."""
    alike = [one for one in all_shapes() if (one.plural, one.name) == ("gangjobs", name)]
    place = next(place for place, one in enumerate(alike) if one.field == field)
    made = made_of(alike[place : place + 2])
    paid = each(made, prices, lambda one, price: bool([*too_dear(one.shape, price)]))
    return {one.shape.field for one, price in zip(made, paid, strict=True) if [*too_dear(one.shape, price)]}


def test_price_names_a_list_of_constraints_once_its_bound_is_taken_out(monkeypatch):
    mended = paid(all_shapes(), TERMS, "different entries")
    with_unbounded_list_of_terms(monkeypatch)

    assert mended == set()
    assert paid(shapes_of_gangs(schema_with_unbounded_list_of_terms()), TERMS, "different entries")
