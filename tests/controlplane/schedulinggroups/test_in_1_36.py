"""What PodGroups can not do in Kubernetes 1.36: a test fails where a Gang has to follow them after all."""

import pytest

from sandbox import ApiError

pytestmark = pytest.mark.usefixtures("operator")


def test_count_of_a_group_can_not_change(groups):
    groups.create("heat", 2)

    with pytest.raises(ApiError) as refused:
        groups.change_count("heat", 3)

    assert refused.value.status == 422
