package dev.pliant.master.journal;

import dev.pliant.machine.nodes.Node;
import dev.pliant.machine.nodes.NodeEvent;
import dev.pliant.machine.nodes.NodesImage;
import dev.pliant.machine.nodes.RoleCount;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.model.Elasticity;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.JobPlan.Checkpointing;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import dev.pliant.protocol.journal.v1.Event;
import dev.pliant.protocol.journal.v1.JobDefined;
import dev.pliant.protocol.journal.v1.JobPhaseChanged;
import dev.pliant.protocol.journal.v1.JobRested;
import dev.pliant.protocol.journal.v1.JobResumed;
import dev.pliant.protocol.journal.v1.JobScaled;
import dev.pliant.protocol.journal.v1.NodeAdded;
import dev.pliant.protocol.journal.v1.NodeEnded;
import dev.pliant.protocol.journal.v1.NodeMoved;
import dev.pliant.protocol.journal.v1.NodeSnapshot;
import dev.pliant.protocol.journal.v1.NodesReleased;
import dev.pliant.protocol.journal.v1.NodesSnapshot;
import dev.pliant.protocol.journal.v1.NumbersReserved;
import dev.pliant.protocol.journal.v1.PendingNoted;
import dev.pliant.protocol.journal.v1.Relaunch;
import dev.pliant.protocol.journal.v1.RelaunchPlanned;
import dev.pliant.protocol.journal.v1.Resources;
import dev.pliant.protocol.journal.v1.RestMissed;
import dev.pliant.protocol.journal.v1.RolePlan;
import dev.pliant.protocol.journal.v1.RoleResized;
import dev.pliant.protocol.journal.v1.RoleSnapshot;
import dev.pliant.protocol.journal.v1.WishTaken;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What happened to nodes, and all that is known of them, as the journal holds it, and back.
final class NodesCodec {
  private NodesCodec() {}

  static void encode(NodeEvent event, Event.Builder encoded) {
    switch (event) {
      case NodeEvent.JobDefined(JobPlan plan, boolean anew) ->
          encoded.setJobDefined(JobDefined.newBuilder().setPlan(encode(plan)).setAnew(anew));
      case NodeEvent.Scaled(String role, int wish) ->
          encoded.setJobScaled(
              JobScaled.newBuilder().setWish(wish).setRole(role.equals(NodeId.WORKER) ? "" : role));
      case NodeEvent.RoleResized(String role, NodeResources resources) ->
          encoded.setRoleResized(
              RoleResized.newBuilder().setRole(role).setResources(encode(resources)));
      case NodeEvent.NumbersReserved(String role, int next) ->
          encoded.setNumbersReserved(NumbersReserved.newBuilder().setRole(role).setNext(next));
      case NodeEvent.WishTaken(Wish.Taken taken) -> encoded.setWishTaken(encode(taken));
      case NodeEvent.NodeAdded added -> encoded.setNodeAdded(encode(added));
      case NodeEvent.NodeMoved(NodeId node, NodePhase phase, String message, boolean lacksRoom) ->
          encoded.setNodeMoved(
              NodeMoved.newBuilder()
                  .setNode(node.toString())
                  .setPhase(ProtoEnums.NODE_PHASE.encode(phase))
                  .setMessage(message)
                  .setLacksRoom(lacksRoom));
      case NodeEvent.NodeEnded(NodeId node, NodePhase phase, var reason, String message) ->
          encoded.setNodeEnded(
              NodeEnded.newBuilder()
                  .setNode(node.toString())
                  .setPhase(ProtoEnums.NODE_PHASE.encode(phase))
                  .setReason(ProtoEnums.EXIT_REASON.encode(reason))
                  .setMessage(message));
      case NodeEvent.RelaunchPlanned(var relaunch, boolean outside) ->
          encoded.setRelaunchPlanned(
              RelaunchPlanned.newBuilder().setRelaunch(encode(relaunch)).setOutside(outside));
      case NodeEvent.NodesReleased(List<NodeId> nodes) ->
          encoded.setNodesReleased(
              NodesReleased.newBuilder()
                  .addAllNodes(nodes.stream().map(NodeId::toString).toList()));
      case NodeEvent.PendingNoted(NodeId node) ->
          encoded.setPendingNoted(PendingNoted.newBuilder().setNode(node.toString()));
      case NodeEvent.PhaseChanged(JobPhase phase, JobPhase target, String reason) ->
          encoded.setJobPhaseChanged(
              JobPhaseChanged.newBuilder()
                  .setPhase(ProtoEnums.JOB_PHASE.encode(phase))
                  .setTarget(ProtoEnums.JOB_PHASE.encode(target))
                  .setReason(reason));
      case NodeEvent.JobRested(String reason) ->
          encoded.setJobRested(JobRested.newBuilder().setReason(reason));
      case NodeEvent.JobResumed _ -> encoded.setJobResumed(JobResumed.getDefaultInstance());
      case NodeEvent.RestMissed(long until) ->
          encoded.setRestMissed(RestMissed.newBuilder().setUntilMs(until));
    }
  }

