package dev.pliant.crds.kubernetes;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.Role;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.Map;

/// What users wrote in Kubernetes' own words, in Kubernetes' own types. The API server takes it
/// unread, so it is here that something may turn out to be of the wrong shape.
final class Templates {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Templates() {}

  /// A copy of a role's template, for the caller to change; an empty one where the job has no such
  /// role. It always has metadata and a spec.
  ///
  /// @throws PliantException where it is none
  static PodTemplateSpec of(ElasticJob job, Role role) {
    ReplicaSpec replicas = job.spec().replicaSpecs().get(role);
    PodTemplateSpec template =
        replicas == null
            ? new PodTemplateSpec()
            : read(
                "the template of role '%s'".formatted(role.label()),
                replicas.template().source(),
                PodTemplateSpec.class);
    if (template.getMetadata() == null) {
      template.setMetadata(new ObjectMeta());
    }
    if (template.getSpec() == null) {
      template.setSpec(new PodSpec());
    }
    return template;
  }

  /// `written` as a `type`; `what` names it in the error.
  static <T> T read(String what, Map<String, Object> written, Class<T> type) {
    try {
      return MAPPER.convertValue(written, type);
    } catch (IllegalArgumentException e) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "%s is not what Kubernetes takes there: %s"
              .formatted(what, String.valueOf(e.getMessage()).lines().findFirst().orElse("")),
          e);
    }
  }
}
