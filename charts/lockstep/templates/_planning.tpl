{{/* The old name of each value of `planning` that was one of `operator`: a map. */}}
{{- define "lockstep.oldNames" -}}
keepNodesFreeFor: holdFor
keepNodesFreeGangs: holdingGangs
sizing: sizing
priceFactor: priceFactor
promises: promises
{{- end }}

{{/* The options of the rules by which gangs are planned: the value, else that of its old name, else that of the preset. */}}
{{- define "lockstep.planningArguments" -}}
{{- $preset := index (.Files.Get "files/planning-presets.yaml" | fromYaml) .Values.planning.preset -}}
{{- range $name, $old := include "lockstep.oldNames" . | fromYaml }}
{{- $value := index $.Values.planning $name }}
{{- if kindIs "invalid" $value }}
{{- $value = index $.Values.operator $old }}
{{- end }}
{{- if kindIs "invalid" $value }}
{{- $value = index $preset $name }}
{{- end }}
- --{{ kebabcase $name }}={{ $value }}
{{- end }}
{{- end }}
