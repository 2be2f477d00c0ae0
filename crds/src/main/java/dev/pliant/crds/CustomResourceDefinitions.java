package dev.pliant.crds;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/// What a cluster must know before it takes jobs and plans: one file each, beside this class.
public final class CustomResourceDefinitions {
  private static final List<String> FILES =
      List.of("elasticjobs.yaml", "scaleplans.yaml", "jobresources.yaml");

  private CustomResourceDefinitions() {}

  public static List<CustomResourceDefinition> all() {
    return FILES.stream().map(CustomResourceDefinitions::read).toList();
  }

  private static CustomResourceDefinition read(String file) {
    try (InputStream in =
        Objects.requireNonNull(
            CustomResourceDefinitions.class.getResourceAsStream(file), () -> "no " + file)) {
      return Serialization.unmarshal(in, CustomResourceDefinition.class);
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }
}
