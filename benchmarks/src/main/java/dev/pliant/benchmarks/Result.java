package dev.pliant.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// What a run found, where and when.
record Result(
    Instant date, Duration took, String commit, Machine machine, Plan plan, List<Row> rows) {
  private static final ObjectMapper JSON = new ObjectMapper();

  Result {
    rows = List.copyOf(rows);
  }

  /// Whether every bar that was set is met.
  boolean met() {
    return rows.stream().allMatch(row -> row.met().orElse(true));
  }

  void write(Path file) throws IOException {
    if (file.getParent() != null) {
      Files.createDirectories(file.getParent());
    }
    Files.writeString(file, json() + "\n");
  }

  String json() throws IOException {
    ObjectNode root = JSON.createObjectNode();
    root.put("date", date.toString());
    root.put("took_s", took.toSeconds());
    root.put("commit", commit);
    ObjectNode on = root.putObject("machine");
    on.put("cores", machine.cores());
    on.put("cpu", machine.cpu());
    on.put("memory_mb", machine.memoryMb());
    on.put("kernel", machine.kernel());
    on.put("java", machine.java());
    on.put("disk", machine.disk());
    on.put("load_before", machine.loadBefore());
    ObjectNode how = root.putObject("plan");
    how.put("full", plan.full());
    how.put("rounds", plan.rounds());
    how.put("round_s", plan.round().toSeconds());
    how.put("warm_up_s", plan.warmUp().toSeconds());
    how.put("starts", plan.starts());
    how.put("trainings", plan.trainings());
    how.put("waves", plan.waves());
    ArrayNode lines = root.putArray("rows");
    rows.forEach(row -> write(row, lines.addObject()));
    root.put("met", met());
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
  }

  private static void write(Row row, ObjectNode out) {
    out.put("measure", row.measure());
    out.put("name", row.name());
    Series value = row.value();
    Row.Peer peer = row.peer();
    if (value != null) {
      out.put("unit", row.unit());
      out.put("value", value.median());
      out.set("values", numbers(value));
    }
    if (peer != null) {
      ObjectNode beside = out.putObject("peer");
      beside.put("name", peer.name());
      beside.put("value", peer.value().median());
      beside.set("values", numbers(peer.value()));
    }
    row.ratio()
        .ifPresent(ratio -> {
          out.put("ratio", ratio.median());
          out.set("ratios", numbers(ratio));
        });
    out.put("bar", row.bar().text());
    row.met().ifPresent(met -> out.put("met", met));
    if (!row.details().isEmpty()) {
      out.set("details", JSON.valueToTree(row.details()));
    }
    if (row.failure() != null) {
      out.put("failure", row.failure());
    }
  }

  private static ArrayNode numbers(Series series) {
    ArrayNode array = JSON.createArrayNode();
    series.values().forEach(array::add);
    return array;
  }
}
