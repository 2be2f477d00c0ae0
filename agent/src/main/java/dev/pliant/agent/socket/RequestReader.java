package dev.pliant.agent.socket;

import com.google.protobuf.ByteString;
import dev.pliant.agent.json.JsonObject;
import dev.pliant.agent.node.Activity;
import dev.pliant.agent.world.Arrival;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.ShardReport;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Reads requests from the socket's JSON. What is wrong is said with the field it is wrong in.
public final class RequestReader {
  static final int MAX_REPORTS = 4_096;

  /// What the master takes of a cause; the rest of a long stack trace stays in the worker's log.
  static final int MAX_CAUSE_BYTES = 4_096;

  static final int MAX_METRICS = 32;
  static final int MAX_METRIC_NAME = 64;

  private static final int MAX_ADDRESS = 300;
  private static final int MAX_SEEN = 2;

  private static final List<String> SPEC_FIELDS =
      List.of(
          "name",
          "kind",
          "size",
          "partitions",
          "shard_size",
          "batch_size",
          "epochs",
          "shuffle",
          "seed",
          "max_retries");

  private RequestReader() {}

  /// Reads the request in a frame.
  public static Request read(JsonObject frame) {
    String op = frame.text("op");
    return switch (op) {
      case "hello" -> hello(frame);
      case "dataset" -> new Request.CreateDataset(spec(frame.object("spec")));
      case "next" -> new Request.Next(dataset(frame));
      case "report" -> new Request.Report(dataset(frame), reports(frame));
      case "flush" -> new Request.Flush(dataset(frame));
      case "grow" ->
          new Request.Grow(dataset(frame), partitions(frame), frame.flag("closed", false));
      case "commit_step" ->
          new Request.CommitStep(
              dataset(frame), frame.count("epoch"), frame.count("step"), frame.count("world"));
      case "progress" -> new Request.Progress(dataset(frame));
      case "checkpoint" -> new Request.TakeCheckpoint();
      case "restore" -> restore(frame);
      case "bye" -> bye(frame);
      case "world" -> world(frame);
      case "watch" -> new Request.Watch(frame.count("world"), seen(frame));
      case "stepped" ->
          new Request.Stepped(
              dataset(frame),
              frame.count("epoch"),
              frame.count("step"),
              frame.count("world"),
              metrics(frame));
      case "settle" -> new Request.Settle(dataset(frame));
      case "activity" -> new Request.Doing(activity(frame));
      default ->
          throw bad(
              "'%s' is no operation; there are hello, dataset, next, report, flush, grow, commit_step, progress, checkpoint, restore, world, watch, stepped, settle, activity and bye."
                  .formatted(op.length() > 64 ? op.substring(0, 64) + "…" : op));
    };
  }

  private static Request hello(JsonObject frame) {
    long version = frame.number("version");
    if (version != Request.VERSION) {
      throw bad(
          "the process speaks version %d of the socket's protocol, this agent version %d; use the package 'pliant' that came with the agent."
              .formatted(version, Request.VERSION));
    }
    return new Request.Hello(new WorkerId(frame.text("worker")), frame.number("pid", 0));
  }

  private static Request restore(JsonObject frame) {
    if (frame.has("number") == frame.has("ledger")) {
      throw bad("restore takes either 'number' or 'ledger'.");
    }
    return frame.has("number")
        ? new Request.RestoreNumber(frame.count("number"))
        : new Request.RestoreLedger(ledger(frame.object("ledger")), frame.flag("take_over", false));
  }

