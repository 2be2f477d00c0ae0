package dev.pliant.master.platform.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// What is kept of nodes in a job's folder.
///
/// | name | what |
/// |---|---|
/// | `nodes/NODE.claim` | which process the node is ([Claim]) |
/// | `nodes/NODE.properties` | variables for its training processes |
/// | `nodes/NODE.json` | written by the agent once it runs |
/// | `nodes/NODE.exit.json` | written by the agent when it ends: code, reason, message |
/// | `nodes/NODE.sock` | where its training processes find the agent |
/// | `logs/NODE.agent.log` | what the agent itself says |
final class NodeFiles {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_SOCKET_BYTES = 100;
  private static final String CLAIM = ".claim";
  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final FileAttribute<?> SECRET =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path folder;

  NodeFiles(Path jobFolder) throws IOException {
    this.folder = jobFolder;
    Files.createDirectories(nodes(), OWNER_ONLY);
    Files.createDirectories(logs(), OWNER_ONLY);
  }

  private Path nodes() {
    return folder.resolve("nodes");
  }

  Path logs() {
    return folder.resolve("logs");
  }

  Path claim(NodeId node) {
    return nodes().resolve(node + CLAIM);
  }

  Path agentLog(NodeId node) {
    return logs().resolve(node + ".agent.log");
  }

  /// Every node that was ever claimed, by number.
  List<NodeId> claimed() throws IOException {
    List<NodeId> claimed = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(nodes(), "*" + CLAIM)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        try {
          claimed.add(NodeId.parse(name.substring(0, name.length() - CLAIM.length())));
        } catch (PliantException e) {
          // Somebody else's file; no node has such a name.
        }
      }
    }
    return claimed.stream().sorted().toList();
  }

  /// Whether the agent of that node has said that it runs.
  boolean ran(NodeId node) {
    return Files.exists(nodes().resolve(node + ".json"));
  }

  /// What an agent said at its end.
  record Farewell(int code, @Nullable ExitReason reason, String message) {}

  Optional<Farewell> farewell(NodeId node) {
    try {
      JsonNode json = JSON.readTree(Files.readAllBytes(nodes().resolve(node + ".exit.json")));
      return Optional.of(
          new Farewell(
              json.path("code").asInt(1),
              reason(json.path("reason").asText("")),
              json.path("message").asText("")));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // It was killed while it wrote; its process tells the rest.
    }
  }

  /// A node that was drained ended as it was told to, and yet its work is not done.
  private static @Nullable ExitReason reason(String word) {
    String name = word.toUpperCase(Locale.ROOT).replace('-', '_').replace("EXIT_REASON_", "");
    if (name.equals("DRAINED") || name.equals("RELEASED")) {
      return ExitReason.KILLED;
    }
    return Arrays.stream(ExitReason.values())
        .filter(reason -> reason.name().equals(name))
        .findFirst()
        .orElse(null);
  }

  /// In the job's folder, unless its path is longer than a socket's may be.
  Path socket(NodeId node) throws IOException {
    Path socket = nodes().resolve(node + ".sock");
    if (socket.toString().getBytes(StandardCharsets.UTF_8).length <= MAX_SOCKET_BYTES) {
      return socket;
    }
    Path elsewhere =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "pliant-%s-%08x".formatted(System.getProperty("user.name"), folder.hashCode()));
    Files.createDirectories(elsewhere, OWNER_ONLY);
    return elsewhere.resolve(node + ".sock");
  }

  private Path variablesFile(NodeId node) {
    return nodes().resolve(node + ".properties");
  }

  /// In a file that nobody else can read: arguments can be seen by every user of the machine.
  Path writeVariables(NodeId node, Map<String, String> variables) throws IOException {
    Path file = variablesFile(node);
    Files.deleteIfExists(file);
    Files.createFile(file, SECRET);
    Properties properties = new Properties();
    properties.putAll(variables);
    try (OutputStream out = Files.newOutputStream(file)) {
      properties.store(out, null);
    }
    return file;
  }

  Optional<String> variable(NodeId node, String name) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(variablesFile(node))) {
      properties.load(reader);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    return Optional.ofNullable(properties.getProperty(name));
  }

  /// The logs of a node's workers, the one that was written to last at the front.
  List<Path> workerLogs(NodeId node, JobPlan plan) {
    return node.workers(plan.nprocPerNode()).stream()
        .map(worker -> logs().resolve(worker + ".log"))
        .filter(Files::exists)
        .sorted((a, b) -> Long.compare(b.toFile().lastModified(), a.toFile().lastModified()))
        .toList();
  }
}
