package dev.pliant.master.journal;

import dev.pliant.machine.Command;
import dev.pliant.machine.Silence;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.machine.rendezvous.MemberId;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.machine.rendezvous.Standing;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.journal.v1.CheckSilence;
import dev.pliant.protocol.journal.v1.CommitStep;
import dev.pliant.protocol.journal.v1.CreateDataset;
import dev.pliant.protocol.journal.v1.DecidedCommand;
import dev.pliant.protocol.journal.v1.DefineJob;
import dev.pliant.protocol.journal.v1.EndWorker;
import dev.pliant.protocol.journal.v1.GrowStream;
import dev.pliant.protocol.journal.v1.Leave;
import dev.pliant.protocol.journal.v1.ListNodes;
import dev.pliant.protocol.journal.v1.MemberReport;
import dev.pliant.protocol.journal.v1.MemberReports;
import dev.pliant.protocol.journal.v1.ReserveNumbers;
import dev.pliant.protocol.journal.v1.RestoreGiven;
import dev.pliant.protocol.journal.v1.RestoreKept;
import dev.pliant.protocol.journal.v1.ScaleJob;
import dev.pliant.protocol.journal.v1.StartMaster;
import dev.pliant.protocol.journal.v1.StopJob;
import dev.pliant.protocol.journal.v1.SuspendOrResume;
import dev.pliant.protocol.journal.v1.TakeCheckpoint;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Commands as the journal holds them, and back.
public final class CommandCodec {
  private CommandCodec() {}

  /// Whether the journal holds only the events of a command. What a lease or a report of shards
  /// comes to is chosen by whoever asks, and there are too many of them.
  static boolean eventsAreEnough(Command command) {
    return command instanceof Command.Lease
        || command instanceof Command.Report
        || command instanceof Command.Open;
  }

  static DecidedCommand.Builder encode(Command command) {
    DecidedCommand.Builder encoded = DecidedCommand.newBuilder();
    return switch (command) {
      case Command.StartMaster(long epoch) ->
          encoded.setStartMaster(StartMaster.newBuilder().setEpoch(epoch));
      case Command.CreateDataset(DatasetSpec spec) ->
          encoded.setCreateDataset(CreateDataset.newBuilder().setSpec(DatasetCodec.encode(spec)));
      case Command.GrowStream grow ->
          encoded.setGrowStream(
              GrowStream.newBuilder()
                  .setDataset(grow.dataset().value())
                  .addAllPartitions(DatasetCodec.encode(grow.partitions()))
                  .setClosed(grow.closed()));
      case Command.CommitStep commit -> encoded.setCommitStep(encode(commit));
      case Command.TakeCheckpoint _ ->
          encoded.setTakeCheckpoint(TakeCheckpoint.getDefaultInstance());
      case Command.RestoreKept(long number, long requestId) ->
          encoded.setRestoreKept(
              RestoreKept.newBuilder().setNumber(number).setRequestId(requestId));
      case Command.RestoreGiven given ->
          encoded.setRestoreGiven(
              RestoreGiven.newBuilder()
                  .setNumber(given.number())
                  .setLedgers(CheckpointCodec.small(given.ledgers()))
                  .setRequestId(given.requestId())
                  .setUid(given.uid())
                  .setTakeOver(given.takeOver()));
      case Command.EndWorker(WorkerId worker, ExitReason reason, String message) ->
          encoded.setEndWorker(
              EndWorker.newBuilder()
                  .setWorker(worker.value())
                  .setReason(ProtoEnums.EXIT_REASON.encode(reason))
                  .setMessage(message));
      case Command.CheckWorker(WorkerId worker, Silence silence, Silence.Limits limits) ->
          encoded.setCheckWorker(encode(worker.value(), silence, limits));
      case Command.SetRules(RendezvousRules rules) ->
          encoded.setSetRules(RendezvousCodec.encode(rules));
      case Command.OpenMeeting(NodeId node, List<Standing> members) ->
          encoded.setOpenMeeting(encode(node, members));
      case Command.Arrive(NodeId node, List<Standing> members) ->
          encoded.setArrive(encode(node, members));
      case Command.Leave(MemberId member, ExitReason reason, String message) ->
          encoded.setLeave(
              Leave.newBuilder()
                  .setMember(RendezvousCodec.encode(member))
                  .setReason(ProtoEnums.EXIT_REASON.encode(reason))
                  .setMessage(message));
      case Command.Drain(MemberId member) -> encoded.setDrain(RendezvousCodec.encode(member));
      case Command.DefineJob(JobPlan plan) ->
          encoded.setDefineJob(DefineJob.newBuilder().setPlan(NodesCodec.encode(plan)));
      case Command.ScaleJob(int workers, String who) ->
          encoded.setScaleJob(ScaleJob.newBuilder().setWorkers(workers).setWho(who));
      case Command.TakeWish(Wish wish) -> encoded.setTakeRequest(ScaleRequestCodec.encode(wish));
      case Command.RecallWish(Wish wish) ->
          encoded.setRecallRequest(ScaleRequestCodec.encode(wish));
      case Command.RestJob(Rest rest) ->
          encoded.setRestJob(
              SuspendOrResume.newBuilder()
                  .setSuspend(rest.now())
                  .setSuspendedUntilMs(rest.untilMillis()));
      case Command.ReserveNumbers(SortedMap<String, Integer> next) ->
          encoded.setReserveNumbers(ReserveNumbers.newBuilder().putAllNext(next));
      case Command.StopJob(String who) -> encoded.setStopJob(StopJob.newBuilder().setWho(who));
      case Command.ObserveNode(NodeNews news) ->
          encoded.setObserveNode(NodeObservationCodec.encode(news));
      case Command.ListNodes(List<NodeNews> nodes) ->
          encoded.setListNodes(
              ListNodes.newBuilder()
                  .addAllNodes(nodes.stream().map(NodeObservationCodec::encode).toList()));
      case Command.CheckNode(NodeId node, Silence silence, Silence.Limits limits) ->
          encoded.setCheckNode(encode(node.toString(), silence, limits));
      case Command.Lease _,
          Command.Report _,
          Command.Open _,
          Command.GetDataset _,
          Command.GetJob _,
          Command.CheckDeadlines _ ->
          throw new IllegalArgumentException("the journal holds no such command: " + command);
    };
  }

