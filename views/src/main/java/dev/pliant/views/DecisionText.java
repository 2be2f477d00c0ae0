package dev.pliant.views;

import static dev.pliant.views.Phrases.count;
import static dev.pliant.views.Phrases.duration;
import static dev.pliant.views.Phrases.list;
import static dev.pliant.views.Phrases.sentences;
import static dev.pliant.views.Phrases.size;

import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Alternatives.Rejection;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Subject;
import dev.pliant.model.decision.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Decisions in plain words, for every place that shows them to people: the command line, the
/// cluster's events, a page.
public final class DecisionText {
  /// Names nodes as the job does: `worker-0`.
  public static final DecisionText PLAIN = new DecisionText(NodeId::toString);

  private final Function<NodeId, String> names;

  private DecisionText(Function<NodeId, String> names) {
    this.names = names;
  }

  /// Names nodes otherwise, for instance by their pods.
  public static DecisionText naming(Function<NodeId, String> names) {
    return new DecisionText(names);
  }

  /// What happened and what is done about it, in a few sentences.
  public String of(Choice choice) {
    String text =
        switch (choice.rule()) {
          case PLAN_CHANGED -> planChanged(choice);
          case BEGUN_ANEW -> sentences("The job begins again", roleChanges(choice));
          case SCALE_REQUESTED -> scaled(choice);
          case REQUEST_ACCEPTED ->
              "Request of %s: %s.".formatted(by(choice), plan(choice.plan(), choice));
          case REQUEST_REFUSED ->
              "Request of %s refused: %s.".formatted(by(choice), objections(choice));
          case STOP_REQUESTED ->
              sentences(
                  by(choice).isEmpty()
                      ? "The job is stopped"
                      : "The job is stopped by " + by(choice),
                  "All nodes end");
          case SUSPENDED -> "The job is suspended. All nodes end.";
          case RESUMED ->
              "The job resumes. %s again."
                  .formatted(
                      count(number(choice, InputName.PLACES_KEPT), "node starts", "nodes start"));
          case SUSPENDED_WITHOUT_MASTER ->
              "The job was suspended while no master ran. Nodes that ended then are replaced. No restart used.";
          case FIRST_NODE_RUNS ->
              "%s runs; the job is running.".formatted(word(choice, InputName.NODE));
          case ALL_SUCCEEDED, GROUP_SUCCEEDED ->
              "The training is complete: %s succeeded."
                  .formatted(count(number(choice, InputName.NODES_SUCCEEDED), "node", "nodes"));
          case OTHERS_DO_NOT_FINISH ->
              "%s did not end within %s after the training was complete. Pliant ends them."
                  .formatted(
                      word(choice, InputName.NODES_NOT_ENDED),
                      duration(number(choice, InputName.LONGEST_WAIT)));
          case ALL_NODES_ENDED -> "All nodes have ended. " + sentence(choice);
          case GROUP_GIVEN_UP ->
              "Training cannot continue with the nodes that are left. The job fails.";
          case DATASET_FAILED ->
              sentences(
                  "Shard %s of dataset '%s' failed for good, last on %s%s"
                      .formatted(
                          word(choice, InputName.SHARD),
                          word(choice, InputName.DATASET),
                          word(choice, InputName.WORKER),
                          because(choice, InputName.CAUSE)),
                  "The job fails");
          case GROW, SHRINK, REPLACEMENT_DUE -> sentence(choice);
          case GONE_FROM_OUTSIDE, OUT_OF_MEMORY ->
              sentences(ended(choice), plan(choice.plan(), choice));
          case TOO_MANY_FROM_OUTSIDE ->
              sentences(
                  ended(choice),
                  "%s nodes ended within an hour for reasons outside their programs; a job may lose %s"
                      .formatted(
                          word(choice, InputName.OUTSIDE_ENDS_IN_LAST_HOUR),
                          word(choice, InputName.MOST_OUTSIDE_ENDS)),
                  "The job fails");
          case GONE_WHILE_SUSPENDED ->
              sentences(
                  subject(choice) + " ended while the job was suspended",
                  plan(choice.plan(), choice));
          case OUT_OF_MEMORY_AT_MOST ->
              sentences(ended(choice), "A node cannot have more", "The job fails");
          case OUT_OF_MEMORY_AT_LIMITS ->
              sentences(
                  ended(choice), "The job's resourceLimits leave no more memory", "The job fails");
          case FATAL_ERROR -> sentences(ended(choice), "The job fails");
          case FAILED -> sentences(ended(choice), plan(choice.plan(), choice));
          case RESTARTS_USED_UP -> sentences(ended(choice), noRestartLeft(choice), "The job fails");
          case PENDING_TOO_LONG ->
              sentences(
                  "%s has been pending for %s%s"
                      .formatted(
                          subject(choice),
                          duration(number(choice, InputName.WAITED)),
                          because(choice, InputName.MESSAGE)),
                  plan(choice.plan(), choice));
          case RESTART_TOOK_TOO_LONG ->
              sentences(
                  "%s did not run within %s%s"
                      .formatted(
                          subject(choice),
                          duration(number(choice, InputName.LONGEST_WAIT)),
                          because(choice, InputName.MESSAGE)),
                  choice.plan() instanceof Plan.EndJob
                      ? noRestartLeft(choice) + ". The job fails"
                      : plan(choice.plan(), choice));
          case SUCCESSOR_RUNS ->
              "%s runs, so %s ends.".formatted(word(choice, InputName.SUCCESSOR), subject(choice));
          case ENDED_BEFORE_SUCCESSOR_RAN ->
              sentences(ended(choice), word(choice, InputName.SUCCESSOR) + " replaces it");
          case SUCCEEDED_BEFORE_SUCCESSOR_RAN ->
              "%s succeeded, so %s is not needed and ends."
                  .formatted(word(choice, InputName.REPLACES), subject(choice));
          case SUCCESSOR_ENDED ->
              sentences(ended(choice), word(choice, InputName.REPLACES) + " stays");
          case WORLD_FORMED -> formed(choice);
          case LEFT_OUT ->
              sentences(
                  "%s did not leave the old group within %s"
                      .formatted(leftOut(choice), duration(number(choice, InputName.LONGEST_WAIT))),
                  "The next group forms without them");
          case TOO_FEW ->
              "%s waited for %s; a group needs %s. Training stops."
                  .formatted(
                      waiting(choice).isEmpty() ? "No worker" : waiting(choice),
                      duration(number(choice, InputName.LONGEST_WAIT)),
                      word(choice, InputName.LEAST_MEMBERS));
          case PROGRESS_NOT_RECORDED ->
              "Error: progress is not being recorded, in %s. Training stops."
                  .formatted(
                      count(
                          number(choice, InputName.WORLDS_IN_A_ROW),
                          "group",
                          "groups one after the other"));
          case TRAINING_COMPLETE ->
              "%s has finished the training.".formatted(word(choice, InputName.WORKER));
          case WORKER_FAILED ->
              sentences(ended(choice), plan(choice.plan(), choice) + "; each has one retry less");
          case WORKER_GONE -> sentences(ended(choice), plan(choice.plan(), choice));
          case LATE_SHARDS ->
              sentences(
                  "%s has held %s for longer than %s"
                      .formatted(
                          word(choice, InputName.WORKER),
                          count(number(choice, InputName.SHARDS), "shard", "shards"),
                          duration(number(choice, InputName.LONGEST_WAIT))),
                  plan(choice.plan(), choice));
          case RETRIES_USED_UP ->
              sentences(
                  "Shard %s of dataset '%s' has no retries left, last on %s%s"
                      .formatted(
                          word(choice, InputName.SHARD),
                          choice.subject().name(),
                          word(choice, InputName.WORKER),
                          because(choice, InputName.CAUSE)),
                  plan(choice.plan(), choice));
          case CHECKPOINT_RESTORED -> restored(choice);
          case PODS_CREATED, MASTER_CREATED -> sentence(choice);
          case PODS_LEAVING -> pods(choice, "the plan ends them");
          case PODS_REMOVED -> pods(choice, "the plan no longer has them");
          case PODS_FORGOTTEN, MASTER_FORGOTTEN -> pods(choice, "they ended long ago");
          case PODS_SUSPENDED -> pods(choice, "the job is suspended");
          case PODS_CLEANED -> pods(choice, "the job has ended");
          case PODS_DELETED -> pods(choice, "the job is deleted");
          case MASTER_SUPERSEDED -> pods(choice, "a newer master runs");
          case SECRET_REPLACED ->
              pods(
                  choice,
                  "the job's Secret was deleted and created again, and they have the old one");
          case FIRST_SIZES ->
              sentences(
                  "Nothing is measured yet; the sizes follow from the job's limits",
                  plan(choice.plan(), choice));
          case INITIAL_WORKERS ->
              sentences("The first measurements are there", plan(choice.plan(), choice));
          case INITIAL_SERVERS ->
              sentences(
                  "The load of the parameter servers is measured", plan(choice.plan(), choice));
          case HOT_SERVERS ->
              sentences(
                  "Parameter servers use nearly all of their CPU", plan(choice.plan(), choice));
          case WORKERS_BY_SERVER_LOAD ->
              sentences(
                  "The number of workers follows from the load of the parameter servers",
                  plan(choice.plan(), choice));
          case GROW_INTO_FREE_ROOM -> sentences("There is free room", plan(choice.plan(), choice));
          case SHRINK_TO_EFFICIENT_SIZE ->
              sentences(
                  "The last workers speed up the training too little", plan(choice.plan(), choice));
          case SLOWER_THAN_BEFORE ->
              sentences(
                  "Training is slower than before the last change, which is taken back",
                  plan(choice.plan(), choice));
          case GIVEN_AS_LEAST_FULFILLED ->
              sentences(
                  "The cluster has room, and this job has the smallest share of what it may have",
                  plan(choice.plan(), choice));
          case TAKEN_AS_MOST_FULFILLED ->
              sentences(
                  "Another job is below its minimum, and this job has the largest share of what it may have",
                  plan(choice.plan(), choice));
          case RAISED_TO_MINIMUM ->
              sentences("The job is below its minimum", plan(choice.plan(), choice));
          case LOWERED_TO_MAXIMUM ->
              sentences("The job is above its maximum", plan(choice.plan(), choice));
          case LOWERED_TO_MINIMUM ->
              sentences(
                  "The cluster is full, so the job goes down to its minimum",
                  plan(choice.plan(), choice));
          case SIZE_KEPT -> sentences("The size of the job is kept", plan(choice.plan(), choice));
          case WAITS_FOR_ROOM ->
              sentences(
                  "The cluster has no room for the job's minimum, so the job waits",
                  plan(choice.plan(), choice));
          case STARTS_WITHOUT_ROOM ->
              sentences(
                  "The cluster has no room for the job's minimum; the job starts, because its pods may still fit",
                  plan(choice.plan(), choice));
          case FITS_NO_NODE ->
              sentences(
                  "One of the job's nodes is larger than every node of the cluster",
                  plan(choice.plan(), choice));
          case INVALID_JOB ->
              sentences("The sizes of the job are invalid", plan(choice.plan(), choice));
          case NEARLY_OUT_OF_MEMORY ->
              sentences(
                  subject(choice) + " uses nearly all of its memory", plan(choice.plan(), choice));
        };
    return choice.prediction() == null
        ? text
        : text
            + " Expected speed: %s records/s."
                .formatted(Phrases.number(choice.prediction().recordsPerSecond()));
  }

