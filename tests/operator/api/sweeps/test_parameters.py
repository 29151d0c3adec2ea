"""Parameters of runs: read line by line, and refused with the number of the line."""

import itertools

import pytest

from lockstep.api.sweeps.parameters import RunParameters, read_parameters


def config_map(text, **more):
    """Describe the ConfigMap of these lines."""
    return {"metadata": {"name": "p", "uid": "u"}, "immutable": True, "data": {"parameters.csv": text}, **more}


def test_each_line_has_the_parameters_of_a_run():
    """Values may be quoted, and empty."""
    read = read_parameters(config_map('A, B\n1,"x,""y"""\n2,\n'))
    assert isinstance(read, RunParameters)
    assert [read.of(run) for run in range(2)] == [(("A", "1"), ("B", 'x,"y"')), (("A", "2"), ("B", ""))]


@pytest.mark.parametrize(
    ("manifest", "want"),
    [
        pytest.param(config_map("A\n1\n", immutable=False), "must be immutable", id="mutable"),
        pytest.param(config_map("A\n1\n", data={"other": ""}), "must have the key parameters.csv", id="no key"),
        pytest.param(config_map("A\n"), "has 0 lines below its header", id="no runs"),
        pytest.param(config_map("A\n" + "1\n" * 10_001), "has 10001 lines", id="too many runs"),
        pytest.param(config_map("A,B\n1,2\n3\n"), "has 1 values in line 3, and 2 variables in line 1", id="shape"),
        pytest.param(config_map('A\n"1\n'), "has a line 2 that can't be read", id="open quote"),
        pytest.param(config_map("A,A\n1,2\n"), "must name each variable once", id="twice"),
        pytest.param(config_map("1A\n1\n"), "has '1A' in line 1", id="no name"),
        pytest.param(config_map("LOCKSTEP_RANK\n1\n"), "does not begin with LOCKSTEP_", id="ours"),
        pytest.param(config_map("A\n1\n2\0"), "a character in line 3 that can't be printed", id="control"),
        pytest.param(config_map("A\n" + "x" * 5_000), "has more than 4096 characters in line 2", id="long"),
    ],
)
def test_parameters_that_can_not_be_used_are_refused(manifest, want):
    """The sentence names the ConfigMap and the line."""
    refusal = read_parameters(manifest)
    assert want in refusal.message
    assert refusal.message.startswith("parametersFrom: ConfigMap p ")


def test_every_line_that_is_accepted_has_the_values_that_a_run_gets():
    """Each line of up to five odd characters: it is refused, or its run can be made, with as many values as names."""
    for length in range(6):
        for letters in itertools.product('a," \t\r', repeat=length):
            read = read_parameters(config_map(f"A,B\n{''.join(letters)}\n"))
            if isinstance(read, RunParameters) and read.lines:
                assert [name for name, _ in read.of(0)] == ["A", "B"]