  /// @param encoded an entry that holds its command
  public static Command decode(DecidedCommand encoded) {
    return switch (encoded.getCommandCase()) {
      case START_MASTER -> new Command.StartMaster(encoded.getStartMaster().getEpoch());
      case CREATE_DATASET ->
          new Command.CreateDataset(DatasetCodec.decode(encoded.getCreateDataset().getSpec()));
      case GROW_STREAM -> {
        GrowStream grow = encoded.getGrowStream();
        yield new Command.GrowStream(
            new DatasetName(grow.getDataset()),
            DatasetCodec.decode(grow.getPartitionsList()),
            grow.getClosed());
      }
      case COMMIT_STEP -> decode(encoded.getCommitStep());
      case TAKE_CHECKPOINT -> new Command.TakeCheckpoint();
      case RESTORE_KEPT ->
          new Command.RestoreKept(
              encoded.getRestoreKept().getNumber(), encoded.getRestoreKept().getRequestId());
      case RESTORE_GIVEN -> {
        RestoreGiven given = encoded.getRestoreGiven();
        yield new Command.RestoreGiven(
            given.getNumber(),
            CheckpointCodec.whole(given.getLedgers()),
            given.getRequestId(),
            given.getUid(),
            given.getTakeOver());
      }
      case END_WORKER ->
          new Command.EndWorker(
              new WorkerId(encoded.getEndWorker().getWorker()),
              ProtoEnums.EXIT_REASON.decode(encoded.getEndWorker().getReason()),
              encoded.getEndWorker().getMessage());
      case CHECK_WORKER ->
          new Command.CheckWorker(
              new WorkerId(encoded.getCheckWorker().getName()),
              silence(encoded.getCheckWorker()),
              limits(encoded.getCheckWorker()));
      case SET_RULES -> new Command.SetRules(RendezvousCodec.decode(encoded.getSetRules()));
      case OPEN_MEETING ->
          new Command.OpenMeeting(
              NodeId.parse(encoded.getOpenMeeting().getNode()), members(encoded.getOpenMeeting()));
      case ARRIVE ->
          new Command.Arrive(
              NodeId.parse(encoded.getArrive().getNode()), members(encoded.getArrive()));
      case LEAVE ->
          new Command.Leave(
              RendezvousCodec.decode(encoded.getLeave().getMember()),
              ProtoEnums.EXIT_REASON.decode(encoded.getLeave().getReason()),
              encoded.getLeave().getMessage());
      case DRAIN -> new Command.Drain(RendezvousCodec.decode(encoded.getDrain()));
      case DEFINE_JOB -> new Command.DefineJob(NodesCodec.decode(encoded.getDefineJob().getPlan()));
      case SCALE_JOB ->
          new Command.ScaleJob(encoded.getScaleJob().getWorkers(), encoded.getScaleJob().getWho());
      case TAKE_REQUEST -> new Command.TakeWish(ScaleRequestCodec.decode(encoded.getTakeRequest()));
      case RECALL_REQUEST ->
          new Command.RecallWish(ScaleRequestCodec.decode(encoded.getRecallRequest()));
      case REST_JOB ->
          new Command.RestJob(
              new Rest(
                  encoded.getRestJob().getSuspend(), encoded.getRestJob().getSuspendedUntilMs()));
      case RESERVE_NUMBERS ->
          new Command.ReserveNumbers(new TreeMap<>(encoded.getReserveNumbers().getNextMap()));
      case STOP_JOB -> new Command.StopJob(encoded.getStopJob().getWho());
      case OBSERVE_NODE ->
          new Command.ObserveNode(NodeObservationCodec.decode(encoded.getObserveNode()));
      case LIST_NODES ->
          new Command.ListNodes(
              encoded.getListNodes().getNodesList().stream()
                  .map(NodeObservationCodec::decode)
                  .toList());
      case CHECK_NODE ->
          new Command.CheckNode(
              NodeId.parse(encoded.getCheckNode().getName()),
              silence(encoded.getCheckNode()),
              limits(encoded.getCheckNode()));
      case COMMAND_NOT_SET -> throw JournalVersion.unknown("a command of a kind");
    };
  }

