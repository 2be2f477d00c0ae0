package dev.pliant.machine;

import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.machine.rendezvous.MemberId;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.machine.rendezvous.Standing;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// What can be asked of a job's machine, by calls, timers and the master itself.
public sealed interface Command {
  /// A master of this epoch takes over.
  record StartMaster(long epoch) implements Command {}

  record CreateDataset(DatasetSpec spec) implements Command {}

  record GetDataset(DatasetName dataset) implements Command {}

  record GetJob() implements Command {}

  /// A worker begins, or begins again, with these leases in hand.
  record Open(WorkerId worker, DatasetName dataset, List<Held> held) implements Command {
    public Open {
      held = List.copyOf(held);
    }
  }

  /// A worker says what became of shards.
  record Report(WorkerId worker, DatasetName dataset, List<ShardReport> reports)
      implements Command {}

  /// A worker wants up to `want` shards.
  ///
  /// @param requestId where not 0: a repetition gets the same shards again
  record Lease(WorkerId worker, DatasetName dataset, int want, long requestId) implements Command {}

  /// A lease that a worker has in hand.
  record Held(long number, long lease) {}

  record GrowStream(DatasetName dataset, List<Partition> partitions, boolean closed)
      implements Command {
    public GrowStream {
      partitions = List.copyOf(partitions);
    }
  }

  /// Commits a step.
  ///
  /// @param through whether those before it that are not committed yet are committed with it
  /// @param metrics what the training says of itself at this step
  record CommitStep(
      DatasetName dataset,
      long epoch,
      long step,
      long world,
      boolean through,
      SortedMap<String, Double> metrics)
      implements Command {
    public CommitStep {
      metrics = TrainingStatus.checked(metrics);
    }

    /// Just this step, of which nothing is said.
    public CommitStep(DatasetName dataset, long epoch, long step, long world) {
      this(dataset, epoch, step, world, false, Collections.emptySortedMap());
    }
  }

  record TakeCheckpoint() implements Command {}

  /// Restores a checkpoint that the machine keeps; 0 is the beginning, before the first.
  ///
  /// @param requestId the newest one repeated is answered again and changes nothing; 0 for none
  record RestoreKept(long number, long requestId) implements Command {}

  /// Restores a checkpoint that was kept elsewhere.
  ///
  /// @param uid of the job that took it; empty where that had none
  /// @param takeOver whether it may be of another job
  record RestoreGiven(
      long number, List<LedgerImage> ledgers, long requestId, String uid, boolean takeOver)
      implements Command {
    public RestoreGiven {
      ledgers = List.copyOf(ledgers);
    }
  }

  record EndWorker(WorkerId worker, ExitReason reason, String message) implements Command {}

  /// By which groups are formed from now on.
  record SetRules(RendezvousRules rules) implements Command {}

  /// An agent opens a stream and says what each of its members does.
  record OpenMeeting(NodeId node, List<Standing> members) implements Command {
    public OpenMeeting {
      members = List.copyOf(members);
    }
  }

  /// Members of a node wait for the next world.
  record Arrive(NodeId node, List<Standing> members) implements Command {
    public Arrive {
      members = List.copyOf(members);
    }
  }

  /// A member's process is gone.
  record Leave(MemberId member, ExitReason reason, String message) implements Command {}

  /// A member is to go.
  record Drain(MemberId member) implements Command {}

  /// The master was started with this plan: it starts the job's nodes.
  record DefineJob(JobPlan plan) implements Command {}

  /// Somebody wishes another number of workers.
  record ScaleJob(int workers, String who) implements Command {}

  /// Somebody wishes something of the job's nodes.
  record TakeWish(Wish wish) implements Command {}

  /// A wish that was done once, as its answer says: noted, where the journal that knew of it is
  /// lost.
  record RecallWish(Wish wish) implements Command {}

  /// The job is to rest, or to go on.
  record RestJob(Rest rest) implements Command {}

  /// Numbers that nodes had under a master whose journal is lost.
  ///
  /// @param next by role, the first number that was not given
  record ReserveNumbers(SortedMap<String, Integer> next) implements Command {
    public ReserveNumbers {
      next = Collections.unmodifiableSortedMap(new TreeMap<>(next));
    }
  }

  /// Somebody ends the job.
  record StopJob(String who) implements Command {}

  /// A platform has seen something of a node.
  record ObserveNode(NodeNews news) implements Command {}

  /// A platform has listed all the nodes that it has.
  record ListNodes(List<NodeNews> nodes) implements Command {
    public ListNodes {
      nodes = List.copyOf(nodes);
    }
  }

  /// Nothing was heard from a worker for some time: is it lost?
  record CheckWorker(WorkerId worker, Silence silence, Silence.Limits limits) implements Command {}

  /// Nothing was heard from the agent of a node for some time: is the node lost?
  record CheckNode(NodeId node, Silence silence, Silence.Limits limits) implements Command {}

  /// Says nothing but that time has passed: what is due follows from the state and the time.
  record CheckDeadlines() implements Command {}
}