  /// The inputs by their words, as text: for tables and for machines that read them.
  public Map<String, String> inputs(Choice choice) {
    Map<String, String> inputs = new LinkedHashMap<>();
    for (Input input : choice.inputs()) {
      inputs.merge(input.name().word(), text(input.value()), (a, b) -> a + ", " + b);
    }
    return inputs;
  }

  // The job.

  private String planChanged(Choice choice) {
    String counts = roleChanges(choice);
    return counts.isEmpty()
        ? "The job's plan changed: %s.".formatted(word(choice, InputName.PLAN_FIELDS_CHANGED))
        : counts + ".";
  }

  /// `Workers changed from 2 to 3` for each role whose count is another.
  private static String roleChanges(Choice choice) {
    List<String> changes = new ArrayList<>();
    String role = "";
    long before = 0;
    for (Input input : choice.inputs()) {
      if (input.name() == InputName.ROLE) {
        role = text(input.value());
      } else if (input.value() instanceof Value.Count(long number)) {
        if (input.name() == InputName.REQUESTED_BEFORE) {
          before = number;
        } else if (input.name() == InputName.REQUESTED && number != before) {
          changes.add(changed(role, before, number));
        }
      }
    }
    return String.join(". ", changes);
  }

  private static String changed(String role, long before, long count) {
    return "%s changed from %,d to %,d".formatted(capital(Phrases.plural(role)), before, count);
  }

