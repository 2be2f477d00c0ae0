package dev.pliant.crds;

import dev.pliant.crds.YamlNode.Entry;
import dev.pliant.crds.YamlNode.Mapping;
import dev.pliant.crds.YamlNode.Scalar;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;

/// A job file as it is sent to an API server: what `kubectl` sends of the same text, but that a
/// fraction is sent as text where the server takes text and whole numbers alone.
final class ApiObject {
  private ApiObject() {}

  static Map<String, Object> of(Mapping root) {
    return mapped(root, (key, value) -> key.equals("spec") ? spec(value) : value).plain();
  }

  /// Roles stand directly below it, or in `replicaSpecs`.
  private static YamlNode spec(YamlNode node) {
    return inside(
        node,
        (key, value) ->
            switch (key) {
              case "resourceLimits" -> inside(value, (_, amount) -> written(amount));
              case "replicaSpecs" -> inside(value, (_, role) -> role(role));
              default -> role(value);
            });
  }

  private static YamlNode role(YamlNode node) {
    return inside(node, (key, value) -> key.equals("priority") ? written(value) : value);
  }

  private static YamlNode written(YamlNode node) {
    return node instanceof Scalar(YamlNode.Position position, String text, Double _)
        ? new Scalar(position, text, text)
        : node;
  }

  private static YamlNode inside(YamlNode node, BiFunction<String, YamlNode, YamlNode> change) {
    return node instanceof Mapping mapping ? mapped(mapping, change) : node;
  }

  private static Mapping mapped(Mapping mapping, BiFunction<String, YamlNode, YamlNode> change) {
    Map<String, Entry> entries = new LinkedHashMap<>();
    mapping
        .entries()
        .forEach((key, entry) ->
            entries.put(key, new Entry(entry.position(), change.apply(key, entry.value()))));
    return new Mapping(mapping.position(), entries);
  }
}
