package dev.pliant.cli.jobs;

import dev.pliant.cli.Table;
import dev.pliant.cli.jobs.JobSnapshot.Dataset;
import dev.pliant.cli.jobs.JobSnapshot.Node;
import dev.pliant.cli.jobs.JobSnapshot.World;
import dev.pliant.model.JobId;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Jobs, for people.
public final class JobText {
  private static final String NONE = "-";

  private JobText() {}

  /// One line a job.
  ///
  /// @param namespace goes without saying
  public static List<String> table(
      List<JobInfo> jobs, boolean wide, String namespace, Instant now) {
    List<String> head = new ArrayList<>(List.of("NAME", "STATE", "WORKERS", "DONE", "STEP", "AGE"));
    if (wide) {
      head.addAll(List.of("WORLD", "MASTER", "RELAUNCHES", "METRICS", "WHERE"));
    }
    List<List<String>> rows = new ArrayList<>(List.of(head));
    jobs.forEach(job -> rows.add(row(job, wide, namespace, now)));
    return Table.lines(rows);
  }

  private static List<String> row(JobInfo info, boolean wide, String namespace, Instant now) {
    List<String> row = new ArrayList<>();
    row.add(name(info.job(), namespace));
    row.add(info.state().word());
    row.add(workers(info));
    row.add(done(info));
    row.add(info.snapshot().map(JobText::step).orElse(NONE));
    row.add(Amounts.age(Duration.between(info.began(), now)));
    if (wide) {
      row.add(info.snapshot().map(job -> world(job.world())).orElse(NONE));
      row.add(info.snapshot().map(job -> "epoch " + job.epoch()).orElse(NONE));
      row.add(
          info.snapshot()
              .map(job -> Long.toString(job.relaunches()))
              .or(() -> info.result().map(past -> Long.toString(past.relaunches())))
              .orElseGet(() -> relaunches(info.place())));
      String metrics = info.snapshot().map(job -> metrics(job.metrics())).orElse("");
      row.add(metrics.isEmpty() ? NONE : metrics);
      row.add(info.place().word());
    }
    return row;
  }

  /// Those that run, of those that are wished.
  private static String workers(JobInfo info) {
    if (info.snapshot().isPresent()) {
      JobSnapshot job = info.snapshot().get();
      return "%d/%d".formatted(job.nodesLive(), job.counts().wish());
    }
    return info.place() instanceof Place.Cluster cluster && info.state().running()
        ? "%d/%d".formatted(cluster.workers().live(), cluster.workers().wish())
        : NONE;
  }

  private static String relaunches(Place place) {
    return place instanceof Place.Cluster cluster ? Integer.toString(cluster.relaunches()) : NONE;
  }

  private static String done(JobInfo info) {
    return info.snapshot()
        .filter(job -> job.total() > 0)
        .map(job -> Amounts.percent(job.done(), job.total()) + " %")
        .or(() ->
            info.result()
                .filter(result -> result.recordsTotal() > 0)
                .map(result -> Amounts.percent(result.recordsDone(), result.recordsTotal()) + " %"))
        .orElse(NONE);
  }

  private static String step(JobSnapshot job) {
    return job.datasets().stream()
        .filter(dataset -> dataset.nextStep() >= 0)
        .findFirst()
        .map(dataset -> "%,d/%,d".formatted(dataset.nextStep(), dataset.steps()))
        .orElse(NONE);
  }

  private static String world(World world) {
    return world.version() == 0
        ? NONE
        : "v%d of %d".formatted(world.version(), world.members().size());
  }

  /// Without its namespace, where that goes without saying.
  static String name(JobId job, String namespace) {
    return job.namespace().equals(namespace) ? job.name() : job.toString();
  }

  public static String metrics(Map<String, Double> metrics) {
    return metrics.entrySet().stream()
        .map(metric -> metric.getKey() + " " + Amounts.metric(metric.getValue()))
        .collect(Collectors.joining(", "));
  }

  /// Everything about one job.
  public static List<String> description(JobInfo info, List<JobEvent> lastEvents, Instant now) {
    List<List<String>> facts = new ArrayList<>();
    facts.add(List.of("Job:", info.job().toString()));
    facts.add(List.of("State:", state(info)));
    facts.add(
        List.of(
            "Began:",
            "%s (%s ago)"
                .formatted(
                    info.began().truncatedTo(ChronoUnit.SECONDS),
                    Amounts.roughly(Duration.between(info.began(), now).toSeconds()))));
    addPlace(facts, info);
    info.result().ifPresent(result -> addResult(facts, result));
    List<String> lines = new ArrayList<>();
    info.snapshot().ifPresent(job -> addFacts(facts, job, now));
    lines.addAll(Table.lines(facts));
    info.snapshot().ifPresent(job -> addTables(lines, job, now));
    if (info.place() instanceof Place.Cluster cluster) {
      lines.addAll(ClusterText.tables(cluster, now));
    }
    if (!lastEvents.isEmpty()) {
      lines.add("");
      lines.add("Last events:");
      lastEvents.forEach(event -> lines.add("  " + event.line()));
    }
    return lines;
  }

