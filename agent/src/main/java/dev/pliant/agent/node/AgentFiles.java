package dev.pliant.agent.node;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What an agent leaves in its job's folder: `nodes/NODE.json` as its first act, by which a master
/// knows its process again, and `nodes/NODE.exit.json` as its last, which says what it ended with.
/// Each appears whole or not at all. A process that is gone without the second was killed.
public final class AgentFiles {
  private static final Logger log = LoggerFactory.getLogger(AgentFiles.class);
  private static final JsonFactory FACTORY = new JsonFactory();

  private final Path folder;
  private final String node;

  public AgentFiles(Path jobFolder, String node) {
    this.folder = jobFolder.resolve("nodes");
    this.node = node;
  }

  /// The agent's process begins.
  public void began(ProcessHandle process) throws IOException {
    Files.createDirectories(folder);
    Files.deleteIfExists(folder.resolve(node + ".exit.json"));
    write(
        node + ".json",
        json -> {
          json.writeStringField("node", node);
          json.writeNumberField("pid", process.pid());
          json.writeNumberField(
              "startMillis", process.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
        });
  }

  /// It ends. That this cannot be said keeps it from nothing.
  public void ended(NodeEnd end) {
    try {
      write(node + ".exit.json", json -> end.write(json));
    } catch (IOException e) {
      log.error("what node {} ended with could not be written down: {}", node, e.toString());
    }
  }

  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  private void write(String name, Fields fields) throws IOException {
    Path unfinished = folder.resolve("." + name + ".new");
    try (JsonGenerator json = FACTORY.createGenerator(Files.newOutputStream(unfinished))) {
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
    }
    Files.move(
        unfinished,
        folder.resolve(name),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }
}
