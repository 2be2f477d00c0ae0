package dev.pliant.kubernetes;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.Role;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  /// `written` as a `type`; `what` names it in the error. A key whose value is left empty counts as
  /// absent, as in Kubernetes itself: its types would have null there, where they promise a list.
  ///
  /// @throws PliantException where it is none
  static <T> T read(String what, Map<String, Object> written, Class<T> type) {
    try {
      return MAPPER.convertValue(given(what, "", written), type);
    } catch (IllegalArgumentException e) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "%s is not what Kubernetes takes there: %s"
              .formatted(what, String.valueOf(e.getMessage()).lines().findFirst().orElse("")),
          e);
    }
  }

  private static Object given(String what, String path, Object written) {
    return switch (written) {
      case Map<?, ?> map -> {
        Map<String, Object> kept = new LinkedHashMap<>();
        map.forEach((key, value) -> {
          if (value != null) {
            kept.put(
                String.valueOf(key),
                given(what, path.isEmpty() ? String.valueOf(key) : path + "." + key, value));
          }
        });
        yield kept;
      }
      case List<?> list -> {
        List<Object> items = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
          String at = "%s[%d]".formatted(path, i);
          items.add(given(what, at, item(what, at, list.get(i))));
        }
        yield items;
      }
      default -> written;
    };
  }

  /// An item is counted, so an empty one is not as one that is absent.
  private static Object item(String what, String path, @Nullable Object item) {
    if (item == null) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "%s is not what Kubernetes takes there: '%s' is empty; write the item, or leave out its dash."
              .formatted(what, path));
    }
    return item;
  }
}
