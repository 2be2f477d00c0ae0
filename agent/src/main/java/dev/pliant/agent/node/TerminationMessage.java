package dev.pliant.agent.node;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a container ends with, where Kubernetes looks for it: the same words as `NODE.exit.json`,
/// in a file that is there already and of which 4,096 bytes are kept.
public final class TerminationMessage {
  private static final Logger log = LoggerFactory.getLogger(TerminationMessage.class);
  private static final JsonFactory FACTORY = new JsonFactory();
  static final int MAX_BYTES = 4_096;

  /// As JSON writes the oddest.
  private static final int MAX_BYTES_A_CHARACTER = 6;

  private TerminationMessage() {}

  /// Writes it. That this cannot be said keeps the node from nothing.
  public static void write(Path file, NodeEnd end) {
    try {
      Files.write(file, fitting(end));
    } catch (IOException e) {
      log.error("what this node ended with could not be written to {}: {}", file, e.toString());
    }
  }

  /// As much of the end of its message as fits.
  static byte[] fitting(NodeEnd end) throws IOException {
    String message = end.message();
    byte[] bytes = bytes(end);
    while (bytes.length > MAX_BYTES) {
      int cut = Math.max(1, (bytes.length - MAX_BYTES) / MAX_BYTES_A_CHARACTER);
      message = message.substring(cut);
      bytes = bytes(end.withMessage("…" + message));
    }
    return bytes;
  }

  private static byte[] bytes(NodeEnd end) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      json.writeStartObject();
      end.write(json);
      json.writeEndObject();
    }
    return bytes.toByteArray();
  }
}
