package dev.pliant.agent.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads one JSON object from UTF-8 bytes: strictly, and never more of it than fits. Depth, numbers
/// and the count of values are bounded, so that a small message cannot take a lot of memory.
public final class JsonReader {
  static final int MAX_DEPTH = 32;
  static final int MAX_VALUES = 100_000;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CHARSET_DETECTION)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(64)
                  .maxNameLength(1_024)
                  .maxStringLength(16 << 20)
                  .build())
          .build();

  private final JsonParser parser;
  private int values;

  private JsonReader(JsonParser parser) {
    this.parser = parser;
  }

  /// Reads the object that `utf8` holds and nothing else, or throws [ErrorCode#BAD_MESSAGE].
  public static JsonObject read(byte[] utf8) {
    try (JsonParser parser = FACTORY.createParser(utf8)) {
      JsonReader reader = new JsonReader(parser);
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw bad("a JSON object was expected, and this is none.", null);
      }
      JsonObject object = reader.object("");
      if (parser.nextToken() != null) {
        throw bad("there is something after the JSON object's end.", null);
      }
      return object;
    } catch (JsonProcessingException e) {
      throw bad("this is no JSON: " + JsonObject.shorten(e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw bad("this is no JSON in UTF-8: " + e.getMessage(), e);
    }
  }

  private JsonObject object(String path) throws IOException {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    JsonToken token = parser.nextToken();
    while (token == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      fields.put(name, value(parser.nextToken(), path.isEmpty() ? name : path + "." + name));
      token = parser.nextToken();
    }
    return new JsonObject(path, fields);
  }

  private List<@Nullable Object> list(String path) throws IOException {
    List<@Nullable Object> elements = new ArrayList<>();
    JsonToken token = parser.nextToken();
    while (token != JsonToken.END_ARRAY) {
      elements.add(value(token, path + "[]"));
      token = parser.nextToken();
    }
    return elements;
  }

  private @Nullable Object value(@Nullable JsonToken token, String path) throws IOException {
    if (++values > MAX_VALUES) {
      throw bad(
          "the message holds more than %,d values; send smaller ones.".formatted(MAX_VALUES), null);
    }
    if (token == null) {
      throw bad("the message ends in the middle of '%s'.".formatted(path), null);
    }
    return switch (token) {
      case START_OBJECT -> object(path);
      case START_ARRAY -> list(path);
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT -> wholeNumber(path);
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> Boolean.TRUE;
      case VALUE_FALSE -> Boolean.FALSE;
      case VALUE_NULL -> null;
      case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
          throw bad("'%s' has no value.".formatted(path), null);
    };
  }

  private Long wholeNumber(String path) throws IOException {
    if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      throw bad("'%s' is a number beyond 64 bits.".formatted(path), null);
    }
    return parser.getLongValue();
  }

  private static PliantException bad(String message, @Nullable Throwable cause) {
    return cause == null
        ? new PliantException(ErrorCode.BAD_MESSAGE, message)
        : new PliantException(ErrorCode.BAD_MESSAGE, message, cause);
  }
}