  private String scaled(Choice choice) {
    long requested = number(choice, InputName.REQUESTED);
    String limits =
        choice.alternatives().list().isEmpty()
            ? ""
            : "%,d were requested; the job may have %s to %s"
                .formatted(requested, word(choice, InputName.LEAST), word(choice, InputName.MOST));
    return sentences(
        capital(plan(choice.plan(), choice)),
        limits,
        by(choice).isEmpty() ? "" : "Requested by " + by(choice));
  }

  private static String by(Choice choice) {
    return choice.input(InputName.REQUESTED_BY) instanceof Value.Text(String who) ? who : "";
  }

  private static String objections(Choice choice) {
    return choice.alternatives().list().stream()
        .map(Rejection::why)
        .map(Phrases::objection)
        .filter(why -> !why.isEmpty())
        .collect(Collectors.joining("; "));
  }

  // Nodes.

  /// `worker-6 failed: DatasetExists: …`.
  private String ended(Choice choice) {
    ExitReason reason =
        ExitReason.valueOf(
            word(choice, InputName.EXIT_REASON).toUpperCase(Locale.ROOT).replace('-', '_'));
    String memory =
        choice.input(InputName.MEMORY) instanceof Value.Mib(long mib)
            ? " with " + Phrases.mib(mib)
            : "";
    return switch (reason) {
      case SUCCEEDED -> subject(choice) + " ended";
      case KILLED -> subject(choice) + " was killed" + because(choice, InputName.MESSAGE);
      case OOM -> subject(choice) + " ran out of memory" + memory;
      case FATAL_ERROR -> subject(choice) + " failed" + because(choice, InputName.MESSAGE);
      case HARDWARE_ERROR ->
          "The machine of " + subject(choice) + " failed" + because(choice, InputName.MESSAGE);
      case NO_HEARTBEAT -> subject(choice) + " sent no heartbeat and counts as lost";
      case UNKNOWN -> subject(choice) + " ended with an error" + because(choice, InputName.MESSAGE);
    };
  }

