{{/* The chart's name, as far as a label has room for it. */}}
{{- define "lockstep.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of the release's objects: at most 63 characters, as many as a Service may have. */}}
{{- define "lockstep.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* The chart and its version, as a label. */}}
{{- define "lockstep.chart" -}}
{{- printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The namespace of everything that has one. */}}
{{- define "lockstep.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{/* What selects the operator's pods. A Deployment's selector cannot be changed, so these stay as they are for ever. */}}
{{- define "lockstep.selectorLabels" -}}
app.kubernetes.io/name: {{ include "lockstep.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: operator
{{- end }}

{{/* Labels of every object that belongs to the operator. */}}
{{- define "lockstep.labels" -}}
{{ include "lockstep.selectorLabels" . }}
{{ include "lockstep.descriptiveLabels" . }}
{{- end }}

{{/* Labels that select nothing. */}}
{{- define "lockstep.descriptiveLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: lockstep
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ include "lockstep.chart" . }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The operator's service account. */}}
{{- define "lockstep.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "lockstep.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* The agents' service account. */}}
{{- define "lockstep.agentAccountName" -}}
{{- default (printf "%s-agent" (include "lockstep.fullname" .)) .Values.agent.serviceAccount.name }}
{{- end }}

{{/* What selects the agents' pods. A DaemonSet's selector cannot be changed, so these stay as they are for ever. */}}
{{- define "lockstep.agentSelectorLabels" -}}
app.kubernetes.io/name: {{ include "lockstep.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: agent
{{- end }}

{{/* Labels of every object that belongs to the agents. */}}
{{- define "lockstep.agentLabels" -}}
{{ include "lockstep.agentSelectorLabels" . }}
{{ include "lockstep.descriptiveLabels" . }}
{{- end }}

{{/* The image with its registry, tag and digest. */}}
{{- define "lockstep.image" -}}
{{- with .Values.image.registry }}{{ . }}/{{ end }}
{{- .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{/* The lease by which processes agree on who leads. */}}
{{- define "lockstep.leaseName" -}}
{{- default (include "lockstep.fullname" .) .Values.leaderElection.resourceName }}
{{- end }}

{{/* The Secret with the certificate of secured metrics. */}}
{{- define "lockstep.metricsSecretName" -}}
{{- default (printf "%s-metrics-tls" (include "lockstep.fullname" .)) .Values.metrics.secure.secretName }}
{{- end }}

{{/*
The content of a Secret with a certificate for a Service, and with its authority: those that are there, or new ones.
Takes a list: the root, the Secret's name, the Service's, and what is served.
*/}}
{{- define "lockstep.certificate" -}}
{{- $root := index . 0 }}
{{- $namespace := include "lockstep.namespace" $root }}
{{- $present := lookup "v1" "Secret" $namespace (index . 1) }}
{{- if $present }}
{{- toYaml $present.data }}
{{- else }}
{{- $host := printf "%s.%s.svc" (index . 2) $namespace }}
{{- $authority := genCA (printf "%s %s" (include "lockstep.fullname" $root) (index . 3)) 3650 }}
{{- $pair := genSignedCert $host nil (list $host (printf "%s.cluster.local" $host)) 3650 $authority }}
{{- toYaml (dict "ca.crt" ($authority.Cert | b64enc) "tls.crt" ($pair.Cert | b64enc) "tls.key" ($pair.Key | b64enc)) }}
{{- end }}
{{- end }}

{{/* The server of answers for tenants: its Deployment, Service and account. */}}
{{- define "lockstep.answersName" -}}
{{- printf "%s-answers" (include "lockstep.fullname" . | trunc 55 | trimSuffix "-") }}
{{- end }}

{{/* What selects its pods. A Deployment's selector cannot be changed, so these stay as they are for ever. */}}
{{- define "lockstep.answersSelectorLabels" -}}
app.kubernetes.io/name: {{ include "lockstep.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: answers
{{- end }}

{{/* Labels of every object that belongs to it. */}}
{{- define "lockstep.answersLabels" -}}
{{ include "lockstep.answersSelectorLabels" . }}
{{ include "lockstep.descriptiveLabels" . }}
{{- end }}

{{/* The Secret with its certificate. */}}
{{- define "lockstep.answersSecretName" -}}
{{- default (printf "%s-tls" (include "lockstep.answersName" .)) .Values.tenantAnswers.secretName }}
{{- end }}

{{/*
The recorder: its StatefulSet and account. It has 52 characters at most: a label of its pod has this name and 11 characters more.
*/}}
{{- define "lockstep.recordName" -}}
{{- printf "%s-record" (include "lockstep.fullname" . | trunc 45 | trimSuffix "-") }}
{{- end }}

{{/* What selects its pod. A StatefulSet's selector cannot be changed, so these stay as they are for ever. */}}
{{- define "lockstep.recordSelectorLabels" -}}
app.kubernetes.io/name: {{ include "lockstep.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: record
{{- end }}

{{/* Labels of every object that belongs to it. */}}
{{- define "lockstep.recordLabels" -}}
{{ include "lockstep.recordSelectorLabels" . }}
{{ include "lockstep.descriptiveLabels" . }}
{{- end }}

{{/* Not empty where the server of answers for tenants asks the recorder. */}}
{{- define "lockstep.answersHistory" -}}
{{- if and .Values.record.enabled .Values.tenantAnswers.enabled }}true{{ end }}
{{- end }}

{{/* The Secret by which these two know each other. */}}
{{- define "lockstep.recordSecretName" -}}
{{- printf "%s-tls" (include "lockstep.recordName" .) }}
{{- end }}

{{/*
Egress rules of the release's pods: those of the values, or else DNS and API servers.
Takes a list: the root, and more ports.
*/}}
{{- define "lockstep.egress" -}}
{{- $root := first . }}
{{- if $root.Values.networkPolicy.egress }}
{{- toYaml $root.Values.networkPolicy.egress }}
{{- else -}}
- ports:
    - port: 53
      protocol: UDP
    {{- range concat (list 53 443 6443) (rest .) }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
{{- end }}
{{- end }}

{{/* Annotations of our kinds. */}}
{{- define "lockstep.crdAnnotations" -}}
{{- $keep := dict }}
{{- if .Values.crds.keep }}
{{- $keep = dict "helm.sh/resource-policy" "keep" }}
{{- end }}
{{- with merge $keep (default dict .Values.crds.annotations) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
Not empty where an object of a kind of the Prometheus operator is to be rendered.
Takes a list: the root, the kind, and the values with `enabled` and `renderMode`.
*/}}
{{- define "lockstep.renders" -}}
{{- $root := index . 0 }}
{{- $kind := index . 1 }}
{{- $values := index . 2 }}
{{- if $values.enabled }}
{{- $known := $root.Capabilities.APIVersions.Has (printf "monitoring.coreos.com/v1/%s" $kind) }}
{{- if and (not $known) (eq $values.renderMode "failIfMissing") }}
{{- fail (printf "The cluster has no kind %s (monitoring.coreos.com/v1): install the Prometheus operator first, or set renderMode to skipIfMissing." $kind) }}
{{- end }}
{{- if or $known (eq $values.renderMode "alwaysRender") }}true{{ end }}
{{- end }}
{{- end }}

{{/* The seconds of a duration such as 1h30m. */}}
{{- define "lockstep.seconds" -}}
{{- $units := dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0 }}
{{- $seconds := 0.0 }}
{{- range regexFindAll "[0-9.]+[a-z]+" . -1 }}
{{- $number := regexFind "[0-9.]+" . | float64 }}
{{- $seconds = addf $seconds (mulf $number (get $units (regexFind "[a-z]+" .))) }}
{{- end }}
{{- $seconds }}
{{- end }}
