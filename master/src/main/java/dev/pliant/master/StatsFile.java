package dev.pliant.master;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.master.stats.StatsCollector;
import dev.pliant.master.stats.StatsCollector.NodeStats;
import dev.pliant.master.stats.StatsCollector.Sample;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What each node used last, in a file of the job's folder: a node that has ended tells nobody
/// again. It is the newest master's: one that was taken over from writes it no more. Whatever is
/// wrong with the file is no reason for a master not to start.
final class StatsFile {
  private static final Logger log = LoggerFactory.getLogger(StatsFile.class);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Path file;
  private final StatsCollector stats;
  private final BooleanSupplier current;
  private String written = "";

  /// @param current whether no newer master has taken over
  StatsFile(Path file, StatsCollector stats, BooleanSupplier current) {
    this.file = file;
    this.stats = stats;
    this.current = current;
  }

  /// The file's shape.
  private record Content(Map<String, Line> nodes) {}

  private record Line(
      long atMillis, double cpu, double memoryMib, Map<String, Long> activityMillis) {}

  /// Takes up what the master before wrote.
  void recall() {
    try {
      Map<NodeId, NodeStats> known = new TreeMap<>();
      MAPPER
          .readValue(Files.readString(file), Content.class)
          .nodes()
          .forEach((node, line) -> known.put(NodeId.parse(node), line(line)));
      stats.recall(known);
    } catch (NoSuchFileException _) {
      log.debug("{} is not there: this is the first master", file);
    } catch (IOException | PliantException | IllegalArgumentException | NullPointerException e) {
      log.warn("what nodes used before is not known: {} cannot be read: {}", file, e.toString());
    }
  }

  private static NodeStats line(Line line) {
    return new NodeStats(
        new Sample(line.atMillis(), line.cpu(), line.memoryMib()),
        Map.copyOf(line.activityMillis()));
  }

  /// Writes what is known, where that has changed.
  synchronized void write() {
    try {
      String now = text();
      if (!now.equals(written) && current.getAsBoolean()) {
        WholeFile.write(file, now);
        written = now;
      }
    } catch (IOException e) {
      log.debug("what nodes used is not written to {}: {}", file, e.toString());
    }
  }

  private String text() throws JsonProcessingException {
    Map<String, Line> nodes = new TreeMap<>();
    stats
        .nodes()
        .forEach((node, known) ->
            nodes.put(
                node.toString(),
                new Line(
                    known.newest().atMillis(),
                    known.newest().cpu(),
                    known.newest().memoryMib(),
                    known.activityMillis())));
    return MAPPER.writeValueAsString(new Content(nodes)) + "\n";
  }
}
