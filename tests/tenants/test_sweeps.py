"""What the largest sweeps cost the others: their parameters, and all of their own fields."""

import pytest

from builders.work import instructions
from lockstep.api.sweeps.parameters import RunParameters, read_parameters
from lockstep.facts.runs.sweep_run import MOST_RUNS
from tenants.bounds import USUAL, too_dear
from tenants.price import price, without
from tenants.sweeps import shapes_of_sweeps

# Of a ConfigMap, by the API server.
MOST_BYTES = 2**20


@pytest.mark.parametrize(
    ("variables", "value"),
    [
        pytest.param(50, "1", id="many values"),
        pytest.param(1, "x" * 95, id="long ones"),
        pytest.param(30, '""', id="quotes"),
    ],
)
def test_largest_parameters_are_read_within_the_bound_of_objects(variables, value):
    """A line takes a few steps, however many values it has. It happens in a thread, one ConfigMap at a time."""
    names = ",".join(f"V{number}" for number in range(variables))
    text = f"{names}\n" + f"{','.join([value] * variables)}\n" * MOST_RUNS
    assert len(text) < MOST_BYTES
    config_map = {"metadata": {"name": "p", "uid": "u"}, "immutable": True, "data": {"parameters.csv": text}}

    assert isinstance(read_parameters(config_map), RunParameters)
    assert instructions(lambda: read_parameters(config_map)) < USUAL.largest.reading * without().step


@pytest.mark.parametrize(
    "shape",
    [pytest.param(one, id=one.field) for one in shapes_of_sweeps() if not one.field.startswith("spec.template")],
)
def test_own_field_of_a_sweep_is_within_its_bounds(shape):
    """Beside 10,000 runs of which half have failed and are wanted again."""
    assert [*too_dear(shape, price(shape))] == []
