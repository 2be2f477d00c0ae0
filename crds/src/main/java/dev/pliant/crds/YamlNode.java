package dev.pliant.crds;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A piece of a YAML document that knows where it stands.
sealed interface YamlNode {

  /// Line and column, both from 1.
  record Position(int line, int column) {
    /// Of what was never text.
    static final Position NOWHERE = new Position(0, 0);
  }

  /// What a cluster keeps, which has no lines.
  static YamlNode of(JsonNode json) {
    Position nowhere = Position.NOWHERE;
    return switch (json.getNodeType()) {
      case OBJECT -> {
        Map<String, Entry> entries = new LinkedHashMap<>();
        json.properties()
            .forEach(
                field -> entries.put(field.getKey(), new Entry(nowhere, of(field.getValue()))));
        yield new Mapping(nowhere, entries);
      }
      case ARRAY -> {
        List<YamlNode> items = new ArrayList<>();
        json.forEach(item -> items.add(of(item)));
        yield new Sequence(nowhere, items);
      }
      case STRING -> new Scalar(nowhere, json.textValue(), json.textValue());
      case BOOLEAN -> new Scalar(nowhere, json.asText(), json.booleanValue());
      case NUMBER -> new Scalar(nowhere, json.asText(), json.numberValue());
      case NULL, MISSING -> new Scalar(nowhere, "", null);
      case BINARY, POJO -> throw new IllegalArgumentException("no JSON: " + json.getNodeType());
    };
  }

  Position position();

  /// What people call such a thing.
  String kind();

  /// How many nodes it stands for, those repeated through aliases counted each time.
  int size();

  /// The same as maps, lists, text, numbers, booleans and nulls.
  @Nullable Object plain();

  /// A key of a mapping, at its own position.
  record Entry(Position position, YamlNode value) {}

  /// Keys and values, in their order.
  record Mapping(Position position, Map<String, Entry> entries, int size) implements YamlNode {
    Mapping(Position position, Map<String, Entry> entries) {
      this(
          position,
          Collections.unmodifiableMap(new LinkedHashMap<>(entries)),
          sum(entries.values().stream().map(Entry::value).toList()));
    }

    @Override
    public String kind() {
      return "a mapping";
    }

    @Override
    public Map<String, Object> plain() {
      Map<String, Object> plain = new LinkedHashMap<>();
      entries.forEach((key, entry) -> plain.put(key, entry.value().plain()));
      return plain;
    }
  }

  /// A list.
  record Sequence(Position position, List<YamlNode> items, int size) implements YamlNode {
    Sequence(Position position, List<YamlNode> items) {
      this(position, List.copyOf(items), sum(items));
    }

    @Override
    public String kind() {
      return "a list";
    }

    @Override
    public List<@Nullable Object> plain() {
      List<@Nullable Object> plain = new ArrayList<>();
      items.forEach(item -> plain.add(item.plain()));
      return plain;
    }
  }

  /// Text, a number, a boolean, or nothing.
  ///
  /// @param text as it is written
  /// @param value a String, Number, Boolean or null
  record Scalar(Position position, String text, @Nullable Object value) implements YamlNode {
    @Override
    public String kind() {
      return switch (value) {
        case null -> "nothing";
        case Number _ -> "the number " + text;
        case Boolean _ -> "the boolean " + text;
        default -> "the text '" + text + "'";
      };
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public @Nullable Object plain() {
      return value;
    }
  }

  private static int sum(List<YamlNode> nodes) {
    long sum = 1;
    for (YamlNode node : nodes) {
      sum += node.size();
    }
    return (int) Math.min(sum, Integer.MAX_VALUE);
  }
}
