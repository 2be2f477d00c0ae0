package dev.pliant.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

/// Data for other programs: one JSON object on one line, or the same as YAML.
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /// Writes the fields of an object.
  @FunctionalInterface
  public interface Fields {
    void writeTo(JsonGenerator json) throws IOException;
  }

  public static String object(Fields fields) {
    return written(FACTORY, fields);
  }

  /// The same object as YAML, on many lines.
  public static String yaml(Fields fields) {
    YAMLFactory factory =
        YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .build();
    String text = written(factory, fields);
    return text.endsWith("\n") ? text : text + "\n";
  }

  private static String written(JsonFactory factory, Fields fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = factory.createGenerator(text)) {
      json.writeStartObject();
      fields.writeTo(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
