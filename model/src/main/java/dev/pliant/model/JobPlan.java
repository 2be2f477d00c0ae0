package dev.pliant.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a job's master is to do: how many nodes of what, and what runs on them. Made once from the
/// job file by whoever starts the master; a value of this type is always one that can be carried
/// out.
///
/// @param run which run of the job this is: when it began, in ms, so that it grows with each. A
///   master that is started again has the same; a higher one begins a job anew that is over, where
///   a repeated one leaves it over
/// @param nprocPerNode training processes on each node
/// @param command what each of them runs
/// @param environment what the job adds to their environment
/// @param workingFolder where they run: an absolute path
/// @param checkpoint where and how often the training saves itself, or null
/// @param pythonPackage the folder that holds the package `pliant`, or empty where it is installed
/// @param lastCallMillis how long a first group that is large enough waits for more to come
/// @param others roles beside `worker`, by name
/// @param limits what all nodes may use together at the most
/// @param uid tells this job from every other one, also from an earlier or later one of the same
///   name; it stays when the job is resumed. Empty where nobody gave one
public record JobPlan(
    JobId job,
    long run,
    Strategy strategy,
    Elasticity elasticity,
    Workers workers,
    int nprocPerNode,
    List<String> command,
    Map<String, String> environment,
    String workingFolder,
    @Nullable Checkpointing checkpoint,
    String pythonPackage,
    long lastCallMillis,
    List<RolePlan> others,
    ResourceLimits limits,
    String uid) {

  /// A uid names a folder.
  private static final Pattern UID = Pattern.compile("[A-Za-z0-9-]{0,64}");

  /// The run of a job where nobody told which: what masters on clusters once wrote of every job.
  public static final long UNTOLD_RUN = 1;

  /// The most nodes of one role.
  public static final int MAX_NODES = 10_000;

  /// The most training processes on one node.
  public static final int MAX_PROCESSES = 1_024;

  /// How often a failing node is replaced, where nobody says.
  public static final int DEFAULT_RESTARTS = 3;

  public static final int MAX_RESTARTS = 1_000_000;

  /// How long the first group waits for more, where nobody says.
  public static final long DEFAULT_LAST_CALL_MILLIS = 1_000;

  public JobPlan {
    if (nprocPerNode < 1 || nprocPerNode > MAX_PROCESSES) {
      throw bad(
          "nprocPerNode is %,d; a node has from 1 to %,d processes"
              .formatted(nprocPerNode, MAX_PROCESSES));
    }
    if ((strategy == Strategy.LOCAL) != (elasticity == Elasticity.NONE)) {
      throw bad(
          "strategy %s does not go with elasticity %s; workers of a group need a way to change it, others have none to change"
              .formatted(strategy.word(), elasticity.word()));
    }
    if (command.isEmpty() || command.getFirst().isEmpty()) {
      throw bad("the command is empty; say what the training processes run");
    }
    if (!workingFolder.startsWith("/")) {
      throw bad("the working folder '%s' is no absolute path".formatted(workingFolder));
    }
    if (!UID.matcher(uid).matches()) {
      throw bad("the uid '%s' has other characters than letters, digits and '-'".formatted(uid));
    }
    if (lastCallMillis < 0 || lastCallMillis > 3_600_000) {
      throw bad("lastCallMillis is %,d; it is from 0 to an hour".formatted(lastCallMillis));
    }
    others = others.stream().sorted(Comparator.comparing(RolePlan::role)).toList();
    long names = others.stream().map(RolePlan::role).distinct().count();
    if (names < others.size() || others.stream().anyMatch(o -> o.role().equals(NodeId.WORKER))) {
      throw bad(
          "a role is named twice among worker, " + others.stream().map(RolePlan::role).toList());
    }
    command = List.copyOf(command);
    environment = Collections.unmodifiableMap(new TreeMap<>(environment));
  }

  /// Without limits for all nodes together, and without a uid.
  public JobPlan(
      JobId job,
      long run,
      Strategy strategy,
      Elasticity elasticity,
      Workers workers,
      int nprocPerNode,
      List<String> command,
      Map<String, String> environment,
      String workingFolder,
      @Nullable Checkpointing checkpoint,
      String pythonPackage,
      long lastCallMillis,
      List<RolePlan> others) {
    this(
        job,
        run,
        strategy,
        elasticity,
        workers,
        nprocPerNode,
        command,
        environment,
        workingFolder,
        checkpoint,
        pythonPackage,
        lastCallMillis,
        others,
        ResourceLimits.NONE,
        "");
  }

  /// How many nodes of the role `worker`, and how large.
  ///
  /// @param wish how many to have where nothing speaks against it
  /// @param min the fewest that can train
  /// @param max the most there may be
  /// @param restarts how often a node that failed by itself is replaced before the job fails
  /// @param restartMillis how long a node that takes another's place may take until it runs; 0 for
  ///   as long as it takes
  public record Workers(
      int wish, int min, int max, int restarts, long restartMillis, NodeResources resources) {
    public Workers {
      if (min < 1 || max > MAX_NODES || min > max) {
        throw bad(
            "from %,d to %,d workers cannot be; at least 1, at most %,d, and not fewer at most than at least"
                .formatted(min, max, MAX_NODES));
      }
      if (wish < min || wish > max) {
        throw bad("%,d workers are wished, of %,d to %,d".formatted(wish, min, max));
      }
      checkRestarts(restarts, restartMillis);
    }

    /// A restart may take as long as it takes.
    public Workers(int wish, int min, int max, int restarts, NodeResources resources) {
      this(wish, min, max, restarts, 0, resources);
    }

    public Workers withWish(int newWish) {
      return new Workers(newWish, min, max, restarts, restartMillis, resources);
    }

    public Workers withMax(int newMax) {
      return new Workers(wish, min, newMax, restarts, restartMillis, resources);
    }
  }

  /// How many nodes of a role, and how large. Of others than workers there may be none.
  ///
  /// @param wish how many to have where nothing speaks against it
  /// @param restarts how often a node that failed by itself is replaced before the job fails
  /// @param restartMillis how long a node that takes another's place may take until it runs; 0 for
  ///   as long as it takes
  public record RolePlan(
      String role,
      int wish,
      int min,
      int max,
      int restarts,
      long restartMillis,
      NodeResources resources) {
    public RolePlan {
      NodeId unused = new NodeId(role, 0); // A role is what can name a node.
      if (min < 0 || max > MAX_NODES || min > max || wish < min || wish > max) {
        throw bad(
            "%,d nodes of role %s, of %,d to %,d, cannot be; at most %,d can"
                .formatted(wish, role, min, max, MAX_NODES));
      }
      checkRestarts(restarts, restartMillis);
    }

    /// A restart may take as long as it takes.
    public RolePlan(
        String role, int wish, int min, int max, int restarts, NodeResources resources) {
      this(role, wish, min, max, restarts, 0, resources);
    }
  }

  private static void checkRestarts(int restarts, long restartMillis) {
    if (restarts < 0 || restarts > MAX_RESTARTS) {
      throw bad("%,d restarts; from 0 to %,d can be".formatted(restarts, MAX_RESTARTS));
    }
    if (restartMillis < 0) {
      throw bad("a restart of %,d ms cannot be; 0 is no bound".formatted(restartMillis));
    }
  }

  /// Where and how often the training saves itself. Below `path` each run of each job has a folder
  /// of its own, `NAMESPACE/NAME/UID`.
  ///
  /// @param path a folder, which may be empty for the root of a cluster's claim
  /// @param every steps between two checkpoints
  /// @param keep how many are kept
  /// @param from where a run that has no checkpoint of its own takes model and optimizer from:
  ///   [#LATEST], a path, or empty for nowhere
  /// @param withDataPosition whether it also takes over which records are done
  public record Checkpointing(
      String path, int every, int keep, String from, boolean withDataPosition) {
    /// The newest checkpoint of an earlier run of the same job.
    public static final String LATEST = "latest";

    /// A run that starts from nowhere.
    public Checkpointing(String path, int every, int keep) {
      this(path, every, keep, "", false);
    }

    public Checkpointing {
      if (withDataPosition && from.isEmpty()) {
        throw bad("a data position is taken over with a checkpoint, and none is named");
      }
      if (every < 1 || keep < 1) {
        throw bad(
            "a checkpoint every %,d steps, of which %,d are kept, in '%s', cannot be"
                .formatted(every, keep, path));
      }
    }
  }

  /// The same without its variables, which may be secrets and are nothing to decide by.
  public JobPlan withoutEnvironment() {
    return new JobPlan(
        job,
        run,
        strategy,
        elasticity,
        workers,
        nprocPerNode,
        command,
        Map.of(),
        workingFolder,
        checkpoint,
        pythonPackage,
        lastCallMillis,
        others,
        limits,
        uid);
  }

  /// Every role, workers first.
  public List<RolePlan> roles() {
    List<RolePlan> roles = new ArrayList<>();
    roles.add(
        new RolePlan(
            NodeId.WORKER,
            workers.wish(),
            workers.min(),
            workers.max(),
            workers.restarts(),
            workers.restartMillis(),
            workers.resources()));
    roles.addAll(others);
    return roles;
  }

  /// The role of that name, or null where the job has none.
  public @Nullable RolePlan role(String name) {
    return roles().stream().filter(role -> role.role().equals(name)).findFirst().orElse(null);
  }

  /// The most members that a group of this job may have.
  public int maxMembers() {
    return workers.max() * nprocPerNode;
  }

  private static PliantException bad(String what) {
    return new PliantException(ErrorCode.BAD_JOB_PLAN, what + ".");
  }
}
