{{/* What the operator is started with: a list. */}}
{{- define "lockstep.arguments" -}}
{{- $election := .Values.leaderElection -}}
- run
- --log-level={{ .Values.log.level }}
- --log-format={{ .Values.log.format }}
- --concurrency={{ .Values.operator.concurrency | int }}
{{ include "lockstep.planningArguments" . }}
- --run-time-quantile={{ .Values.operator.runTimeQuantile }}
- --unreachable-after={{ .Values.operator.unreachableAfter }}
- --provision-timeout={{ .Values.operator.provisionTimeout }}
{{- with .Values.operator.provisioningRequests }}
- {{ printf "--provisioning-requests=%s" . | quote }}
{{- end }}
{{- with .Values.sources }}
- --sources={{ join "," . }}
{{- end }}
{{- if has "workload" .Values.sources }}
- --quota-wait={{ .Values.operator.quotaWait }}
{{- end }}
{{- if .Values.sweeps.enabled }}
- --sweeps=true
{{- end }}
{{- if .Values.fairShares.enabled }}
- --fair-shares=true
{{- end }}
{{- if .Values.tenantAnswers.enabled }}
- --tenant-answers=true
{{- end }}
{{- if .Values.record.enabled }}
- --record=true
- --record-users={{ .Values.record.users }}
{{- end }}
- {{ default (include "lockstep.image" .) .Values.operator.gateImage | printf "--gate-image=%s" | quote }}
- --leader-elect={{ $election.enabled }}
{{- if $election.enabled }}
- --leader-elect-lease-duration={{ $election.leaseDuration }}
- --leader-elect-renew-deadline={{ $election.renewDeadline }}
- --leader-elect-retry-period={{ $election.retryPeriod }}
- --leader-elect-resource-name={{ include "lockstep.leaseName" . }}
- {{ include "lockstep.namespace" . | printf "--leader-elect-resource-namespace=%s" | quote }}
{{- end }}
{{- if .Values.metrics.secure.enabled }}
- --metrics-secure=true
- --metrics-listen-port={{ .Values.metrics.secure.port | int }}
- --metrics-cert-dir=/etc/lockstep/metrics-tls
{{- end }}
{{- if .Values.nodePool.selector }}
- --node-selector={{ include "lockstep.nodeSelector" . }}
{{- end }}
{{- range .Values.nodePool.taints }}
- --pool-taint={{ .key }}{{ with .value }}={{ . }}{{ end }}:{{ .effect }}
{{- end }}
{{- with .Values.extraArgs }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/*
How the operator's pods are replaced. Without a lease that both know, an old and a new pod must not write side by side.
Kubernetes' own default is written out: what the API server fills in by itself belongs to no one, so Helm could not take it away
again, and it may not stand beside Recreate.
*/}}
{{- define "lockstep.strategy" -}}
{{- if .Values.strategy }}
{{- toYaml .Values.strategy }}
{{- else if and .Values.leaderElection.enabled (include "lockstep.sharesLease" .) -}}
type: RollingUpdate
rollingUpdate:
  maxSurge: 25%
  maxUnavailable: 25%
{{- else -}}
type: Recreate
{{- end }}
{{- end }}

{{/* Not empty where the pods that are there, if any, agree by the same lease as the new ones. */}}
{{- define "lockstep.sharesLease" -}}
{{- $present := lookup "apps/v1" "Deployment" (include "lockstep.namespace" .) (include "lockstep.fullname" .) }}
{{- $shares := true }}
{{- if $present }}
{{- $arguments := (first $present.spec.template.spec.containers).args }}
{{- range include "lockstep.arguments" . | fromYamlArray }}
{{- if and (or (hasPrefix "--leader-elect=" .) (hasPrefix "--leader-elect-resource-" .)) (not (has . $arguments)) }}
{{- $shares = false }}
{{- end }}
{{- end }}
{{- end }}
{{- if $shares }}true{{ end }}
{{- end }}

{{/* The labels of the nodes for gangs: KEY=VALUE with commas between. */}}
{{- define "lockstep.nodeSelector" -}}
{{- $terms := list }}
{{- range $key, $value := .Values.nodePool.selector }}
{{- $terms = append $terms (printf "%s=%s" $key $value) }}
{{- end }}
{{- join "," $terms }}
{{- end }}

{{/* The affinity of the operator's pods; empty where there is none. */}}
{{- define "lockstep.affinity" -}}
{{- $term := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" (include "lockstep.selectorLabels" . | fromYaml)) }}
{{- $apart := dict }}
{{- if eq .Values.podAntiAffinity "required" }}
{{- $apart = dict "podAntiAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (list $term)) }}
{{- else if eq .Values.podAntiAffinity "preferred" }}
{{- $weighted := dict "weight" 100 "podAffinityTerm" $term }}
{{- $apart = dict "podAntiAffinity" (dict "preferredDuringSchedulingIgnoredDuringExecution" (list $weighted)) }}
{{- end }}
{{- /* The outermost keys only: a podAntiAffinity that is given replaces ours whole. */}}
{{- range $key, $value := .Values.affinity }}
{{- $_ := set $apart $key $value }}
{{- end }}
{{- with $apart }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{/* The topology spread of the operator's pods: each constraint has a selector. */}}
{{- define "lockstep.topologySpread" -}}
{{- $selector := dict "matchLabels" (include "lockstep.selectorLabels" . | fromYaml) }}
{{- $constraints := list }}
{{- range .Values.topologySpreadConstraints }}
{{- $selected := . }}
{{- if not (hasKey . "labelSelector") }}
{{- $selected = merge (dict "labelSelector" $selector) . }}
{{- end }}
{{- $constraints = append $constraints $selected }}
{{- end }}
{{- toYaml $constraints }}
{{- end }}
