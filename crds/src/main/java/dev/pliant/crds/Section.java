package dev.pliant.crds;

import dev.pliant.crds.YamlNode.Entry;
import dev.pliant.crds.YamlNode.Mapping;
import dev.pliant.crds.YamlNode.Position;
import dev.pliant.crds.YamlNode.Scalar;
import dev.pliant.crds.YamlNode.Sequence;
import dev.pliant.model.Nearest;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A mapping of the job file being read field by field: every accessor checks the type and every
/// error names file, line and column. A key whose value is left empty counts as absent.
///
/// @param path how people name it, for instance `spec.replicaSpecs.worker`; empty at the top
record Section(String file, String path, Mapping node) {

  /// The mapping at `node`, of which only `known` keys may be there.
  static Section strict(String file, String path, YamlNode node, List<String> known) {
    Section section = open(file, path, node);
    section
        .node
        .entries()
        .forEach((key, entry) -> {
          if (!known.contains(key)) {
            throw YamlReader.fault(
                file,
                entry.position(),
                "unknown key '%s'%s".formatted(key, Nearest.hint(key, known)));
          }
        });
    return section;
  }

  /// The mapping at `node`, whatever keys it has.
  static Section open(String file, String path, YamlNode node) {
    if (node instanceof Mapping mapping) {
      return new Section(file, path, mapping);
    }
    throw YamlReader.fault(
        file,
        node.position(),
        "%s must be a mapping, but is %s."
            .formatted(path.isEmpty() ? "the file" : "'" + path + "'", node.kind()));
  }

  /// Where `key` stands, or the section itself where it does not.
  Position at(String key) {
    Entry entry = node.entries().get(key);
    return entry == null ? node.position() : entry.position();
  }

  PliantException fault(String key, String message) {
    return YamlReader.fault(file, at(key), message);
  }

  String name(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  /// The value of `key`, or null where there is none.
  @Nullable YamlNode value(String key) {
    Entry entry = node.entries().get(key);
    if (entry == null || (entry.value() instanceof Scalar scalar && scalar.value() == null)) {
      return null;
    }
    return entry.value();
  }

  YamlNode required(String key) {
    YamlNode value = value(key);
    if (value == null) {
      throw fault(key, "'%s' is missing.".formatted(name(key)));
    }
    return value;
  }

  @Nullable String text(String key) {
    YamlNode value = value(key);
    return value == null ? null : asText(name(key), value);
  }

  String requiredText(String key) {
    String text = asText(name(key), required(key));
    if (text.isEmpty()) {
      throw fault(key, "'%s' is empty.".formatted(name(key)));
    }
    return text;
  }

  /// A whole number from `least` to `most`, or null where there is none.
  @Nullable Integer whole(String key, int least, int most) {
    YamlNode value = value(key);
    if (value == null) {
      return null;
    }
    if (!(value instanceof Scalar(_, String text, Number number))
        || number instanceof Double
        || number instanceof Float) {
      throw YamlReader.fault(
          file,
          value.position(),
          "'%s' must be a whole number, but is %s.".formatted(name(key), value.kind()));
    }
    if (!(number instanceof Integer whole) || whole < least || whole > most) {
      throw YamlReader.fault(
          file,
          value.position(),
          "'%s' is %s; it must be from %,d to %,d.".formatted(name(key), text, least, most));
    }
    return whole;
  }

  /// Yes or no, or null where there is none.
  @Nullable Boolean truth(String key) {
    YamlNode value = value(key);
    if (value == null) {
      return null;
    }
    if (value instanceof Scalar(_, _, Boolean truth)) {
      return truth;
    }
    throw YamlReader.fault(
        file,
        value.position(),
        "'%s' must be true or false, but is %s.".formatted(name(key), value.kind()));
  }

  /// Text, or a number as it is written, or null where there is none.
  @Nullable String textOrNumber(String key) {
    YamlNode value = value(key);
    return value instanceof Scalar(_, String text, Number _) ? text : text(key);
  }

  /// A list of texts, empty where there is none.
  List<String> texts(String key) {
    List<String> texts = new ArrayList<>();
    List<YamlNode> items = items(key);
    for (int i = 0; i < items.size(); i++) {
      texts.add(asText(name(key) + "[" + i + "]", items.get(i)));
    }
    return texts;
  }

  /// A list, empty where there is none.
  List<YamlNode> items(String key) {
    YamlNode value = value(key);
    if (value == null) {
      return List.of();
    }
    if (value instanceof Sequence sequence) {
      return sequence.items();
    }
    throw YamlReader.fault(
        file,
        value.position(),
        "'%s' must be a list, but is %s.".formatted(name(key), value.kind()));
  }

  /// A mapping of text to text, empty where there is none.
  Map<String, String> textMap(String key) {
    YamlNode value = value(key);
    Map<String, String> map = new LinkedHashMap<>();
    if (value != null) {
      Section section = open(file, name(key), value);
      section
          .node
          .entries()
          .forEach((k, entry) -> map.put(k, asText(section.name(k), entry.value())));
    }
    return map;
  }

  /// A mapping of text to a Kubernetes quantity, which may be written as text or number.
  Map<String, String> quantities(String key) {
    YamlNode value = value(key);
    Map<String, String> map = new LinkedHashMap<>();
    if (value != null) {
      Section section = open(file, name(key), value);
      for (String k : section.node.entries().keySet()) {
        YamlNode quantity = section.required(k);
        boolean number = quantity instanceof Scalar scalar && scalar.value() instanceof Number;
        String text =
            number ? ((Scalar) quantity).text() : section.asText(section.name(k), quantity);
        if (!Quantity.isOne(text)) {
          throw YamlReader.fault(
              file,
              quantity.position(),
              "'%s' is '%s'; write a quantity such as 2, 500m or 3Gi."
                  .formatted(section.name(k), text));
        }
        map.put(k, text);
      }
    }
    return map;
  }

  String asText(String name, YamlNode value) {
    return switch (value) {
      case Scalar(_, _, String text) -> text;
      case Scalar(_, String text, Object other) ->
          throw YamlReader.fault(
              file,
              value.position(),
              "'%s' must be text, but is %s; put it in quotes: \"%s\"."
                  .formatted(name, value.kind(), text));
      default ->
          throw YamlReader.fault(
              file,
              value.position(),
              "'%s' must be text, but is %s.".formatted(name, value.kind()));
    };
  }
}
