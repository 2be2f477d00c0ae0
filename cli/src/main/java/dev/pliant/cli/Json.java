package dev.pliant.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/// Data for other programs: one JSON object on one line.
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /// Writes the fields of an object.
  @FunctionalInterface
  public interface Fields {
    void writeTo(JsonGenerator json) throws IOException;
  }

  public static String object(Fields fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      json.writeStartObject();
      fields.writeTo(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