  /// @param encoded an event of a kind that is this class's
  static NodeEvent decode(Event encoded) {
    return switch (encoded.getKindCase()) {
      case JOB_DEFINED ->
          new NodeEvent.JobDefined(
              decode(encoded.getJobDefined().getPlan()), encoded.getJobDefined().getAnew());
      case JOB_SCALED -> {
        JobScaled e = encoded.getJobScaled();
        yield new NodeEvent.Scaled(
            e.getRole().isEmpty() ? NodeId.WORKER : e.getRole(), e.getWish());
      }
      case ROLE_RESIZED ->
          new NodeEvent.RoleResized(
              encoded.getRoleResized().getRole(), decode(encoded.getRoleResized().getResources()));
      case NUMBERS_RESERVED ->
          new NodeEvent.NumbersReserved(
              encoded.getNumbersReserved().getRole(), encoded.getNumbersReserved().getNext());
      case WISH_TAKEN -> new NodeEvent.WishTaken(decode(encoded.getWishTaken()));
      case NODE_ADDED -> decode(encoded.getNodeAdded());
      case NODE_MOVED -> {
        NodeMoved e = encoded.getNodeMoved();
        yield new NodeEvent.NodeMoved(
            NodeId.parse(e.getNode()),
            ProtoEnums.NODE_PHASE.decode(e.getPhase()),
            e.getMessage(),
            e.getLacksRoom());
      }
      case NODE_ENDED -> {
        NodeEnded e = encoded.getNodeEnded();
        yield new NodeEvent.NodeEnded(
            NodeId.parse(e.getNode()),
            ProtoEnums.NODE_PHASE.decode(e.getPhase()),
            ProtoEnums.EXIT_REASON.decode(e.getReason()),
            e.getMessage());
      }
      case RELAUNCH_PLANNED ->
          new NodeEvent.RelaunchPlanned(
              decode(encoded.getRelaunchPlanned().getRelaunch()),
              encoded.getRelaunchPlanned().getOutside());
      case NODES_RELEASED ->
          new NodeEvent.NodesReleased(
              encoded.getNodesReleased().getNodesList().stream().map(NodeId::parse).toList());
      case PENDING_NOTED ->
          new NodeEvent.PendingNoted(NodeId.parse(encoded.getPendingNoted().getNode()));
      case JOB_PHASE_CHANGED -> {
        JobPhaseChanged e = encoded.getJobPhaseChanged();
        yield new NodeEvent.PhaseChanged(
            ProtoEnums.JOB_PHASE.decode(e.getPhase()),
            ProtoEnums.JOB_PHASE.decode(e.getTarget()),
            e.getReason());
      }
      case JOB_RESTED -> new NodeEvent.JobRested(encoded.getJobRested().getReason());
      case JOB_RESUMED -> new NodeEvent.JobResumed();
      case REST_MISSED -> new NodeEvent.RestMissed(encoded.getRestMissed().getUntilMs());
      default -> throw new IllegalArgumentException("no event of a node: " + encoded.getKindCase());
    };
  }

