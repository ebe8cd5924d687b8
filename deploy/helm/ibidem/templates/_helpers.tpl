{{- /* What several templates share. */ -}}

{{- define "ibidem.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "ibidem.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "ibidem.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "ibidem.claim" -}}
{{- default (printf "%s-originals" (include "ibidem.name" .)) .Values.originals.existingClaim -}}
{{- end -}}

{{- /* The settings file: the values, with what the chart decides. */ -}}
{{- define "ibidem.settings" -}}
{{- $settings := deepCopy .Values.settings -}}
{{- if .Values.originals.bucket.location -}}
{{- $bucket := dict -}}
{{- range $key := list "endpoint" "region" -}}
{{- with get $.Values.originals.bucket $key -}}{{- $_ := set $bucket $key . -}}{{- end -}}
{{- end -}}
{{- $_ := set $settings "originals" (dict "location" .Values.originals.bucket.location "bucket" $bucket) -}}
{{- else -}}
{{- $_ := set $settings "originals" (dict "location" "/var/lib/ibidem/originals") -}}
{{- end -}}
{{- if .Values.policy -}}
{{- $_ := set $settings "policy" (merge (dict "use" "/etc/ibidem/policy/policy.yaml") (default (dict) $settings.policy)) -}}
{{- end -}}
{{- if .Values.secrets.signingKey.name -}}
{{- $_ := set $settings "receipts" (merge (dict "signing_key_file" "/etc/ibidem/signing/key") (default (dict) $settings.receipts)) -}}
{{- end -}}
{{ toYaml $settings }}
{{- end -}}

{{- define "ibidem.image" -}}
image: "{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end -}}

{{- define "ibidem.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end -}}

{{- define "ibidem.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  # A large volume is not walked at every start.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "ibidem.environment" -}}
- name: IBIDEM_CONFIG
  value: /etc/ibidem/settings/ibidem.yaml
- name: IBIDEM__SERVER__LISTEN
  value: 0.0.0.0:8080
{{- $variables := dict
  "databaseUrl" "IBIDEM__DATABASE__URL"
  "indexApiKey" "IBIDEM__INDEX__API_KEY"
  "languageModelApiKey" "IBIDEM__LANGUAGE_MODEL__API_KEY"
  "embeddingApiKey" "IBIDEM__EMBEDDING__API_KEY"
  "rerankerApiKey" "IBIDEM__RERANKER__API_KEY"
  "metricsToken" "IBIDEM__SERVER__METRICS_TOKEN"
  "auditHashKey" "IBIDEM__AUDIT__HASH_KEY"
  "bucketAccessKey" "IBIDEM__ORIGINALS__BUCKET__ACCESS_KEY_ID"
  "bucketSecretKey" "IBIDEM__ORIGINALS__BUCKET__SECRET_ACCESS_KEY" }}
{{- range $secret, $variable := $variables }}
{{- $reference := get $.Values.secrets $secret }}
{{- if $reference.name }}
- name: {{ $variable }}
  valueFrom: {secretKeyRef: {name: {{ $reference.name }}, key: {{ $reference.key }}}}
{{- end }}
{{- end }}
{{- end -}}

{{- define "ibidem.mounts" -}}
- {name: settings, mountPath: /etc/ibidem/settings, readOnly: true}
{{- if not .Values.originals.bucket.location }}
- {name: originals, mountPath: /var/lib/ibidem/originals}
{{- end }}
- {name: scratch, mountPath: /tmp}
{{- if .Values.policy }}
- {name: policy, mountPath: /etc/ibidem/policy, readOnly: true}
{{- end }}
{{- if .Values.secrets.signingKey.name }}
- {name: signing, mountPath: /etc/ibidem/signing, readOnly: true}
{{- end }}
{{- end -}}

{{- define "ibidem.volumes" -}}
- name: settings
  configMap: {name: {{ include "ibidem.name" . }}}
{{- if not .Values.originals.bucket.location }}
- name: originals
  persistentVolumeClaim: {claimName: {{ include "ibidem.claim" . }}}
{{- end }}
- name: scratch
  emptyDir: {sizeLimit: 1Gi}
{{- if .Values.policy }}
- name: policy
  configMap: {name: {{ include "ibidem.name" . }}-policy}
{{- end }}
{{- if .Values.secrets.signingKey.name }}
{{ include "ibidem.signingVolume" . }}
{{- end }}
{{- end -}}

{{- define "ibidem.egress" -}}
policyTypes: [Ingress, Egress]
ingress: []
egress:
  - ports:
      - {protocol: UDP, port: 53}
      - {protocol: TCP, port: 53}
  {{- with .Values.networkPolicy.egress }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "ibidem.signingVolume" -}}
- name: signing
  secret:
    secretName: {{ .Values.secrets.signingKey.name }}
    defaultMode: 0440
    items: [{key: {{ .Values.secrets.signingKey.key }}, path: key}]
{{- end -}}