  private static String noRestartLeft(Choice choice) {
    long allowed = number(choice, InputName.RESTARTS_ALLOWED);
    return allowed == 0
        ? "No restart is allowed"
        : allowed == 1 ? "Its restart is used" : "All %,d restarts are used".formatted(allowed);
  }

  // Groups.

  private String formed(Choice choice) {
    if (!(choice.plan() instanceof Plan.FormWorld(long _, List<WorkerId> first, int size))) {
      return sentence(choice);
    }
    List<String> members = new ArrayList<>();
    first.forEach(
        member -> members.add(members.isEmpty() ? member + " (rank 0)" : member.toString()));
    return sentences(
        "%s training: %s".formatted(count(size, "worker is", "workers are"), list(members, size)),
        waiting(choice).isEmpty() ? "" : waiting(choice) + " waits");
  }

  private static String waiting(Choice choice) {
    return choice.input(InputName.MEMBERS_WAITING)
                instanceof Value.Names(List<String> first, int count)
            && count > 0
        ? list(first, count)
        : "";
  }

  private static String leftOut(Choice choice) {
    return choice.plan() instanceof Plan.LeaveOut(List<WorkerId> first, int count)
        ? list(first, count)
        : choice.subject().name();
  }

  // Pods.

  private String pods(Choice choice, String why) {
    return sentences(sentence(choice), "Reason: " + why);
  }

