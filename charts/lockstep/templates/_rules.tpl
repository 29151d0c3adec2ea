{{/*
The rules of files/rules.yaml. A threshold is a recording rule lockstep:threshold:NAME there; the values replace it by name.
Who asks for a single replica misses no other one.
Where the values say at which address the repository can be read, the alerts have the address of their runbook too.
*/}}
{{- define "lockstep.rules" -}}
{{- $thresholds := deepCopy (default dict .Values.metrics.prometheusRule.thresholds) }}
{{- if and (eq (int .Values.replicaCount) 1) (not (hasKey $thresholds "replicasMissing")) }}
{{- $_ := set $thresholds "replicasMissing" 1 }}
{{- end }}
{{- $address := .Values.metrics.prometheusRule.runbookBaseUrl | default "" | trimSuffix "/" }}
{{- $rules := .Files.Get "files/rules.yaml" | fromYaml }}
{{- $known := list }}
{{- range $rules.groups }}
{{- range .rules }}
{{- if hasPrefix "lockstep:threshold:" (default "" .record) }}
{{- $name := trimPrefix "lockstep:threshold:" .record }}
{{- $known = append $known $name }}
{{- if hasKey $thresholds $name }}
{{- $_ := set . "expr" (printf "vector(%v)" (get $thresholds $name)) }}
{{- end }}
{{- end }}
{{- if and $address .annotations }}
{{- $_ := set .annotations "runbook_url" (printf "%s/%s" $address .annotations.runbook) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $name := keys $thresholds | sortAlpha }}
{{- if not (has $name $known) }}
{{- fail (printf "metrics.prometheusRule.thresholds.%s is no threshold of an alert; there are: %s." $name (join ", " $known)) }}
{{- end }}
{{- end }}
{{- toYaml $rules }}
{{- end }}
