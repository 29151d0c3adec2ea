{{/*
The dashboard of files/dashboard.json, with links to the addresses of the values. Without addresses, it is the file itself.
*/}}
{{- define "lockstep.dashboard" -}}
{{- $text := .Files.Get "files/dashboard.json" }}
{{- $link := dict "type" "link" "icon" "external link" "targetBlank" true "asDropdown" false "includeVars" false "keepTime" false "tags" list "tooltip" "" }}
{{- $links := list }}
{{- with .Values.grafanaDashboard.timelineUrl }}
{{- $links = append $links (merge (dict "title" "Timeline" "url" .) $link) }}
{{- end }}
{{- with .Values.metrics.prometheusRule.runbookBaseUrl }}
{{- $address := trimSuffix "/" . }}
{{- $links = append $links (merge (dict "title" "Runbooks" "url" (printf "%s/docs/runbooks" $address)) $link) }}
{{- $links = append $links (merge (dict "title" "What to watch" "url" (printf "%s/docs/operations/watching.md" $address)) $link) }}
{{- end }}
{{- if $links }}
{{- $dashboard := fromJson $text }}
{{- $_ := set $dashboard "links" $links }}
{{- toPrettyJson $dashboard }}
{{- else }}
{{- $text }}
{{- end }}
{{- end }}
