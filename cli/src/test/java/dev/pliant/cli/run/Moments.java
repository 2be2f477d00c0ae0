package dev.pliant.cli.run;

import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.JobSnapshot.Counts;
import dev.pliant.cli.jobs.JobSnapshot.Dataset;
import dev.pliant.cli.jobs.JobSnapshot.Node;
import dev.pliant.cli.jobs.JobSnapshot.World;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodePhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Makes a job at one moment, for tests.
final class Moments {
  private final JobPhase phase;
  private final String reason;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<String, Double> metrics = new TreeMap<>();
  private List<Dataset> datasets = List.of();
  private World world = World.NONE;
  private Counts counts = new Counts(2, 1, 4);
  private long shardsOut;
  private long epoch = 1;
  private String trouble = "";

  private Moments(JobPhase phase, String reason) {
    this.phase = phase;
    this.reason = reason;
  }

  static Moments job(JobPhase phase, String reason) {
    return new Moments(phase, reason);
  }

  static Moments running() {
    return job(JobPhase.RUNNING, "");
  }

  Moments datasets(Dataset... all) {
    datasets = List.of(all);
    return this;
  }

  Moments metric(String name, double value) {
    metrics.put(name, value);
    return this;
  }

  Moments wish(int wish) {
    counts = new Counts(wish, 1, 4);
    return this;
  }

  Moments shardsOut(long count) {
    shardsOut = count;
    return this;
  }

  Moments epoch(long master) {
    epoch = master;
    return this;
  }

  Moments trouble(String journal) {
    trouble = journal;
    return this;
  }

  Moments world(long version, String... members) {
    world = new World(version, List.of(members), false, List.of(), 0, 250);
    return this;
  }

  Moments reforming() {
    world = new World(world.version(), world.members(), true, List.of(), 0, 250);
    return this;
  }

  Moments node(String name, NodePhase nodePhase, String why, String message) {
    return add(name, nodePhase, why, message, "");
  }

  Moments replacement(String name, String replaces) {
    return add(name, NodePhase.RUNNING, "", "", replaces);
  }

  private Moments add(
      String name, NodePhase nodePhase, String why, String message, String replaces) {
    nodes.add(
        new Node(
            name, nodePhase, why, message, replaces, 0, false, 1_000, 2_000, 0, 0.5, 100,
            Map.of()));
    return this;
  }

  JobSnapshot moment() {
    return new JobSnapshot(
        epoch,
        phase,
        reason,
        counts,
        nodes,
        world,
        datasets,
        nodes.size(),
        shardsOut,
        metrics,
        trouble);
  }
}
