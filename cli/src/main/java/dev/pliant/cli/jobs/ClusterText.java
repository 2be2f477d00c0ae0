package dev.pliant.cli.jobs;

import dev.pliant.cli.Table;
import dev.pliant.cli.jobs.Place.Cluster;
import dev.pliant.cli.jobs.Place.Condition;
import dev.pliant.cli.jobs.Place.PodView;
import dev.pliant.cli.jobs.Place.Workers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What only a cluster knows of a job, for people.
final class ClusterText {
  private static final String NONE = "-";

  private ClusterText() {}

  /// @param alone whether no master has said more
  static List<List<String>> facts(Cluster cluster, boolean alone) {
    List<List<String>> facts = new ArrayList<>();
    cluster.ended().ifPresent(ended -> facts.add(List.of("Ended:", ended.toString())));
    if (!cluster.strategy().isEmpty()) {
      facts.add(List.of("Strategy:", "%s, %s".formatted(cluster.strategy(), cluster.mode())));
    }
    if (!cluster.master().isEmpty()) {
      facts.add(List.of("Master pod:", cluster.master()));
    }
    if (alone) {
      Workers workers = cluster.workers();
      facts.add(
          List.of(
              "Workers:",
              "%d of %d wished%s"
                  .formatted(
                      workers.live(),
                      workers.wish(),
                      workers.max() == 0
                          ? ""
                          : " (from %d to %d)".formatted(workers.min(), workers.max()))));
      facts.add(List.of("Relaunches:", Integer.toString(cluster.relaunches())));
    }
    if (!cluster.silence().isEmpty()) {
      facts.add(List.of("Progress:", "not shown: " + cluster.silence()));
    }
    return facts;
  }

  /// Conditions and pods.
  static List<String> tables(Cluster cluster, Instant now) {
    List<String> lines = new ArrayList<>();
    if (!cluster.conditions().isEmpty()) {
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("CONDITION", "STATUS", "REASON", "SINCE", "MESSAGE"));
      cluster.conditions().forEach(condition -> rows.add(row(condition, now)));
      lines.add("");
      lines.addAll(Table.lines(rows));
    }
    if (!cluster.pods().isEmpty()) {
      List<List<String>> rows = new ArrayList<>();
      rows.add(List.of("POD", "PHASE", "REASON", "RESTARTS", "MACHINE", "AGE", "MESSAGE"));
      cluster.pods().forEach(pod -> rows.add(row(pod, now)));
      lines.add("");
      lines.addAll(Table.lines(rows));
    }
    return lines;
  }

  private static List<String> row(Condition condition, Instant now) {
    return List.of(
        condition.type(),
        condition.status(),
        orNone(condition.reason()),
        Amounts.age(Duration.between(condition.since(), now)),
        firstLine(condition.message()));
  }

  private static List<String> row(PodView pod, Instant now) {
    return List.of(
        pod.name(),
        pod.phase(),
        orNone(pod.reason()),
        Integer.toString(pod.restarts()),
        orNone(pod.machine()),
        Amounts.age(Duration.between(pod.created(), now)),
        firstLine(pod.message()));
  }

  private static String orNone(String text) {
    return text.isEmpty() ? NONE : text;
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }
}