  // Data.

  private static String restored(Choice choice) {
    long checkpoint = number(choice, InputName.CHECKPOINT);
    if (checkpoint == 0) {
      return "Warning: restarted from step 0; no usable checkpoint found.";
    }
    return choice.input(InputName.TAKEN_BY) instanceof Value.Name(String job)
        ? "Training continues from checkpoint %,d of another job (%s).".formatted(checkpoint, job)
        : "Training continues from checkpoint %,d.".formatted(checkpoint);
  }

  // Plans.

  private String sentence(Choice choice) {
    return capital(plan(choice.plan(), choice)) + ".";
  }

  /// What is done, as a clause. A node that is the choice's subject is `it`.
  private String plan(Plan plan, Choice choice) {
    return switch (plan) {
      case Plan.AddNodes(NodeId first, int count, var resources) ->
          count == 1
              ? "%s is to start%s".formatted(name(first), size(" with ", resources))
              : "%,d %s are to start: %s to %s"
                  .formatted(
                      count,
                      Phrases.plural(first.role()),
                      name(first),
                      name(new NodeId(first.role(), first.number() + count - 1)));
      case Plan.ReplaceNode replace -> replaced(replace, choice);
      case Plan.StartReplacement(NodeId node, NodeId by, var _) ->
          "%s replaces %s".formatted(name(by), name(node));
      case Plan.ReleaseNodes(List<NodeId> first, int count) ->
          "%s to end: %s"
              .formatted(
                  count(count, "node is", "nodes are"),
                  list(first.stream().map(this::name).toList(), count));
      case Plan.KeepNode(NodeId node) -> name(node) + " stays";
      case Plan.ResizeRole(String role, var resources) ->
          "new %s get %s".formatted(Phrases.plural(role), size("", resources));
      case Plan.ResizeNodes(List<Plan.Resize> first, int count) ->
          "%s resized: %s"
              .formatted(
                  count(count, "node is", "nodes are"),
                  list(
                      first.stream()
                          .map(resize -> name(resize.node()) + size(" to ", resize.resources()))
                          .toList(),
                      count));
      case Plan.SetCount(String role, int before, int count) ->
          before == count
              ? "%s stay at %,d".formatted(Phrases.plural(role), count)
              : Phrases.plural(role) + " changed from %,d to %,d".formatted(before, count);
      case Plan.KeepWaiting _ -> "Pliant keeps waiting";
      case Plan.Several(List<Plan> parts) ->
          parts.stream().map(part -> plan(part, choice)).collect(Collectors.joining("; "));
      case Plan.ChangeNothing _ -> "no change needed";
      case Plan.EnterPhase(var phase) -> "The job " + Phrases.phase(phase);
      case Plan.EndJob(var target) -> "The job ends; then it " + Phrases.phase(target);
      case Plan.Suspend _ -> "all nodes end until the job resumes";
      case Plan.Resume _ -> "new nodes start";
      case Plan.ChangeJob _ -> "the new plan applies";
      case Plan.BeginAnew _ -> "the job begins again";
      case Plan.FormWorld(long _, List<WorkerId> first, int count) ->
          "%s training: %s".formatted(count(count, "worker is", "workers are"), list(first, count));
      case Plan.LeaveOut(List<WorkerId> first, int count) ->
          "the next group forms without " + list(first, count);
      case Plan.CloseRendezvous _ -> "no further group forms";
      case Plan.RequeueShards(long count) ->
          count(count, "shard goes", "shards go") + " back to be leased again";
      case Plan.FailDataset _ -> "The dataset fails";
      case Plan.RestoreLedgers(long checkpoint, long _) ->
          "training continues from checkpoint %,d".formatted(checkpoint);
      case Plan.CreatePods(List<String> first, int count) ->
          "%s created: %s".formatted(count(count, "pod is", "pods are"), list(first, count));
      case Plan.DeletePods(List<String> first, int count) ->
          "%s deleted: %s".formatted(count(count, "pod is", "pods are"), list(first, count));
      case Plan.ReplacePod(String pod, String by) ->
          "%s replaces %s, which %s"
              .formatted(
                  by,
                  pod,
                  switch (word(choice, InputName.TRIGGER)) {
                    case "deleted" -> "was deleted";
                    case "unfinished" -> "ended before the job did";
                    default -> "failed";
                  });
    };
  }