  private static CommitStep encode(Command.CommitStep commit) {
    return CommitStep.newBuilder()
        .setDataset(commit.dataset().value())
        .setEpoch(commit.epoch())
        .setStep(commit.step())
        .setWorld(commit.world())
        .setThrough(commit.through())
        .putAllMetrics(commit.metrics())
        .build();
  }

  private static Command decode(CommitStep encoded) {
    return new Command.CommitStep(
        new DatasetName(encoded.getDataset()),
        encoded.getEpoch(),
        encoded.getStep(),
        encoded.getWorld(),
        encoded.getThrough(),
        new TreeMap<>(encoded.getMetricsMap()));
  }

  private static CheckSilence encode(String name, Silence silence, Silence.Limits limits) {
    return CheckSilence.newBuilder()
        .setName(name)
        .setSilentMs(silence.millis())
        .setHeardBefore(silence.heardBefore())
        .setLimitMs(limits.millis())
        .setFirstLimitMs(limits.firstMillis())
        .build();
  }

  private static Silence silence(CheckSilence encoded) {
    return new Silence(encoded.getSilentMs(), encoded.getHeardBefore());
  }

  private static Silence.Limits limits(CheckSilence encoded) {
    return new Silence.Limits(encoded.getLimitMs(), encoded.getFirstLimitMs());
  }

  private static MemberReports encode(NodeId node, List<Standing> members) {
    MemberReports.Builder encoded = MemberReports.newBuilder().setNode(node.toString());
    for (Standing member : members) {
      encoded.addMembers(
          MemberReport.newBuilder()
              .setMember(RendezvousCodec.encode(member.id()))
              .setWorld(member.world())
              .setAfter(member.after())
              .setHoldsState(member.holdsState())
              .setAddress(member.address()));
    }
    return encoded.build();
  }

  private static List<Standing> members(MemberReports encoded) {
    return encoded.getMembersList().stream()
        .map(member ->
            new Standing(
                RendezvousCodec.decode(member.getMember()),
                member.getWorld(),
                member.getAfter(),
                member.getHoldsState(),
                member.getAddress()))
        .toList();
  }
}