  static NodesSnapshot encode(NodesImage image) {
    RoleCount worker = image.worker();
    NodesSnapshot.Builder encoded =
        NodesSnapshot.newBuilder()
            .setWish(worker.wish())
            .setPhase(ProtoEnums.JOB_PHASE.encode(image.phase()))
            .setTarget(ProtoEnums.JOB_PHASE.encode(image.target()))
            .setPhaseReason(image.phaseReason())
            .setFinishingMs(image.finishingMillis())
            .setMemoryMib(worker.memoryMib())
            .setNextNumber(worker.nextNumber())
            .addAllOutsideEnds(image.outsideEnds())
            .setReplacements(image.replacements())
            .setRestedUntilMs(image.restedUntilMillis())
            .setJournalLost(image.journalLost());
    if (worker.resources() != null) {
      encoded.setResources(encode(worker.resources()));
    }
    for (RoleCount role : image.roles()) {
      if (!role.role().equals(NodeId.WORKER)) {
        encoded.addRoles(encode(role));
      }
    }
    image.wishes().forEach(taken -> encoded.addWishes(encode(taken)));
    if (image.plan() != null) {
      encoded.setPlan(encode(image.plan()));
    }
    image.nodes().forEach(node -> encoded.addNodes(encode(node)));
    image.relaunches().forEach(relaunch -> encoded.addRelaunches(encode(relaunch)));
    return encoded.build();
  }

  static NodesImage decode(NodesSnapshot encoded) {
    return new NodesImage(
        encoded.hasPlan() ? decode(encoded.getPlan()) : null,
        roles(encoded),
        ProtoEnums.JOB_PHASE.decode(encoded.getPhase()),
        ProtoEnums.JOB_PHASE.decode(encoded.getTarget()),
        encoded.getPhaseReason(),
        encoded.getFinishingMs(),
        encoded.getNodesList().stream().map(NodesCodec::decode).toList(),
        encoded.getRelaunchesList().stream().map(NodesCodec::decode).toList(),
        encoded.getOutsideEndsList(),
        encoded.getWishesList().stream().map(NodesCodec::decode).toList(),
        encoded.getReplacements(),
        encoded.getRestedUntilMs(),
        encoded.getJournalLost());
  }

  /// By name, as a table has them.
  private static List<RoleCount> roles(NodesSnapshot encoded) {
    List<RoleCount> roles = new ArrayList<>();
    roles.add(
        new RoleCount(
            NodeId.WORKER,
            encoded.getWish(),
            encoded.getNextNumber(),
            encoded.getMemoryMib(),
            encoded.hasResources() ? decode(encoded.getResources()) : null));
    for (RoleSnapshot role : encoded.getRolesList()) {
      roles.add(
          new RoleCount(
              role.getRole(),
              role.getWish(),
              role.getNextNumber(),
              role.getMemoryMib(),
              role.hasResources() ? decode(role.getResources()) : null));
    }
    roles.sort(Comparator.comparing(RoleCount::role));
    return roles;
  }

  private static RoleSnapshot encode(RoleCount role) {
    RoleSnapshot.Builder encoded =
        RoleSnapshot.newBuilder()
            .setRole(role.role())
            .setWish(role.wish())
            .setNextNumber(role.nextNumber())
            .setMemoryMib(role.memoryMib());
    if (role.resources() != null) {
      encoded.setResources(encode(role.resources()));
    }
    return encoded.build();
  }

  private static WishTaken encode(Wish.Taken taken) {
    return WishTaken.newBuilder()
        .setSource(taken.source())
        .setGeneration(taken.generation())
        .setDone(taken.done())
        .setDoneBefore(taken.doneBefore())
        .setMessage(taken.message())
        .build();
  }

  private static Wish.Taken decode(WishTaken encoded) {
    return new Wish.Taken(
        encoded.getSource(),
        encoded.getGeneration(),
        encoded.getDone(),
        encoded.getDoneBefore(),
        encoded.getMessage());
  }

