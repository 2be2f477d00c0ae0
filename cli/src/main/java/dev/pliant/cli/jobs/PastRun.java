package dev.pliant.cli.jobs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// How the last run of a job ended: its `result.json`, as far as the commands show it.
///
/// @param outcome `succeeded`, `failed` or `stopped`
public record PastRun(
    String outcome,
    List<String> reasons,
    long recordsDone,
    long recordsTotal,
    double seconds,
    long relaunches) {
  public PastRun {
    reasons = List.copyOf(reasons);
  }

  /// The result in a job's folder; none where the job has not ended, or a crash cut it off.
  static Optional<PastRun> in(Path folder) throws IOException {
    Path file = folder.resolve("result.json");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(file));
      List<String> reasons = new ArrayList<>();
      json.path("reasons").forEach(reason -> reasons.add(reason.asText()));
      return Optional.of(
          new PastRun(
              json.path("outcome").asText(),
              reasons,
              json.path("recordsDone").asLong(),
              json.path("recordsTotal").asLong(),
              json.path("seconds").asDouble(),
              json.path("relaunches").asLong()));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
