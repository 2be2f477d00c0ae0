package dev.pliant.cli.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What is to be changed of a job so that it is as its file says, as a JSON merge patch.
final class SpecChange {
  private static final String ROLES = "replicaSpecs";
  private static final String REPLICAS = "replicas";
  private static final String SUSPEND = "suspend";

  private SpecChange() {}

  /// The patch of a spec; empty where it is so already. Whether the job rests is another matter. A
  /// number of nodes that the file does not say stays as others have made it.
  static ObjectNode between(JsonNode there, ObjectNode file) {
    ObjectNode want = file.deepCopy();
    for (Map.Entry<String, JsonNode> role : there.path(ROLES).properties()) {
      keepReplicas(want, role.getKey(), role.getValue());
    }
    want.remove(SUSPEND);
    ObjectNode before = there.deepCopy();
    before.remove(SUSPEND);
    return merge(before, want);
  }

  private static void keepReplicas(ObjectNode want, String role, JsonNode there) {
    boolean known = want.has(role) || want.path(ROLES).has(role);
    boolean said =
        want.path(role).hasNonNull(REPLICAS) || want.path(ROLES).path(role).hasNonNull(REPLICAS);
    if (known && !said && there.has(REPLICAS)) {
      want.withObjectProperty(ROLES).withObjectProperty(role).set(REPLICAS, there.get(REPLICAS));
    }
  }

  /// RFC 7396: what is null in a patch goes, and what is not in it stays.
  private static ObjectNode merge(ObjectNode there, ObjectNode want) {
    ObjectNode patch = there.objectNode();
    for (Map.Entry<String, JsonNode> field : there.properties()) {
      if (!field.getValue().isNull() && !want.hasNonNull(field.getKey())) {
        patch.putNull(field.getKey());
      }
    }
    for (Map.Entry<String, JsonNode> field : want.properties()) {
      JsonNode before = there.get(field.getKey());
      if (field.getValue() instanceof ObjectNode now && before instanceof ObjectNode then) {
        ObjectNode inner = merge(then, now);
        if (!inner.isEmpty()) {
          patch.set(field.getKey(), inner);
        }
      } else if (!field.getValue().isNull() && !field.getValue().equals(before)) {
        patch.set(field.getKey(), field.getValue());
      }
    }
    return patch;
  }

  /// What a patch changes, by path: `spec.replicaSpecs.worker.replicas`.
  static List<String> paths(String root, ObjectNode patch) {
    List<String> paths = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : patch.properties()) {
      String path = root + "." + field.getKey();
      if (field.getValue() instanceof ObjectNode inner && !inner.isEmpty()) {
        paths.addAll(paths(path, inner));
      } else {
        paths.add(path);
      }
    }
    return paths;
  }
}