  private static NodeSnapshot encode(Node node) {
    return NodeSnapshot.newBuilder()
        .setAdded(
            encode(
                new NodeEvent.NodeAdded(
                    node.id(),
                    node.resources(),
                    node.replaces(),
                    node.restarts(),
                    node.streak(),
                    node.backoffMillis())))
        .setRank(node.rank())
        .setPhase(ProtoEnums.NODE_PHASE.encode(node.phase()))
        .setReleased(node.released())
        .setRelaunchable(node.relaunchable())
        .setWaitsOn(node.waitsOn())
        .setLacksRoom(node.lacksRoom())
        .setReason(ProtoEnums.EXIT_REASON.encode(node.reason()))
        .setMessage(node.message())
        .setCreatedMs(node.createdMillis())
        .setHeardMs(node.heardMillis())
        .setStartedMs(node.startedMillis())
        .setEndedMs(node.endedMillis())
        .build();
  }

  private static Node decode(NodeSnapshot encoded) {
    NodeEvent.NodeAdded added = decode(encoded.getAdded());
    return new Node(
        added.node(),
        encoded.getRank(),
        added.resources(),
        added.replaces(),
        added.restarts(),
        added.streak(),
        added.backoffMillis(),
        ProtoEnums.NODE_PHASE.decode(encoded.getPhase()),
        encoded.getReleased(),
        encoded.getRelaunchable(),
        encoded.getWaitsOn(),
        encoded.getLacksRoom(),
        ProtoEnums.EXIT_REASON.decode(encoded.getReason()),
        encoded.getMessage(),
        encoded.getCreatedMs(),
        encoded.getHeardMs(),
        encoded.getStartedMs(),
        encoded.getEndedMs());
  }

  private static NodeAdded encode(NodeEvent.NodeAdded added) {
    return NodeAdded.newBuilder()
        .setNode(added.node().toString())
        .setResources(encode(added.resources()))
        .setReplaces(added.replaces() == null ? "" : added.replaces().toString())
        .setRestarts(added.restarts())
        .setStreak(added.streak())
        .setBackoffMs(added.backoffMillis())
        .build();
  }

  private static NodeEvent.NodeAdded decode(NodeAdded encoded) {
    return new NodeEvent.NodeAdded(
        NodeId.parse(encoded.getNode()),
        decode(encoded.getResources()),
        encoded.getReplaces().isEmpty() ? null : NodeId.parse(encoded.getReplaces()),
        encoded.getRestarts(),
        encoded.getStreak(),
        encoded.getBackoffMs());
  }

  private static Relaunch encode(dev.pliant.machine.nodes.Relaunch relaunch) {
    return Relaunch.newBuilder()
        .setNode(relaunch.of().toString())
        .setResources(encode(relaunch.resources()))
        .setRestarts(relaunch.restarts())
        .setStreak(relaunch.streak())
        .setBackoffMs(relaunch.backoffMillis())
        .setDueMs(relaunch.dueMillis())
        .build();
  }

  private static dev.pliant.machine.nodes.Relaunch decode(Relaunch encoded) {
    return new dev.pliant.machine.nodes.Relaunch(
        NodeId.parse(encoded.getNode()),
        decode(encoded.getResources()),
        encoded.getRestarts(),
        encoded.getStreak(),
        encoded.getBackoffMs(),
        encoded.getDueMs());
  }

  private static Resources encode(NodeResources resources) {
    return Resources.newBuilder()
        .setCpu(resources.cpu())
        .setMemoryMib(resources.memoryMib())
        .setGpus(resources.gpus())
        .setDiskMib(resources.diskMib())
        .build();
  }

  private static NodeResources decode(Resources encoded) {
    return new NodeResources(
        encoded.getCpu(), encoded.getMemoryMib(), encoded.getGpus(), encoded.getDiskMib());
  }

