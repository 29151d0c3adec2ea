"""Heterogeneity, preserved power and local pace [D]: its tables and figures, its erratum, and time credit."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.model.errors import InvalidValueError
from coschedule.problems.du.pace import LocalPace, NoPace, TimeCredit, keep_pace, measure_network
from coschedule.requests.refusal_answers import sentence_of, write_refusal
from engine.brute.pace import common_power, heterogeneity, slices_that_finish_together, total_power
from engine.builders import seeded

TABLE_2 = {
    kind: Fraction(weight)
    for kind, weight in {
        "A": "1", "B": "0.790", "C": "0.562", "D": "0.461", "E": "0.436", "F": "0.374", "G": "0.239",
    }.items()
}  # fmt: skip


def combination(text):
    """Turn "9A+B+G" into weights of table 2."""
    return [TABLE_2[term[-1]] for term in text.split("+") for _ in range(int(term[:-1] or 1))]


@pytest.mark.parametrize(
    ("combined", "want_members", "want_power", "want_heterogeneity"),
    [
        ("9A+B+G", 11, "10.029", 0.09),
        ("9A+C+D", 11, "10.023", 0.09),
        ("3A+4B+5C+D+E+G", 15, "10.106", 0.33),
        ("2A+4B+8C+G", 15, "9.895", 0.34),
        ("3A+3B+6C+D+2E", 15, "10.075", 0.33),
        ("A+5B+9C", 15, "10.008", 0.33),
        ("A+15D+9G", 25, "10.066", 0.60),
        ("A+24F", 25, "9.976", 0.60),
    ],
)
def test_combinations_of_table_3(combined, want_members, want_power, want_heterogeneity):
    """[D 2.3, table 3], with the weights of table 2: total power 10 but for rounding."""
    network = measure_network(combination(combined))

    assert (network.members, network.power) == (want_members, Fraction(want_power))
    assert round(float(network.heterogeneity), 2) == want_heterogeneity


def test_table_3_prints_a_heterogeneity_and_a_power_that_it_does_not_have():
    """Erratum 7: the rows of (.3, 15) have H = .33 [D 2.3, table 3], and 8A+3B has 10.37 instead of 10."""
    row = [measure_network(combination(text)) for text in ("3A+4B+5C+D+E+G", "3A+3B+6C+D+2E", "A+5B+9C")]

    assert all(round(float(network.heterogeneity), 2) == 0.33 for network in row)
    assert measure_network(combination("8A+3B")).power == Fraction("10.37")


def test_slices_of_figure_2():
    """[D 3.2.2, figure 2]: of 12 slices G uses 12, C 6, B 4 and A 3."""
    weights = [TABLE_2[kind] for kind in "GCBA"]

    kept = keep_pace(weights, [1] * 4)

    assert [ceil(12 / pace) for pace in kept.paces] == [12, 6, 4, 3]
    assert kept.power == TABLE_2["G"]


def test_loaded_fast_node_limits_where_the_printed_formula_promises_more():
    """Erratum 7: (3.4) asks the slowest node only [D 3.2.1]; in figure 1 (right) a loaded B has .15 left."""
    weights = combination("A+4B+G")
    free = [Fraction("0.5"), 1, 1, 1, Fraction("0.15") / TABLE_2["B"], Fraction("0.2") / TABLE_2["G"]]

    slowest = weights.index(min(weights))
    printed = weights[slowest] * free[slowest]
    printed_paces = [weight * share / printed for weight, share in zip(weights, free, strict=True)]
    kept = keep_pace(weights, free)

    assert printed == Fraction("0.2")
    assert any(printed / weight > share for weight, share in zip(weights, free, strict=True))
    assert min(printed_paces) < 1, "(3.13) asks for more than every slice"
    assert min(kept.paces) == 1
    assert (kept.power, kept.limiting) == (Fraction("0.15"), 4)
    assert all(share <= left for share, left in zip(kept.shares, free, strict=True))


def test_node_without_free_time_is_named():
    refusal = keep_pace([1, 1], [1, 0])

    assert isinstance(refusal, NoPace)
    assert (write_refusal(refusal)["reason"], sentence_of(refusal)) == (
        "NoPowerLeft",
        "node 1 leaves a member none of its time",
    )


@pytest.mark.parametrize("seed", range(4))
def test_pace_equals_the_definition(seed):
    rnd = seeded(seed)
    for _ in range(900):
        count = rnd.randint(1, 6)
        weights = [Fraction(rnd.randint(1, 6), rnd.choice([1, 2, 6])) for _ in range(count)]
        free = [Fraction(rnd.choice([0, 4, *range(1, 5), *range(1, 5)]), 4) for _ in range(count)]
        slices = rnd.randint(1, 15)

        kept = keep_pace(weights, free)

        if common_power(weights, free) == 0:
            assert kept == NoPace(node=free.index(0))
            continue
        assert kept.power == common_power(weights, free)
        assert all(pace >= 1 and isinstance(pace, Fraction) for pace in kept.paces)
        assert kept.paces[kept.limiting] == 1
        assert [share * weight for share, weight in zip(kept.shares, weights, strict=True)] == [kept.power] * count
        assert [ceil(slices * share) for share in kept.shares] == slices_that_finish_together(weights, free, slices)


@pytest.mark.parametrize("seed", range(4))
def test_heterogeneity_equals_the_definition(seed):
    rnd = seeded(seed)
    for _ in range(500):
        weights = [Fraction(rnd.randint(1, 9), 9) for _ in range(rnd.randint(1, 9))]

        network = measure_network(weights)

        assert network.members == len(weights)
        assert network.heterogeneity == heterogeneity(weights)
        assert network.power == total_power(weights)


portions = st.sampled_from(sorted({Fraction(part, whole) for whole in range(1, 10) for part in range(1, whole + 1)}))
networks = st.lists(st.tuples(portions, portions), min_size=1, max_size=9)


def pace_of(nodes):
    weights, free = zip(*nodes, strict=True)
    return keep_pace(weights, free)


@given(networks, st.randoms(use_true_random=False))
def test_order_of_nodes_changes_nothing(nodes, rnd):
    indices = rnd.sample(range(len(nodes)), len(nodes))

    kept, shuffled = pace_of(nodes), pace_of([nodes[index] for index in indices])

    assert shuffled.power == kept.power
    assert shuffled.paces == tuple(kept.paces[index] for index in indices)
    assert shuffled.shares == tuple(kept.shares[index] for index in indices)


@given(networks, st.tuples(portions, portions))
def test_another_member_never_raises_what_all_can_count_on(nodes, other):
    assert pace_of([*nodes, other]).power <= pace_of(nodes).power


@given(networks, st.integers(0, 8), portions)
def test_more_free_time_never_lowers_what_all_can_count_on(nodes, index, free):
    index %= len(nodes)
    weight, less = nodes[index]

    freed = pace_of([*nodes[:index], (weight, max(free, less)), *nodes[index + 1 :]])

    assert freed.power >= pace_of(nodes).power


@given(networks, portions)
def test_unit_of_the_weights_changes_only_the_power(nodes, unit):
    kept, scaled = pace_of(nodes), pace_of([(weight * unit, free) for weight, free in nodes])

    assert (scaled.power, scaled.paces, scaled.shares) == (kept.power * unit, kept.paces, kept.shares)


@given(networks)
def test_floats_agree_with_exact_numbers(nodes):
    kept, in_floats = pace_of(nodes), pace_of([(float(weight), float(free)) for weight, free in nodes])

    assert isinstance(in_floats, LocalPace)
    assert in_floats.power == pytest.approx(float(kept.power), rel=1e-9)
    assert in_floats.paces == pytest.approx([float(pace) for pace in kept.paces], rel=1e-9)
    assert in_floats.shares == pytest.approx([float(share) for share in kept.shares], rel=1e-9)
    assert all(share <= float(free) for share, (_, free) in zip(in_floats.shares, nodes, strict=True))


weights_of_members = st.lists(portions, min_size=1, max_size=9)


@given(weights_of_members, st.randoms(use_true_random=False))
def test_order_and_number_of_equal_nodes_change_no_heterogeneity(weights, rnd):
    network = measure_network(weights)

    assert measure_network(rnd.sample(weights, len(weights))) == network
    assert measure_network(weights * 3).heterogeneity == network.heterogeneity
    assert measure_network(weights * 3).power == 3 * network.power


@given(weights_of_members)
def test_heterogeneity_of_floats_agrees_with_that_of_exact_numbers(weights):
    network, in_floats = measure_network(weights), measure_network([float(weight) for weight in weights])

    assert in_floats.heterogeneity == pytest.approx(float(network.heterogeneity), rel=1e-9, abs=1e-9)
    assert in_floats.power == pytest.approx(float(network.power), rel=1e-9)


def slices_had(share, slices):
    """Let a member use every slice that is due; yield how many it has had after each."""
    credit, had = TimeCredit(share=share), 0
    for _ in range(slices):
        runs = credit.is_due(1)
        credit = credit.after(elapsed=1, used=int(runs))
        had += runs
        yield had


@given(portions, st.integers(1, 60))
def test_member_has_always_had_its_share_rounded_up_to_a_slice(share, slices):
    assert list(slices_had(share, slices)) == [ceil(share * count) for count in range(1, slices + 1)]


def test_credit_ends_together_where_rounded_paces_are_late():
    """One slice in ceil(pace) leaves C behind G; credit does not [D 3.2.2, figure 2]."""
    weights = [TABLE_2[kind] for kind in "GCBA"]
    kept, slices = keep_pace(weights, [1] * 4), 12
    want_work = TABLE_2["G"] * slices

    rounded = [slices // ceil(pace) * weight for pace, weight in zip(kept.paces, weights, strict=True)]
    credited = [
        list(slices_had(share, slices))[-1] * weight for share, weight in zip(kept.shares, weights, strict=True)
    ]

    assert rounded[1] < want_work
    assert all(want_work <= work < want_work + weight for work, weight in zip(credited, weights, strict=True))


@given(portions, st.lists(portions, max_size=60))
def test_credit_is_what_is_earned_less_what_is_used_and_never_below_a_slice(share, uses):
    """Each time it is due, a member uses another part of its slice."""
    credit, used = TimeCredit(share=share), 0
    for index, part in enumerate(uses, start=1):
        use = part if credit.is_due(1) else 0
        credit = credit.after(elapsed=1, used=use)
        used += use
        assert credit.balance == share * index - used
        assert credit.balance > -1


def test_member_that_gives_a_slice_back_pays_for_what_it_used():
    credit = TimeCredit(share=Fraction(1, 4)).after(elapsed=1, used=Fraction(1, 8))

    assert credit.balance == Fraction(1, 8)
    assert credit.is_due(1)
    assert not TimeCredit(share=Fraction(1, 4)).after(elapsed=1, used=1).is_due(1)


@pytest.mark.parametrize(
    ("build", "want_field"),
    [
        pytest.param(lambda: measure_network([]), "weights", id="no nodes"),
        pytest.param(lambda: measure_network([1, 0]), "weights[1]", id="no power"),
        pytest.param(lambda: measure_network([2]), "weights[0]", id="faster than the fastest"),
        pytest.param(lambda: keep_pace([], []), "weights", id="no members"),
        pytest.param(lambda: keep_pace([1, float("inf")], [1, 1]), "weights[1]", id="infinite power"),
        pytest.param(lambda: keep_pace([1, -1], [1, 1]), "weights[1]", id="negative power"),
        pytest.param(lambda: keep_pace([1, 1], [1]), "free", id="a share is missing"),
        pytest.param(lambda: keep_pace([1, 1], [1, 2]), "free[1]", id="more than all time"),
        pytest.param(lambda: keep_pace([1], [-1]), "free[0]", id="less than no time"),
        pytest.param(lambda: TimeCredit(share=0), "share", id="no share"),
        pytest.param(lambda: TimeCredit(share=2), "share", id="more than the node"),
        pytest.param(lambda: TimeCredit(share=1, balance=float("nan")), "balance", id="no balance"),
        pytest.param(lambda: TimeCredit(share=1).after(elapsed=-1, used=0), "elapsed", id="time goes back"),
        pytest.param(lambda: TimeCredit(share=1).after(elapsed=1, used=2), "used", id="used more than there was"),
    ],
)
def test_values_that_make_no_sense_are_refused_by_field(build, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        build()

    assert refusal.value.field == want_field
