{{- define "pliant.labels" -}}
{{ include "pliant.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "pliant.selector" -}}
app.kubernetes.io/name: pliant
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end }}

{{- define "pliant.account" -}}
{{ .Values.serviceAccount.name | default "pliant-operator" }}
{{- end }}

{{- /* An image's whole name: a list of the chart's context and the image's own name. */ -}}
{{- define "pliant.image" -}}
{{- $context := index . 0 -}}
{{- $images := $context.Values.images -}}
{{- with $images.registry }}{{ . }}/{{ end }}{{ index . 1 }}:{{ $images.tag | default $context.Chart.AppVersion }}
{{- end }}

{{- /* Of what stays while jobs do. */ -}}
{{- define "pliant.kept" -}}
{{- if .Values.crds.keep -}}
annotations:
  helm.sh/resource-policy: keep
{{- end }}
{{- end }}
