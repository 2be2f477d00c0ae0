package dev.pliant.cli.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What is to be changed of a job so that it is as its file says, as a JSON merge patch.
final class SpecChange {
  private static final String ROLES = "replicaSpecs";
  private static final String REPLICAS = "replicas";
  private static final String SUSPEND = "suspend";
  private static final String WORKER = "worker";
  private static final String DIRECT = "/" + WORKER;
  private static final String SCALED = "/" + ROLES + "/" + WORKER;

  private SpecChange() {}

  /// The patch of a spec; empty where it is so already. Whether the job rests is another matter,
  /// and so is how many workers it has: that is what was wished last, as far as the file's bounds
  /// allow.
  static ObjectNode between(JsonNode there, ObjectNode file) {
    ObjectNode want = file.deepCopy();
    keepWorkers(want, there);
    want.remove(SUSPEND);
    ObjectNode before = there.deepCopy();
    before.remove(SUSPEND);
    return merge(before, want);
  }

  /// The number of workers that a spec says, where it says any: where `kubectl scale` writes it
  /// before where users may.
  static OptionalInt workers(JsonNode spec) {
    return Stream.of(SCALED, DIRECT)
        .map(place -> spec.at(place + "/" + REPLICAS))
        .filter(JsonNode::isInt)
        .mapToInt(JsonNode::intValue)
        .findFirst();
  }

  private static void keepWorkers(ObjectNode want, JsonNode there) {
    boolean named = want.at(SCALED).isObject() || want.at(DIRECT).isObject();
    if (!named || workers(there).isEmpty()) {
      return;
    }
    int least = bound(want, "minReplicas", 0);
    int most = Math.max(least, bound(want, "maxReplicas", Integer.MAX_VALUE));
    JsonNode scaled = there.at(SCALED + "/" + REPLICAS);
    if (scaled.isInt()) {
      want.withObjectProperty(ROLES)
          .withObjectProperty(WORKER)
          .put(REPLICAS, Math.clamp(scaled.intValue(), least, most));
    }
    if (want.at(DIRECT) instanceof ObjectNode direct) {
      JsonNode before = there.at(DIRECT + "/" + REPLICAS);
      if (before.isInt()) {
        direct.put(REPLICAS, Math.clamp(before.intValue(), least, most));
      } else {
        direct.remove(REPLICAS);
      }
    }
  }

  private static int bound(JsonNode spec, String name, int otherwise) {
    return Stream.of(SCALED, DIRECT)
        .map(place -> spec.at(place + "/" + name))
        .filter(JsonNode::isInt)
        .mapToInt(JsonNode::intValue)
        .findFirst()
        .orElse(otherwise);
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
      } else if (!field.getValue().isNull() && !isSame(field.getValue(), before)) {
        patch.set(field.getKey(), field.getValue());
      }
    }
    return patch;
  }

  /// A server keeps the number 1.0 as 1.
  private static boolean isSame(JsonNode now, @Nullable JsonNode before) {
    return before != null && now.equals(SpecChange::compare, before);
  }

  private static int compare(JsonNode one, JsonNode other) {
    boolean numbers = one.isNumber() && other.isNumber();
    return numbers ? one.decimalValue().compareTo(other.decimalValue()) : one.equals(other) ? 0 : 1;
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
