"""The chart's templates for leases, roles and bindings, from the manifests that are applied without the chart."""

from collections.abc import Mapping

from charts.make.manifests import Manifest, manifests
from charts.make.source_rules import with_sizing, with_sources, with_suspends

SOURCES = (
    "operator/rbac.yaml",
    "operator/rbac-metrics.yaml",
    "operator/rbac-provisioning.yaml",
    "operator/rbac-sources.yaml",
    "operator/rbac-sizing.yaml",
    "operator/rbac-suspending.yaml",
    "operator/rbac-evicting.yaml",
    "operator/rbac-sweeps.yaml",
    "operator/rbac-shares.yaml",
    "operator/rbac-answers.yaml",
    "operator/rbac-record.yaml",
    "operator/record-users.yaml",
    "operator/rbac-agent.yaml",
)

_OPERATOR = "lockstep"
_ELECTS = ".Values.leaderElection.enabled"
_CREATES = ".Values.rbac.create"
_SWEEPS = f"and {_CREATES} .Values.sweeps.enabled"
_SHARES = f"and {_CREATES} .Values.fairShares.enabled"
_AGENTS = f"and {_CREATES} .Values.agent.enabled"
_ANSWERS = f"and {_CREATES} .Values.tenantAnswers.enabled"
_RECORDS = f"and {_CREATES} .Values.record.enabled"
_NAMES_USERS = f"{_RECORDS} .Values.record.users"
_ASKS_FOR_NODES = f"and {_CREATES} .Values.operator.provisioningRequests"
_PLACES_PODS = f"and {_CREATES} .Values.sources"
_SIZES_OWNERS = f'and {_CREATES} (or (has "sizedjob" .Values.sources) (has "sizedraycluster" .Values.sources))'
_SUSPENDS = f"{_PLACES_PODS} .Values.suspends"
_EVICTS = f"{_PLACES_PODS} .Values.evicts"
# When the chart has which object. One that is not named here makes the generator fail: the author has to decide.
_CONDITIONS: Mapping[str, str] = {
    "ClusterRole/lockstep": _CREATES,
    "ClusterRoleBinding/lockstep": _CREATES,
    "Lease/lockstep": _ELECTS,
    "Role/lockstep-leader-election": f"and {_CREATES} {_ELECTS}",
    "RoleBinding/lockstep-leader-election": f"and {_CREATES} {_ELECTS}",
    "Role/lockstep-settings-reader": f"and {_CREATES} {_ELECTS}",
    "RoleBinding/lockstep-settings-reader": f"and {_CREATES} {_ELECTS}",
    "ClusterRole/lockstep-viewer": _CREATES,
    "ClusterRole/lockstep-editor": _CREATES,
    "ClusterRole/lockstep-bidder": _CREATES,
    "ClusterRole/lockstep-metrics-auth": f"and {_CREATES} .Values.metrics.secure.enabled",
    "ClusterRoleBinding/lockstep-metrics-auth": f"and {_CREATES} .Values.metrics.secure.enabled",
    "ClusterRole/lockstep-metrics-reader": f"and {_CREATES} .Values.metrics.secure.enabled",
    "ClusterRole/lockstep-provisioning": _ASKS_FOR_NODES,
    "ClusterRoleBinding/lockstep-provisioning": _ASKS_FOR_NODES,
    "ClusterRole/lockstep-sources": _PLACES_PODS,
    "ClusterRoleBinding/lockstep-sources": _PLACES_PODS,
    "ClusterRole/lockstep-sizing": _SIZES_OWNERS,
    "ClusterRoleBinding/lockstep-sizing": _SIZES_OWNERS,
    "ClusterRole/lockstep-suspending": _SUSPENDS,
    "ClusterRoleBinding/lockstep-suspending": _SUSPENDS,
    "ClusterRole/lockstep-evicting": _EVICTS,
    "ClusterRoleBinding/lockstep-evicting": _EVICTS,
    "ClusterRole/lockstep-sweeps": _SWEEPS,
    "ClusterRoleBinding/lockstep-sweeps": _SWEEPS,
    "ClusterRole/lockstep-shares": _SHARES,
    "ClusterRoleBinding/lockstep-shares": _SHARES,
    "ClusterRole/lockstep-answers": _ANSWERS,
    "ClusterRoleBinding/lockstep-answers": _ANSWERS,
    "ClusterRole/lockstep-answers-guard": _ANSWERS,
    "ClusterRoleBinding/lockstep-answers-guard": _ANSWERS,
    "ClusterRole/lockstep-answers-viewer": _ANSWERS,
    "ClusterRole/lockstep-answers-editor": _ANSWERS,
    "Role/lockstep-record": _RECORDS,
    "RoleBinding/lockstep-record": _RECORDS,
    "ClusterRole/lockstep-record": _RECORDS,
    "ClusterRoleBinding/lockstep-record": _RECORDS,
    "MutatingAdmissionPolicy/lockstep-record-users": _NAMES_USERS,
    "MutatingAdmissionPolicyBinding/lockstep-record-users": _NAMES_USERS,
    "ValidatingAdmissionPolicy/lockstep-record-users": _NAMES_USERS,
    "ValidatingAdmissionPolicyBinding/lockstep-record-users": _NAMES_USERS,
    "ClusterRole/lockstep-agent": _AGENTS,
    "ClusterRoleBinding/lockstep-agent": _AGENTS,
    "ValidatingAdmissionPolicy/lockstep-agent": _AGENTS,
    "ValidatingAdmissionPolicyBinding/lockstep-agent": _AGENTS,
}
# Hand-written in the chart, since values change them.
_ELSEWHERE = {
    "Namespace/lockstep-system",
    "ServiceAccount/lockstep",
    "ServiceAccount/lockstep-answers",
    "ServiceAccount/lockstep-record",
    "ServiceAccount/lockstep-agent",
}
_AGGREGATIONS = {
    "rbac.authorization.k8s.io/aggregate-to-view": "aggregateToView",
    "rbac.authorization.k8s.io/aggregate-to-edit": "aggregateToEdit",
    "rbac.authorization.k8s.io/aggregate-to-admin": "aggregateToAdmin",
}
_NAMESPACE = '{{ include "lockstep.namespace" . | quote }}'
# Roles whose rules depend on values.
_RULES = {"lockstep-sources": with_sources, "lockstep-sizing": with_sizing, "lockstep-suspending": with_suspends}
_ACCOUNTS = {
    "lockstep": "lockstep.serviceAccountName",
    "lockstep-answers": "lockstep.answersName",
    "lockstep-record": "lockstep.recordName",
    "lockstep-agent": "lockstep.agentAccountName",
}
# Names that stand within a section.
_NAMES_IN_TEXT = {
    "resourceNames: [lockstep]": 'resourceNames: [{{ include "lockstep.leaseName" . }}]',
    "resourceNames: [lockstep-settings]": 'resourceNames: [{{ include "lockstep.leaseName" . }}-settings]',
    "- lockstep-records-": '- {{ include "lockstep.leaseName" . }}-records-',
    "policyName: lockstep-record-users": 'policyName: {{ include "lockstep.fullname" . }}-record-users',
    "serviceaccount:lockstep-system:lockstep'": 'serviceaccount:{{ include "lockstep.namespace" . }}:'
    '{{ include "lockstep.serviceAccountName" . }}\'',
    "policyName: lockstep-agent": 'policyName: {{ include "lockstep.fullname" . }}-agent',
    "serviceaccount:lockstep-system:lockstep-agent": 'serviceaccount:{{ include "lockstep.namespace" . }}:'
    '{{ include "lockstep.agentAccountName" . }}',
}


