"""Archives of the same files are the same, whichever user packs them and where."""

from release.make.packing import DATA, PROGRAM, Packed, pack, unpack

FILES = {"b/run": Packed(b"#!/bin/sh\n", PROGRAM), "a": Packed(b"text")}


def test_order_of_files_and_name_of_archive_do_not_matter(tmp_path):
    pack(tmp_path / "one.tar.gz", FILES, made=1)
    pack(tmp_path / "other.tgz", dict(reversed(FILES.items())), made=1)

    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "other.tgz").read_bytes()


def test_archive_has_contents_and_modes(tmp_path):
    pack(tmp_path / "one.tar.gz", FILES, made=1)

    assert unpack(tmp_path / "one.tar.gz") == FILES
    assert unpack(tmp_path / "one.tar.gz")["a"].mode == DATA