  private static LedgerCheckpoint ledger(JsonObject ledger) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(ledger.text("ledgers"));
    } catch (IllegalArgumentException e) {
      throw new PliantException(
          ErrorCode.DAMAGED_CHECKPOINT,
          "'ledger.ledgers' is not what 'checkpoint' gave: " + e.getMessage(),
          e);
    }
    long crc = ledger.count("crc32c");
    if (crc >>> Integer.SIZE != 0) {
      throw new PliantException(
          ErrorCode.DAMAGED_CHECKPOINT, "'ledger.crc32c' is not what 'checkpoint' gave.");
    }
    return LedgerCheckpoint.newBuilder()
        .setJob(ledger.text("job"))
        .setNumber(ledger.count("number"))
        .setUid(ledger.text("uid"))
        .setRun(ledger.count("run"))
        .setLineage(ledger.count("lineage"))
        .setLedgers(ByteString.copyFrom(bytes))
        .setCrc32C((int) crc)
        .build();
  }

  private static Request bye(JsonObject frame) {
    String reason = frame.text("reason");
    boolean done =
        switch (reason) {
          case "done" -> true;
          case "error" -> false;
          default -> throw bad("'reason' is '%s'; it must be done or error.".formatted(reason));
        };
    return new Request.Bye(done, truncate(frame.text("message", "")));
  }

  private static Request world(JsonObject frame) {
    String address = frame.text("address");
    int colon = address.lastIndexOf(':');
    if (colon < 1
        || address.length() > MAX_ADDRESS
        || !address.substring(colon + 1).matches("[1-9][0-9]{0,4}")) {
      throw bad("'address' is '%s'; it must be HOST:PORT.".formatted(JsonObject.shorten(address)));
    }
    return new Request.World(
        new Arrival(frame.count("after"), frame.flag("holds_state", false), address));
  }

  private static int seen(JsonObject frame) {
    return (int) Math.min(MAX_SEEN, frame.count("seen"));
  }

  private static Activity activity(JsonObject frame) {
    String name = frame.text("name");
    return Activity.named(name)
        .orElseThrow(() ->
            bad(
                "'name' is '%s'; it must be one of %s."
                    .formatted(JsonObject.shorten(name), Activity.names())));
  }

  /// What is no finite number is left out: a loss that has come to nothing is no fault of the
  /// message.
  private static Map<String, Double> metrics(JsonObject frame) {
    Map<String, Double> metrics = new TreeMap<>();
    if (!frame.has("metrics")) {
      return metrics;
    }
    JsonObject all = frame.object("metrics");
    for (String name : all.fields()) {
      if (name.isEmpty() || ByteString.copyFromUtf8(name).size() > MAX_METRIC_NAME) {
        throw bad(
            "the name of a metric, '%s', must have 1 to %d bytes."
                .formatted(JsonObject.shorten(name), MAX_METRIC_NAME));
      }
      if (all.has(name)) {
        double value = all.real(name);
        if (Double.isFinite(value)) {
          metrics.put(name, value);
        }
      }
    }
    if (metrics.size() > MAX_METRICS) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "'metrics' holds %,d numbers, at most %d are allowed."
              .formatted(metrics.size(), MAX_METRICS));
    }
    return metrics;
  }

  private static DatasetName dataset(JsonObject frame) {
    return new DatasetName(frame.text("dataset"));
  }

  private static List<ShardReport> reports(JsonObject frame) {
    List<ShardReport> reports = new ArrayList<>();
    for (JsonObject report : frame.objects("reports", MAX_REPORTS)) {
      reports.add(
          ShardReport.newBuilder()
              .setNumber(report.count("number"))
              .setLease(report.count("lease"))
              .setFate(fate(report.text("fate")))
              .setCause(truncate(report.text("cause", "")))
              .build());
    }
    return reports;
  }

  private static ShardFate fate(String fate) {
    return switch (fate) {
      case "done" -> ShardFate.SHARD_FATE_UNSPECIFIED;
      case "failed" -> ShardFate.SHARD_FATE_FAILED;
      case "returned" -> ShardFate.SHARD_FATE_RETURNED;
      default -> throw bad("'fate' is '%s'; it must be done, failed or returned.".formatted(fate));
    };
  }

  private static List<Partition> partitions(JsonObject frame) {
    List<Partition> partitions = new ArrayList<>();
    for (JsonObject partition : frame.objects("partitions", DatasetSpec.MAX_PARTITIONS)) {
      partitions.add(
          new Partition(
              partition.text("name"), partition.number("start", 0), partition.number("end")));
    }
    return partitions;
  }

  private static DatasetSpec spec(JsonObject spec) {
    spec.allowOnly(SPEC_FIELDS);
    return new DatasetSpec(
        new DatasetName(spec.text("name")),
        source(spec),
        consumption(spec),
        spec.number("epochs", 1),
        shuffle(spec.text("shuffle", "none")),
        spec.number("seed", 0));
  }

  private static Source source(JsonObject spec) {
    String kind = spec.text("kind");
    boolean sized = !kind.equals("stream");
    if (spec.has(sized ? "partitions" : "size")) {
      throw bad(
          sized
              ? "a dataset of kind '%s' has 'size', not 'partitions'.".formatted(kind)
              : "a stream has 'partitions', not 'size'.");
    }
    return switch (kind) {
      case "table" -> new Source.Table(spec.number("size"));
      case "text" -> new Source.Text(spec.number("size"));
      case "stream" ->
          new Source.Stream(spec.has("partitions") ? partitions(spec) : List.<Partition>of());
      default ->
          throw bad("'spec.kind' is '%s'; it must be table, text or stream.".formatted(kind));
    };
  }

  private static Consumption consumption(JsonObject spec) {
    if (spec.has("shard_size") == spec.has("batch_size")) {
      throw bad(
          "a dataset's spec has either 'shard_size', for shards leased by speed, or 'batch_size', for steps committed in order.");
    }
    if (spec.has("batch_size")) {
      return new Consumption.Steps(spec.number("batch_size"));
    }
    long retries = spec.number("max_retries", DatasetSpec.DEFAULT_RETRIES);
    return new Consumption.Shards(
        spec.number("shard_size"), Math.clamp(retries, Integer.MIN_VALUE, Integer.MAX_VALUE));
  }

  private static Shuffle shuffle(String shuffle) {
    return switch (shuffle) {
      case "none" -> Shuffle.NONE;
      case "shards" -> Shuffle.SHARDS;
      case "records" -> Shuffle.RECORDS;
      default ->
          throw bad(
              "'spec.shuffle' is '%s'; it must be none, shards or records.".formatted(shuffle));
    };
  }

  /// The beginning of a text, as much of it as the master takes.
  static String truncate(String text) {
    ByteString bytes = ByteString.copyFromUtf8(text);
    if (bytes.size() <= MAX_CAUSE_BYTES) {
      return bytes.toStringUtf8(); // A lone surrogate has become '?': what is sent is UTF-8.
    }
    int end = MAX_CAUSE_BYTES - 3;
    while (end > 0 && (bytes.byteAt(end) & 0xC0) == 0x80) {
      end--;
    }
    return bytes.substring(0, end).toStringUtf8() + "…";
  }

  private static PliantException bad(String message) {
    return new PliantException(ErrorCode.BAD_MESSAGE, message);
  }
}
