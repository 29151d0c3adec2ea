"""The wheels that are there before Docker builds are those of the base's Python, whatever Python brings them."""

from image.make.locks import read
from image.make.wheels import MACHINES, lock_for


def test_lock_has_one_version_of_each_package_and_no_conditions():
    entries = read(lock_for("3.13.1"))

    assert len({one.name for one in entries}) == len(entries)
    assert [one.name for one in entries if one.requirement.marker] == []
    assert all(one.hashes for one in entries)


def test_python_of_the_base_decides_which_version_is_there():
    versions = [{one.name: one.version for one in read(lock_for(python))}["numpy"] for python in ("3.11.1", "3.13.1")]

    assert versions[0] != versions[1]


def test_platforms_are_those_of_the_image():
    assert set(MACHINES) == {"linux/amd64", "linux/arm64"}
