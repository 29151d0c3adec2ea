"""The commands of the runbooks that read the cluster are ones that kubectl and the API server understand."""

import shlex

import pytest

from builders.manifests import gang
from docs.markdown import ROOT, fences

READS = ("kubectl get ", "kubectl describe ", "kubectl auth ", "kubectl -n lockstep-system get ")
# There is no deployment here, so there are no pods of ours.
COMMANDS = sorted(
    {
        line.partition(" | ")[0]
        for page in ROOT.glob("docs/runbooks/*.md")
        for fence in fences(page)
        for line in fence.text.splitlines()
        if line.startswith(READS) and "POD" not in line
    }
)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_of_a_runbook_is_understood(arena, command):
    arena.submit(gang("heat"))
    words = [{"NAME": "heat", "NAMESPACE": arena.namespace}.get(word, word) for word in shlex.split(command)[1:]]

    said = arena.api.kubectl(*words)

    assert "auth" not in words or said.strip() == "yes"
