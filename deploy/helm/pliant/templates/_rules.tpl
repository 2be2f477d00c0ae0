{{- /*
What the operator may do where jobs are. It makes each job's objects, and so it must hold itself whatever a master's
Role gives away. Each verb is one that it calls, or one that it gives away; OperatorRightsTest has the list, and the
operator's own tests run with no more.
*/ -}}
{{- define "pliant.rules" -}}
- apiGroups: [elastic.iml.github.io]
  resources: [elasticjobs]
  verbs: [get, list, watch, patch, delete]
- apiGroups: [elastic.iml.github.io]
  resources: [elasticjobs/status]
  verbs: [patch]
- apiGroups: [elastic.iml.github.io] # asked for by clusters that guard who makes a deletion wait for their objects
  resources: [elasticjobs/finalizers]
  verbs: [update]
- apiGroups: [elastic.iml.github.io]
  resources: [scaleplans]
  verbs: [get, list, watch, create, patch]
- apiGroups: [elastic.iml.github.io]
  resources: [scaleplans/status]
  verbs: [patch]
- apiGroups: [elastic.easydl.org]
  resources: [jobresources]
  verbs: [get, list, watch, create, patch]
- apiGroups: [elastic.easydl.org]
  resources: [jobresources/status]
  verbs: [patch]
- apiGroups: [""]
  resources: [pods, secrets]
  verbs: [get, list, watch, create, delete]
- apiGroups: [""]
  resources: [serviceaccounts, services]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [roles, rolebindings]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{- end }}