def role_templates(texts: Mapping[str, str]) -> dict[str, str]:
    """The text of every template by its file's name, from the texts of ``SOURCES`` by their paths."""
    return {
        _file_name(one): _template(one, source)
        for source, text in texts.items()
        for one in manifests(text)
        if f"{one.kind}/{one.name}" not in _ELSEWHERE
    }


def _file_name(manifest: Manifest) -> str:
    suffix = manifest.name.removeprefix(_OPERATOR)
    return f"{manifest.kind.lower()}{suffix}.yaml"


def _template(manifest: Manifest, source: str) -> str:
    lines = [
        f"{{{{- /* Generated by `make generate` from {source}; do not edit. */}}}}",
        f"{{{{- if {_CONDITIONS[f'{manifest.kind}/{manifest.name}']} }}}}",
        *_comment(manifest),
        *_metadata(manifest),
        *(line for key in manifest.sections for line in _section(manifest, key)),
        "{{- end }}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _comment(manifest: Manifest) -> list[str]:
    return manifest.comment.splitlines() + [manifest.sections[key].rstrip() for key in ("apiVersion", "kind")]


def _metadata(manifest: Manifest) -> list[str]:
    metadata = manifest.content["metadata"]
    lines = ["metadata:", f"  name: {_name(manifest)}"]
    if "namespace" in metadata:
        lines.append(f"  namespace: {_NAMESPACE}")
    lines += ["  labels:", '    {{- include "lockstep.labels" . | nindent 4 }}']
    for label, value in metadata.get("labels", {}).items():
        lines += [f"    {{{{- if .Values.rbac.{_AGGREGATIONS[label]} }}}}", f'    {label}: "{value}"', "    {{- end }}"]
    return lines


def _name(manifest: Manifest) -> str:
    if manifest.kind == "Lease":
        return '{{ include "lockstep.leaseName" . }}'
    return _full_name(manifest.name)


def _full_name(name: str) -> str:
    return '{{ include "lockstep.fullname" . }}' + name.removeprefix(_OPERATOR)


def _section(manifest: Manifest, key: str) -> list[str]:
    if key in {"apiVersion", "kind", "metadata"}:
        return []
    if key == "subjects":
        return _subjects(manifest)
    text = manifest.sections[key].rstrip()
    if key == "rules" and manifest.name in _RULES:
        text = _RULES[manifest.name](text)
    for written, templated in _NAMES_IN_TEXT.items():
        text = text.replace(written, templated)
    if key == "roleRef":
        name = manifest.content["roleRef"]["name"]
        return text.replace(f"name: {name}", f"name: {_full_name(name)}").splitlines()
    return text.splitlines()


def _subjects(manifest: Manifest) -> list[str]:
    [subject] = manifest.content["subjects"]
    if subject["kind"] != "ServiceAccount":
        return manifest.sections["subjects"].rstrip().splitlines()
    return [
        "subjects:",
        "  - kind: ServiceAccount",
        f'    name: {{{{ include "{_ACCOUNTS[subject["name"]]}" . | quote }}}}',
        f"    namespace: {_NAMESPACE}",
    ]
