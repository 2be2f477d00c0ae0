package dev.pliant.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What `deploy/` lets the operator do.
final class OperatorRights {
  private static final Path DEPLOYED = Path.of("../deploy/kustomize/base/operator.yaml");

  private OperatorRights() {}

  /// Where jobs are.
  static List<PolicyRule> overJobs() {
    return named("pliant-operator", ClusterRole.class).getRules();
  }

  /// In its own namespace.
  static List<PolicyRule> atHome() {
    return named("pliant-operator-leader", Role.class).getRules();
  }

  private static <T extends HasMetadata> T named(String name, Class<T> type) {
    List<T> found = new ArrayList<>();
    for (String document : read().split("(?m)^---$")) {
      if (document.contains("\nkind: " + type.getSimpleName() + "\n")) {
        T object = Serialization.unmarshal(document, type);
        if (object.getMetadata().getName().equals(name)) {
          found.add(object);
        }
      }
    }
    if (found.size() != 1) {
      throw new IllegalStateException(
          "%d of %s %s".formatted(found.size(), type.getSimpleName(), name));
    }
    return found.getFirst();
  }

  private static String read() {
    try {
      return Files.readString(DEPLOYED);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
