package dev.pliant.crds;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import com.fasterxml.jackson.dataformat.yaml.snakeyaml.error.MarkedYAMLException;
import dev.pliant.crds.YamlNode.Entry;
import dev.pliant.crds.YamlNode.Mapping;
import dev.pliant.crds.YamlNode.Position;
import dev.pliant.crds.YamlNode.Scalar;
import dev.pliant.crds.YamlNode.Sequence;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reads one YAML document into a tree that remembers positions. Bounded: deep nesting, and aliases
/// that would unfold into very much, are refused. Aliases stand for mappings and lists only: the
/// parser does not tell the anchor of a scalar.
final class YamlReader {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_NODES = 100_000;
  private static final YAMLFactory FACTORY = new YAMLFactory();

  private final String file;
  private final YAMLParser parser;
  private final Map<String, YamlNode> anchors = new HashMap<>();

  private YamlReader(String file, YAMLParser parser) {
    this.file = file;
    this.parser = parser;
  }

  /// The only document of `text`; `file` names it in errors.
  static YamlNode read(String file, String text) {
    try (YAMLParser parser = FACTORY.createParser(text)) {
      return new YamlReader(file, parser).document();
    } catch (MarkedYAMLException e) {
      Position position =
          e.getProblemMark() == null
              ? position(e)
              : new Position(e.getProblemMark().getLine() + 1, e.getProblemMark().getColumn() + 1);
      throw fault(file, position, "this is no YAML: " + oneLine(e.getProblem()) + ".");
    } catch (JsonProcessingException e) {
      throw fault(file, position(e), "this is no YAML: " + oneLine(e.getOriginalMessage()) + ".");
    } catch (IOException e) {
      throw new PliantException(ErrorCode.BAD_JOB_FILE, file + ": " + e.getMessage(), e);
    }
  }

  /// An error at a place in a file.
  static PliantException fault(String file, Position position, String message) {
    String place =
        position.equals(Position.NOWHERE)
            ? file
            : "%s:%d:%d".formatted(file, position.line(), position.column());
    return new PliantException(ErrorCode.BAD_JOB_FILE, place + ": " + message);
  }

  private YamlNode document() throws IOException {
    JsonToken first = parser.nextToken();
    if (first == null) {
      throw fault(file, new Position(1, 1), "the file is empty; an ElasticJob is expected.");
    }
    YamlNode root = node(first, 0);
    if (parser.nextToken() != null) {
      throw fault(
          file, here(), "a second document begins here; a job file holds one ElasticJob alone.");
    }
    return root;
  }

  private YamlNode node(JsonToken token, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw fault(file, here(), "nested deeper than %d levels.".formatted(MAX_DEPTH));
    }
    if (parser.isCurrentAlias()) {
      YamlNode node = anchors.get(parser.getText());
      if (node == null) {
        throw fault(
            file,
            here(),
            "alias '*%s' names no mapping or list before it; write the value out."
                .formatted(parser.getText()));
      }
      return node;
    }
    String anchor = parser.getCurrentAnchor();
    YamlNode node =
        switch (token) {
          case START_OBJECT -> mapping(depth);
          case START_ARRAY -> sequence(depth);
          case VALUE_NULL -> new Scalar(here(), parser.getText(), null);
          case VALUE_TRUE -> new Scalar(here(), parser.getText(), true);
          case VALUE_FALSE -> new Scalar(here(), parser.getText(), false);
          case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT ->
              new Scalar(here(), parser.getText(), parser.getNumberValue());
          case VALUE_STRING -> new Scalar(here(), parser.getText(), parser.getText());
          case VALUE_EMBEDDED_OBJECT, END_OBJECT, END_ARRAY, FIELD_NAME, NOT_AVAILABLE ->
              throw fault(file, here(), "a value of this kind has no meaning here.");
        };
    if (node.size() > MAX_NODES) {
      throw fault(
          file, node.position(), "this unfolds into more than %,d values.".formatted(MAX_NODES));
    }
    if (anchor != null) {
      anchors.put(anchor, node);
    }
    return node;
  }

  private Mapping mapping(int depth) throws IOException {
    Position start = here();
    Map<String, Entry> entries = new LinkedHashMap<>();
    while (next() == JsonToken.FIELD_NAME) {
      Position at = here();
      String key = parser.currentName();
      YamlNode value = node(next(), depth + 1);
      Entry before = entries.putIfAbsent(key, new Entry(at, value));
      if (before != null) {
        throw fault(
            file,
            at,
            "key '%s' stands here for the second time, first on line %d."
                .formatted(key, before.position().line()));
      }
    }
    return new Mapping(start, entries);
  }

  private Sequence sequence(int depth) throws IOException {
    Position start = here();
    List<YamlNode> items = new ArrayList<>();
    JsonToken token;
    while ((token = next()) != JsonToken.END_ARRAY) {
      items.add(node(token, depth + 1));
    }
    return new Sequence(start, items);
  }

  private JsonToken next() throws IOException {
    return Objects.requireNonNull(parser.nextToken(), "the parser ends no document in its middle");
  }

  private Position here() {
    var location = parser.currentTokenLocation();
    return new Position(Math.max(1, location.getLineNr()), Math.max(1, location.getColumnNr()));
  }

  private static Position position(JsonProcessingException e) {
    var location = e.getLocation();
    return location == null
        ? new Position(1, 1)
        : new Position(Math.max(1, location.getLineNr()), Math.max(1, location.getColumnNr()));
  }

  private static String oneLine(@Nullable String message) {
    return message == null ? "it cannot be parsed" : message.lines().findFirst().orElse("").strip();
  }
}
