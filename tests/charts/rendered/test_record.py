"""The recorder: off by default, with an account, a network and a volume of its own."""

import pytest

from charts.helm import VALUES_FILES, RefusedError, render
from lockstep.api.records.record_maps import SLOTS, records_map_name
from lockstep.cli.recording.record import record

NAME, NAMESPACE = "lockstep-record", "lockstep-system"
DAY = 86_400


def rendered(**more):
    return render({"record": {"enabled": True}, **more})


def test_no_recorder_runs_by_default_and_nothing_is_handed_over():
    objects = render()

    assert not {name for name in objects.names() if "record" in name}
    assert not [argument for argument in objects.container["args"] if "record" in argument]


def test_recorder_has_an_account_of_its_own_and_may_write_nothing_but_its_volume():
    spec = rendered().one("StatefulSet", NAME)["spec"]
    pod = spec["template"]["spec"]
    [container] = pod["containers"]

    assert spec["replicas"] == 1
    assert pod["serviceAccountName"] == NAME != "lockstep"
    assert pod["securityContext"] == {"fsGroup": 65532, **render().pod["securityContext"]}
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == ["/var/lib/lockstep"]
    assert container["env"] == [{"name": "SQLITE_TMPDIR", "value": "/var/lib/lockstep"}]
    assert "ports" not in container


def test_recorder_may_remove_the_configmaps_that_the_operator_of_this_release_creates_and_no_others():
    objects = rendered(leaderElection={"resourceName": "other"})
    [_, rule] = objects.one("Role", NAME)["rules"]

    assert rule["verbs"] == ["delete"]
    assert rule["resourceNames"] == [records_map_name("other", slot) for slot in range(SLOTS)]
    assert "--record=true" in objects.container["args"]


def test_nothing_may_connect_to_the_recorder():
    policy = rendered(networkPolicy={"enabled": True}).one("NetworkPolicy", NAME)["spec"]

    assert policy["ingress"] == []
    assert policy["podSelector"] == rendered().one("StatefulSet", NAME)["spec"]["selector"]


def test_users_on_record_are_refused_where_no_policy_can_write_them():
    users = {"record": {"enabled": True, "users": True}}

    with pytest.raises(RefusedError, match=r"record\.users needs Kubernetes 1\.36, and this cluster has v1\.35\.4"):
        render(users, "--kube-version=1.35.4")
    assert "--record-users=true" in render(users, "--kube-version=1.36.0").container["args"]
    assert render({"record": {"enabled": True}}, "--kube-version=1.35.4").one("StatefulSet", NAME)


def test_users_are_on_record_only_with_the_policies_that_let_the_operator_of_this_release_write_them():
    objects = render({"record": {"enabled": True, "users": True}, "fullnameOverride": "other"})

    assert "--record-users=true" in objects.container["args"]
    assert "--record-users=false" in rendered().container["args"]
    for kind in ("MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"):
        assert objects.one(f"{kind}Binding")["spec"]["policyName"] == objects.one(kind)["metadata"]["name"]
        expression = objects.one(kind)["spec"]["matchConditions"][0]["expression"]
        account = objects.pod["serviceAccountName"]
        assert expression == f"request.userInfo.username != 'system:serviceaccount:{NAMESPACE}:{account}'"


def test_without_a_lease_nothing_is_handed_over_so_it_is_refused():
    with pytest.raises(RefusedError, match=r"record\.enabled needs leaderElection\.enabled"):
        rendered(replicaCount=1, leaderElection={"enabled": False})


def test_arguments_are_understood_by_the_recorder():
    [values] = [file for file in VALUES_FILES if file.stem == "recording-values"]
    spec = render(values).one("StatefulSet", NAME)["spec"]
    [container] = spec["template"]["spec"]["containers"]
    command, *arguments = container["args"]

    understood = record.make_context("record", list(arguments)).params

    assert (command, understood["namespace"]) == ("record", NAMESPACE)
    assert (understood["keep"], understood["keep_users"]) == (364 * DAY, DAY / 2)
    assert understood["most_bytes"] == 2**30
    [claim] = spec["volumeClaimTemplates"]
    assert claim["spec"]["storageClassName"] == "fast"


def test_defaults_of_the_chart_are_those_of_the_command_and_the_file_is_smaller_than_the_volume():
    spec = rendered().one("StatefulSet", NAME)["spec"]
    [container] = spec["template"]["spec"]["containers"]
    _, *arguments = container["args"]

    given = record.make_context("record", list(arguments)).params
    usual = record.make_context("record", [f"--namespace={NAMESPACE}"]).params

    assert {name: given[name] for name in ("keep", "keep_users", "most_bytes", "database")} == {
        name: usual[name] for name in ("keep", "keep_users", "most_bytes", "database")
    }
    assert spec["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"] == "5Gi"
    assert given["most_bytes"] < 5 * 2**30
