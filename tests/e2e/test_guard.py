"""The tests that install and kill refuse clusters that users may need."""

import pytest

from e2e.cluster import Cluster
from e2e.guard import NotOursError, refuse_unless_ours


@pytest.mark.parametrize("context", ["sandbox", "kind-lockstep", "kind-other"])
def test_cluster_that_can_be_thrown_away_is_taken(context):
    refuse_unless_ours(context)


@pytest.mark.parametrize("context", ["", "production", "my-kind-lockstep", "sandbox-of-a-user", "kind", "gke_kind-a"])
def test_any_other_context_is_refused(context):
    with pytest.raises(NotOursError, match=f"^The context {context} is not sandbox "):
        refuse_unless_ours(context)


def test_cluster_is_not_touched_before_the_guard_was_asked(tmp_path):
    with pytest.raises(NotOursError):
        Cluster(tmp_path / "kubeconfig", "production", image="lockstep:1", home=tmp_path, patience_seconds=1)
