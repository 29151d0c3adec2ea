{{/* Labels of what `helm test` makes: never those that select the operator's pods. */}}
{{- define "lockstep.testLabels" -}}
app.kubernetes.io/name: {{ include "lockstep.name" . }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: test
{{ include "lockstep.descriptiveLabels" . }}
{{- end }}

{{/* Annotations of what `helm test` makes, in the order of their weights; it is gone after a success. */}}
{{- define "lockstep.testHook" -}}
helm.sh/hook: test
helm.sh/hook-weight: {{ first . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