  /// How a job ended, in a sentence.
  public static String ending(JobInfo info, Instant now) {
    Instant end = info.place() instanceof Place.Cluster cluster ? cluster.ended().orElse(now) : now;
    String records =
        info.snapshot()
            .filter(job -> job.total() > 0)
            .map(job -> "; %,d of %,d records".formatted(job.done(), job.total()))
            .or(() ->
                info.result()
                    .map(past ->
                        "; %,d of %,d records".formatted(past.recordsDone(), past.recordsTotal())))
            .orElse("");
    return "job %s: %s, %s after it began%s."
        .formatted(
            info.job(),
            state(info).replaceFirst("\\.$", ""),
            Amounts.roughly(Math.max(0, Duration.between(info.began(), end).toSeconds())),
            records);
  }

  private static void addPlace(List<List<String>> facts, JobInfo info) {
    switch (info.place()) {
      case Place.Folder(Path folder, Optional<ProcessHandle> supervisor) -> {
        facts.add(List.of("Folder:", folder.toString()));
        supervisor.ifPresent(
            process -> facts.add(List.of("Supervisor:", "process " + process.pid())));
      }
      case Place.Cluster cluster ->
          facts.addAll(ClusterText.facts(cluster, info.snapshot().isEmpty()));
    }
  }

  private static String state(JobInfo info) {
    String why =
        switch (info.place()) {
          case Place.Cluster cluster -> cluster.reason();
          case Place.Folder _ -> localReason(info);
        };
    return why.isEmpty() ? info.state().word() : info.state().word() + ": " + why;
  }

  private static String localReason(JobInfo info) {
    return switch (info.state()) {
      case AWAY -> "no master answers; its supervisor starts another";
      case CRASHED ->
          "its supervisor is gone without an end; 'pliant run … --resume' goes on with it";
      case PENDING, RUNNING, STOPPING, SUSPENDED, SUCCEEDED, FAILED, STOPPED ->
          info.snapshot().map(JobSnapshot::phaseReason).orElse("");
    };
  }

  private static void addResult(List<List<String>> facts, PastRun result) {
    facts.add(
        List.of("Records:", "%,d of %,d".formatted(result.recordsDone(), result.recordsTotal())));
    result.reasons().forEach(reason -> facts.add(List.of("Reason:", reason)));
  }

  private static void addFacts(List<List<String>> facts, JobSnapshot job, Instant now) {
    facts.add(List.of("Master:", "epoch " + job.epoch()));
    if (!job.journalTrouble().isEmpty()) {
      facts.add(List.of("Journal:", job.journalTrouble()));
    }
    facts.add(
        List.of(
            "Workers:",
            "%d of %d wished (from %d to %d)"
                .formatted(
                    job.nodesLive(), job.counts().wish(), job.counts().min(), job.counts().max())));
    World world = job.world();
    if (world.version() > 0) {
      facts.add(
          List.of(
              "World:",
              "version %d, formed %s ago%s: %s"
                  .formatted(
                      world.version(),
                      Amounts.roughly(
                          Duration.between(Instant.ofEpochMilli(world.formedMillis()), now)
                              .toSeconds()),
                      world.reforming() ? ", about to change" : "",
                      String.join(", ", world.members()))));
      facts.add(
          List.of(
              "Paused:",
              "%s over %s"
                  .formatted(
                      Amounts.seconds(Duration.ofMillis(world.pausedMillis())),
                      Amounts.count(job.changes(), "change"))));
    }
    if (!world.waiting().isEmpty()) {
      facts.add(List.of("Waiting:", String.join(", ", world.waiting())));
    }
    if (!job.metrics().isEmpty()) {
      facts.add(List.of("Metrics:", metrics(job.metrics())));
    }
  }

  private static void addTables(List<String> lines, JobSnapshot job, Instant now) {
    if (!job.datasets().isEmpty()) {
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("DATASET", "DONE", "OUT", "WAITING", "EPOCH", "STEP", "STATE"));
      job.datasets().forEach(dataset -> rows.add(row(dataset)));
      lines.add("");
      lines.addAll(Table.lines(rows));
    }
    if (!job.nodes().isEmpty()) {
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("NODE", "PHASE", "REASON", "REPLACES", "CPU", "MEMORY", "AGE", "MESSAGE"));
      job.nodes().forEach(node -> rows.add(row(node, now)));
      lines.add("");
      lines.addAll(Table.lines(rows));
    }
  }

  private static List<String> row(Dataset dataset) {
    return List.of(
        dataset.name(),
        "%,d".formatted(dataset.done()),
        "%,d".formatted(dataset.out()),
        "%,d".formatted(dataset.waiting()),
        dataset.epochs() == 0
            ? "stream"
            : "%,d of %,d"
                .formatted(Math.min(dataset.epoch() + 1, dataset.epochs()), dataset.epochs()),
        dataset.nextStep() < 0 ? NONE : "%,d/%,d".formatted(dataset.nextStep(), dataset.steps()),
        dataset.failure().isEmpty()
            ? dataset.state().name().toLowerCase(Locale.ROOT)
            : dataset.failure());
  }

  private static List<String> row(Node node, Instant now) {
    long until = node.endedMillis() > 0 ? node.endedMillis() : now.toEpochMilli();
    return List.of(
        node.name(),
        node.phase().name().toLowerCase(Locale.ROOT),
        node.reason().isEmpty() ? NONE : node.reason(),
        node.replaces().isEmpty() ? NONE : node.replaces(),
        node.live() ? String.format(Locale.ROOT, "%.2f", node.cpu()) : NONE,
        node.live() ? "%,.0f MiB".formatted(node.memoryMib()) : NONE,
        Amounts.age(Duration.ofMillis(until - node.createdMillis())),
        node.message());
  }
}
