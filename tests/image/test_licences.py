"""What a package says of its licence, in any of the ways in which packages say it."""

from importlib.metadata import PathDistribution

import pytest
from image.make.licences import licence


@pytest.mark.parametrize(
    ("fields", "want_licence"),
    [
        pytest.param("License-Expression: MIT OR Apache-2.0", "MIT OR Apache-2.0", id="an expression"),
        pytest.param("License-Expression: MIT\nLicense: ours", "MIT", id="an expression counts most"),
        pytest.param("Classifier: License :: OSI Approved :: MIT License", "MIT License", id="a classifier"),
        pytest.param("License: BSD\n  All rights reserved", "BSD", id="the first line of a text"),
        pytest.param("License: UNKNOWN", "", id="a place holder"),
        pytest.param("Classifier: Typing :: Typed", "", id="nothing"),
    ],
)
def test_licence_is_what_the_package_says(tmp_path, fields, want_licence):
    (tmp_path / "METADATA").write_text(f"Metadata-Version: 2.4\nName: one\nVersion: 1\n{fields}\n", encoding="utf-8")

    assert licence(PathDistribution(tmp_path)) == want_licence