  private String replaced(Plan.ReplaceNode replace, Choice choice) {
    boolean isSubject = new Subject.OfNode(replace.node()).equals(choice.subject());
    String with =
        switch (choice.rule()) {
          case OUT_OF_MEMORY -> " with " + Phrases.mib(replace.resources().memoryMib());
          case REQUEST_ACCEPTED, PENDING_TOO_LONG -> size(" with ", replace.resources());
          default -> "";
        };
    String when = replace.delayMillis() == 0 ? "" : " in " + duration(replace.delayMillis());
    String what =
        replace.by() == null
            ? "%s is replaced%s%s".formatted(isSubject ? "It" : name(replace.node()), with, when)
            : "%s replaces %s%s%s"
                .formatted(name(replace.by()), isSubject ? "it" : name(replace.node()), with, when);
    if (!isSubject) {
      return what;
    }
    return replace.restart() == 0
        ? what + ". No restart used"
        : what + ". Restart %,d of %,d".formatted(replace.restart(), replace.restarts());
  }

  // Words.

  private String name(NodeId node) {
    return names.apply(node);
  }

  private String subject(Choice choice) {
    return choice.subject() instanceof Subject.OfNode(NodeId node)
        ? name(node)
        : choice.subject().name();
  }

  private String word(Choice choice, InputName name) {
    Value value = choice.input(name);
    return value == null ? "?" : text(value);
  }

  private static long number(Choice choice, InputName name) {
    return switch (choice.input(name)) {
      case Value.Count(long count) -> count;
      case Value.Duration(long millis) -> millis;
      case Value.Time(long millis) -> millis;
      case Value.Mib(long mib) -> mib;
      case null, default -> 0;
    };
  }

  /// `: the first line`, or nothing.
  private static String because(Choice choice, InputName name) {
    @Nullable String text =
        choice.input(name) instanceof Value.Text(String said) ? Phrases.line(said) : null;
    return text == null || text.isEmpty() ? "" : ": " + text;
  }

  private static String text(Value value) {
    return switch (value) {
      case Value.Count(long count) -> Long.toString(count);
      case Value.Amount(double amount) -> Phrases.number(amount);
      case Value.Duration(long millis) -> Long.toString(millis);
      case Value.Time(long millis) -> Long.toString(millis);
      case Value.Mib(long mib) -> Long.toString(mib);
      case Value.Name(String name) -> name;
      case Value.Names(List<String> first, int count) -> list(first, count);
      case Value.Resources(var resources) -> size("", resources);
      case Value.Flag(boolean flag) -> Boolean.toString(flag);
      case Value.Text(String text) -> text;
    };
  }

  private static String capital(String clause) {
    // A node's name keeps its spelling.
    return clause.isEmpty() || clause.substring(0, clause.indexOf(' ') + 1).contains("-")
        ? clause
        : Character.toUpperCase(clause.charAt(0)) + clause.substring(1);
  }
}