  static dev.pliant.protocol.journal.v1.JobPlan encode(JobPlan plan) {
    var encoded =
        dev.pliant.protocol.journal.v1.JobPlan.newBuilder()
            .setJob(plan.job().toString())
            .setRun(plan.run())
            .setUid(plan.uid())
            .setStrategy(plan.strategy().word())
            .setElasticity(plan.elasticity().word())
            .setWish(plan.workers().wish())
            .setMin(plan.workers().min())
            .setMax(plan.workers().max())
            .setRestarts(plan.workers().restarts())
            .setRestartMs(plan.workers().restartMillis())
            .setResources(encode(plan.workers().resources()))
            .setNprocPerNode(plan.nprocPerNode())
            .addAllCommand(plan.command())
            .setWorkingFolder(plan.workingFolder())
            .setPythonPackage(plan.pythonPackage())
            .setLastCallMs(plan.lastCallMillis());
    for (JobPlan.RolePlan role : plan.others()) {
      encoded.addRoles(
          RolePlan.newBuilder()
              .setRole(role.role())
              .setWish(role.wish())
              .setMin(role.min())
              .setMax(role.max())
              .setRestarts(role.restarts())
              .setRestartMs(role.restartMillis())
              .setResources(encode(role.resources())));
    }
    Checkpointing checkpoint = plan.checkpoint();
    if (checkpoint != null) {
      encoded.setCheckpoint(
          dev.pliant.protocol.journal.v1.Checkpointing.newBuilder()
              .setPath(checkpoint.path())
              .setEvery(checkpoint.every())
              .setKeep(checkpoint.keep())
              .setFrom(checkpoint.from())
              .setWithDataPosition(checkpoint.withDataPosition()));
    }
    if (!plan.limits().isNone()) {
      encoded.setLimits(encode(plan.limits()));
    }
    return encoded.build();
  }

  private static dev.pliant.protocol.journal.v1.ResourceLimits encode(ResourceLimits limits) {
    var encoded = dev.pliant.protocol.journal.v1.ResourceLimits.newBuilder();
    if (limits.cpu() != null) {
      encoded.setCpu(limits.cpu());
    }
    if (limits.memoryMib() != null) {
      encoded.setMemoryMib(limits.memoryMib());
    }
    if (limits.gpus() != null) {
      encoded.setGpus(limits.gpus());
    }
    if (limits.diskMib() != null) {
      encoded.setDiskMib(limits.diskMib());
    }
    return encoded.build();
  }

  private static ResourceLimits decode(dev.pliant.protocol.journal.v1.ResourceLimits encoded) {
    return new ResourceLimits(
        encoded.hasCpu() ? encoded.getCpu() : null,
        encoded.hasMemoryMib() ? encoded.getMemoryMib() : null,
        encoded.hasGpus() ? encoded.getGpus() : null,
        encoded.hasDiskMib() ? encoded.getDiskMib() : null);
  }

  static JobPlan decode(dev.pliant.protocol.journal.v1.JobPlan encoded) {
    return new JobPlan(
        JobId.parse(encoded.getJob()),
        encoded.getRun(),
        Strategy.of(encoded.getStrategy()),
        Elasticity.of(encoded.getElasticity()),
        new JobPlan.Workers(
            encoded.getWish(),
            encoded.getMin(),
            encoded.getMax(),
            encoded.getRestarts(),
            encoded.getRestartMs(),
            decode(encoded.getResources())),
        encoded.getNprocPerNode(),
        encoded.getCommandList(),
        Map.of(),
        encoded.getWorkingFolder(),
        checkpoint(encoded),
        encoded.getPythonPackage(),
        encoded.getLastCallMs(),
        encoded.getRolesList().stream()
            .map(role ->
                new JobPlan.RolePlan(
                    role.getRole(),
                    role.getWish(),
                    role.getMin(),
                    role.getMax(),
                    role.getRestarts(),
                    role.getRestartMs(),
                    decode(role.getResources())))
            .toList(),
        decode(encoded.getLimits()),
        encoded.getUid());
  }

  private static @Nullable Checkpointing checkpoint(
      dev.pliant.protocol.journal.v1.JobPlan encoded) {
    return encoded.hasCheckpoint()
        ? new Checkpointing(
            encoded.getCheckpoint().getPath(),
            encoded.getCheckpoint().getEvery(),
            encoded.getCheckpoint().getKeep(),
            encoded.getCheckpoint().getFrom(),
            encoded.getCheckpoint().getWithDataPosition())
        : null;
  }
}
