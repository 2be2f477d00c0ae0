package dev.pliant.agent.json;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.Nearest;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A JSON object that was read. Every accessor either gives what it names or throws
/// [ErrorCode#BAD_MESSAGE] with the path of the field and what was wanted there.
///
/// Values are [String], [Long], [Double], [Boolean], [JsonObject], [List] or null.
public final class JsonObject {
  private final String path;
  private final Map<String, @Nullable Object> values;

  JsonObject(String path, Map<String, @Nullable Object> values) {
    this.path = path;
    this.values = values;
  }

  /// Whether the field is there and not null.
  public boolean has(String field) {
    return values.get(field) != null;
  }

  public Set<String> fields() {
    return Collections.unmodifiableSet(values.keySet());
  }

  /// The path of a field, as errors name it.
  public String pathOf(String field) {
    return path.isEmpty() ? field : path + "." + field;
  }

  public String text(String field) {
    return value(field) instanceof String text ? text : wrong(field, "a string");
  }

  public String text(String field, String otherwise) {
    return has(field) ? text(field) : otherwise;
  }

  public long number(String field) {
    return value(field) instanceof Long number ? number : wrong(field, "a whole number");
  }

  public long number(String field, long otherwise) {
    return has(field) ? number(field) : otherwise;
  }

  /// A whole number of at least 0.
  public long count(String field) {
    return value(field) instanceof Long number && number >= 0
        ? number
        : wrong(field, "a whole number of at least 0");
  }

  /// A number, whole or not, also one that is not finite.
  public double real(String field) {
    return switch (value(field)) {
      case Long number -> number;
      case Double number -> number;
      case null, default -> wrong(field, "a number");
    };
  }

  public boolean flag(String field, boolean otherwise) {
    if (!has(field)) {
      return otherwise;
    }
    return value(field) instanceof Boolean flag ? flag : wrong(field, "true or false");
  }

  public JsonObject object(String field) {
    return value(field) instanceof JsonObject object ? object : wrong(field, "an object");
  }

  /// A list of objects of at most `limit` elements.
  public List<JsonObject> objects(String field, int limit) {
    if (!(value(field) instanceof List<?> list)) {
      return wrong(field, "a list of objects");
    }
    if (list.size() > limit) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "'%s' holds %,d elements, at most %,d are allowed; send them in several messages."
              .formatted(pathOf(field), list.size(), limit));
    }
    List<JsonObject> objects = new ArrayList<>(list.size());
    for (Object element : list) {
      objects.add(
          element instanceof JsonObject object ? object : wrong(field, "a list of objects"));
    }
    return objects;
  }

  /// Refuses fields other than `known`, naming the one that was probably meant.
  public void allowOnly(List<String> known) {
    for (String field : values.keySet()) {
      if (!known.contains(field)) {
        throw new PliantException(
            ErrorCode.BAD_MESSAGE,
            "'%s' is no field that is known here%s"
                .formatted(shorten(pathOf(field)), Nearest.hint(field, known)));
      }
    }
  }

  private @Nullable Object value(String field) {
    return values.get(field);
  }

  private <T> T wrong(String field, String wanted) {
    Object value = values.get(field);
    String found =
        switch (value) {
          case null -> values.containsKey(field) ? "is null" : "is missing";
          case String text -> "is the string '" + shorten(text) + "'";
          case JsonObject _ -> "is an object";
          case List<?> _ -> "is a list";
          default -> "is " + value;
        };
    throw new PliantException(
        ErrorCode.BAD_MESSAGE, "'%s' %s; it must be %s.".formatted(pathOf(field), found, wanted));
  }

  /// For messages: printable and short.
  public static String shorten(String text) {
    String printable = text.replaceAll("\\p{Cntrl}", "?");
    return printable.length() <= 64 ? printable : printable.substring(0, 64) + "…";
  }
}
