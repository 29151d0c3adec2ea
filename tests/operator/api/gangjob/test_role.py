"""The roles of a GangJob's manifest."""

import pytest

from builders.served import gang, role
from coschedule import Load, Sizes
from lockstep.api.gangjob.gangjob import parse_gang

LAUNCHER = role("launcher", load="None", cpu="500m")
WORKERS = role("workers", size=2, most=16, cpu="2")


def parse(*roles, **spec):
    return parse_gang(gang("g", roles=roles, spec=spec), None)


def refusal(*roles, **spec):
    return parse(*roles, **spec).refusal.message


def test_gang_without_roles_is_one_role_without_a_name():
    [only] = parse_gang(gang("g", size=2, most=4), None).spec.roles

    assert (only.name, only.path, only.sizes, only.load) == ("", "template", Sizes(minimum=2, maximum=4), Load.EQUAL)


def test_roles_come_in_their_order_with_what_each_asks_for():
    launcher, workers = parse(LAUNCHER, WORKERS).spec.roles

    assert (launcher.name, launcher.load, dict(launcher.request)["cpu"]) == ("launcher", Load.NONE, 500)
    assert (workers.name, workers.load, dict(workers.request)["cpu"]) == ("workers", Load.EQUAL, 2000)
    assert workers.sizes == Sizes(minimum=2, maximum=16)


def test_size_of_a_gang_is_that_of_its_roles_together():
    spec = parse(LAUNCHER, WORKERS).spec

    assert (spec.minimum, spec.maximum, spec.least_working) == (3, 17, 2)


def test_sizes_are_those_that_the_gang_can_have():
    spec = parse(LAUNCHER, {**WORKERS, "size": {"min": 1, "max": 16, "multipleOf": 8}}).spec

    assert (spec.minimum, spec.least_working) == (9, 8)


def test_role_starts_after_others():
    manifest = gang("g", roles=({**LAUNCHER, "startAfter": ["workers"]}, WORKERS))
    launcher, _ = parse_gang(manifest, None, gate_image="lockstep:1").spec.roles

    assert launcher.start_after == ("workers",)


@pytest.mark.parametrize(
    ("size", "want"),
    [
        pytest.param({"allowed": [8, 4, 16]}, Sizes(minimum=4, maximum=16, allowed=(4, 8, 16)), id="a list"),
        pytest.param(
            {"min": 3, "max": 20, "multipleOf": 4}, Sizes(minimum=3, maximum=20, multiple_of=4), id="multiples"
        ),
    ],
)
def test_sizes_that_the_program_can_have(size, want):
    [only] = parse({**WORKERS, "size": size}).spec.roles

    assert only.sizes == want


def test_field_that_can_not_be_obeyed_is_named_with_its_role():
    asking = role("workers", resourceClaims=[{"name": "gpu"}])

    assert refusal(LAUNCHER, asking).startswith("roles[1].template.spec.resourceClaims: ")


def test_amount_that_can_not_be_counted_is_named_with_its_role():
    assert refusal(role("workers", cpu="-1")).startswith(
        "roles[0].template.spec.containers[0].resources.requests.cpu: "
    )


def test_pieces_of_a_role_are_at_least_as_many_as_its_members():
    assert (
        refusal({**WORKERS, "load": "Pieces", "pieces": 1}) == "pieces: must be at least 2, one for each member, not 1."
    )


def test_pieces_suffice_for_the_least_size_that_the_role_can_have():
    size = {"min": 1, "max": 8, "multipleOf": 4}

    assert refusal({**WORKERS, "size": size, "load": "Pieces", "pieces": 3}).startswith("pieces: must be at least 4, ")


PIECES = {"load": "Pieces", "pieces": 64}


def test_roles_have_pieces_of_their_own_and_weights():
    cpu, gpu = parse({**WORKERS, **PIECES}, {**role("gpu"), "load": "Pieces", "pieces": 8, "pieceWeight": 5}).spec.roles

    assert [(one.pieces, one.piece_weight) for one in (cpu, gpu)] == [(64, 1), (8, 5)]


@pytest.mark.parametrize(
    ("listed", "spec", "want"),
    [
        pytest.param(
            [{**WORKERS, **PIECES}, role("others")],
            {},
            "roles: if one role has load Pieces, all others must have load Pieces or None.",
            id="pieces beside shares",
        ),
        pytest.param(
            [{**WORKERS, **PIECES}, {**role("others"), **PIECES}],
            {"work": {"serialTime": "1h", "learn": True}},
            "work.learn: is allowed with at most one role of load Pieces.",
            id="learned",
        ),
        pytest.param(
            [{**WORKERS, "pieceWeight": 2}], {}, "pieceWeight: is allowed only with load Pieces.", id="no pieces"
        ),
        pytest.param([{**WORKERS, **PIECES, "pieceWeight": 0}], {}, "pieceWeight: must be at least 1.", id="no weight"),
    ],
)
def test_loads_that_do_not_go_together_are_refused(listed, spec, want):
    assert refusal(*listed, **spec) == want


def test_priority_class_of_any_template_is_that_of_the_gang():
    assert parse(LAUNCHER, role("workers", priorityClassName="high")).spec.priority_class == "high"


def test_templates_of_two_priority_classes_are_refused():
    answer = refusal(role("launcher", priorityClassName="low"), role("workers", priorityClassName="high"))

    assert "roles[0].template.spec.priorityClassName: is low, and roles[1].template has high" in answer
