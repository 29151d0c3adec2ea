"""The generator makes what the schema takes, of every field, and nothing that etcd would not store."""

import pytest

from tenants.all_shapes import all_shapes
from tenants.fitting import MOST_BYTES, shared_out, size
from tenants.schema import Sort, fields, spec_of
from tenants.sweeps import NOT_IN_TEMPLATES, shapes_of_sweeps


@pytest.mark.parametrize("kind", ["gangjobs", "gangs", "nodebids"])
def test_every_field_that_holds_anything_has_a_shape(kind):
    shaped = {shape.field for shape in all_shapes() if shape.plural == kind and shape.field.startswith("spec")}

    assert {field.path for field in fields(spec_of(kind)) if field.sort is not Sort.OBJECT} == shaped
    assert len(shaped) > 5


def test_every_field_of_a_sweep_and_of_its_template_has_a_shape():
    shaped = {shape.field for shape in shapes_of_sweeps()}
    known = {field.path for field in fields(spec_of("gangsweeps")) if field.sort is not Sort.OBJECT}

    assert known - {*NOT_IN_TEMPLATES} == shaped
    assert len(shaped) > 100


def test_a_shape_is_named_once():
    assert len({shape[:3] for shape in all_shapes()}) == len(all_shapes())


@pytest.mark.parametrize(
    ("most", "entries", "want"),
    [
        ((), 10, []),
        ((250,), 10_000, [250]),
        ((50, 1_000), 100, [10, 10]),
        ((2, 1_000), 100, [2, 50]),
        ((1_000, 2), 100, [50, 2]),
    ],
)
def test_entries_are_shared_out_evenly_within_the_bounds_of_each_list(most, entries, want):
    assert shared_out(entries, most) == want


@pytest.mark.parametrize(
    ("field", "name", "want_entries"),
    [
        ("spec.template.spec.tolerations", "different entries", 100),
        ("spec.template.spec.containers[].ports", "different entries", 250),
        ("spec.template.spec.nodeSelector", "different entries", 250),
        ("spec.volumeClaimTemplates", "longest entries", 8),
        ("spec.roles", "different entries", 8),
    ],
)
def test_a_list_or_map_has_as_many_entries_as_it_may(field, name, want_entries):
    assert len(value_at(made(field, name), field)) == want_entries


def test_equal_entries_are_equal_and_different_ones_are_not():
    field = "spec.template.spec.tolerations"
    equal, different = (value_at(made(field, name), field) for name in ("equal entries", "different entries"))

    assert all(one == equal[0] for one in equal)
    assert len({one["key"] for one in different}) == len(different)


def test_what_would_be_too_large_for_etcd_has_as_many_entries_as_fit():
    spec = made("spec.template.spec.containers[].env[].value", "wherever it can be")

    assert MOST_BYTES / 2 < size(spec) <= MOST_BYTES


def made(field, name):
    [shape] = [one for one in all_shapes() if one.plural == "gangjobs" and (one.field, one.name) == (field, name)]
    return shape.make()[0]["spec"]


def value_at(spec, path):
    """What stands there, in the first entry of each list on the way."""
    for name in path.split(".")[1:]:
        spec = spec[name.removesuffix("[]")]
        spec = spec[0] if name.endswith("[]") else spec
    return spec
