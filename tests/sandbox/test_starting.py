"""Which flags a component gets."""

from sandbox.starting import overridden


def test_flag_that_is_given_stands_in_the_place_of_our_own():
    own = ("--controllers=*,-node-lifecycle-controller", "--secure-port=1")

    assert overridden(own, ("--controllers=*",)) == ["--secure-port=1", "--controllers=*"]


def test_flag_of_another_name_is_added():
    assert overridden(("--name=a",), ("--name-of=b", "--quiet")) == ["--name=a", "--name-of=b", "--quiet"]
