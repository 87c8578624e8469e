{{- define "sluice.name" -}}
{{- if contains "sluice" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-sluice" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "sluice.selector" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* How long a gateway may take to stop: its announcement, its drain, five seconds before them, and fifteen to end. */}}
{{- define "sluice.graceSeconds" -}}
{{- $config := fromYaml .Values.config }}
{{- $drainMs := 30000 }}
{{- if hasKey $config "drain_timeout_ms" }}{{ $drainMs = int64 $config.drain_timeout_ms }}{{ end }}
{{- $announceMs := 5000 }}
{{- if hasKey $config "drain_announce_ms" }}{{ $announceMs = int64 $config.drain_announce_ms }}{{ end }}
{{- add (div (add $announceMs $drainMs 999) 1000) 20 }}
{{- end }}
