package dev.pliant.master.journal;

import dev.pliant.machine.TrainingStatus;
import dev.pliant.machine.rendezvous.Departed;
import dev.pliant.machine.rendezvous.Departure;
import dev.pliant.machine.rendezvous.Meeting;
import dev.pliant.machine.rendezvous.MemberId;
import dev.pliant.machine.rendezvous.RendezvousEvent;
import dev.pliant.machine.rendezvous.RendezvousImage;
import dev.pliant.machine.rendezvous.RendezvousImage.Clocks;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.machine.rendezvous.Stall;
import dev.pliant.machine.rendezvous.World;
import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.journal.v1.AbortWanted;
import dev.pliant.protocol.journal.v1.CommitRefused;
import dev.pliant.protocol.journal.v1.DepartedMember;
import dev.pliant.protocol.journal.v1.Event;
import dev.pliant.protocol.journal.v1.MemberArrived;
import dev.pliant.protocol.journal.v1.MemberDraining;
import dev.pliant.protocol.journal.v1.MemberGone;
import dev.pliant.protocol.journal.v1.MemberKey;
import dev.pliant.protocol.journal.v1.MemberSnapshot;
import dev.pliant.protocol.journal.v1.ReformSnapshot;
import dev.pliant.protocol.journal.v1.ReformWanted;
import dev.pliant.protocol.journal.v1.RendezvousClosed;
import dev.pliant.protocol.journal.v1.RendezvousReopened;
import dev.pliant.protocol.journal.v1.RendezvousRulesSet;
import dev.pliant.protocol.journal.v1.RendezvousSnapshot;
import dev.pliant.protocol.journal.v1.SeatSnapshot;
import dev.pliant.protocol.journal.v1.StallSnapshot;
import dev.pliant.protocol.journal.v1.TrainingSnapshot;
import dev.pliant.protocol.journal.v1.WorldFormed;
import dev.pliant.protocol.journal.v1.WorldSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The rendezvous as the journal holds it, and back.
final class RendezvousCodec {
  private RendezvousCodec() {}

  // Events.

  static void encode(RendezvousEvent event, Event.Builder encoded) {
    switch (event) {
      case RendezvousEvent.RulesSet(RendezvousRules rules) ->
          encoded.setRendezvousRulesSet(encode(rules));
      case RendezvousEvent.Arrived e ->
          encoded.setMemberArrived(
              MemberArrived.newBuilder()
                  .setMember(encode(e.member()))
                  .setNode(e.node().toString())
                  .setAfter(e.after())
                  .setHoldsState(e.holdsState())
                  .setAddress(e.address()));
      case RendezvousEvent.Draining(MemberId member) ->
          encoded.setMemberDraining(MemberDraining.newBuilder().setMember(encode(member)));
      case RendezvousEvent.Gone(MemberId member, Departure how, ExitReason reason, String why) ->
          encoded.setMemberGone(
              MemberGone.newBuilder()
                  .setMember(encode(member))
                  .setHow(ProtoEnums.DEPARTURE.encode(how))
                  .setReason(ProtoEnums.EXIT_REASON.encode(reason))
                  .setWhy(why));
      case RendezvousEvent.CommitRefused e ->
          encoded.setCommitRefused(
              CommitRefused.newBuilder()
                  .setVersion(e.version())
                  .setWhy(e.why())
                  .setConfirmed(e.confirmed()));
      case RendezvousEvent.ReformWanted(long version, String why) ->
          encoded.setReformWanted(ReformWanted.newBuilder().setVersion(version).setWhy(why));
      case RendezvousEvent.AbortWanted(long version) ->
          encoded.setAbortWanted(AbortWanted.newBuilder().setVersion(version));
      case RendezvousEvent.WorldFormed(long version, List<WorkerId> members) -> {
        WorldFormed.Builder formed = WorldFormed.newBuilder().setVersion(version);
        members.forEach(member -> formed.addMembers(member.value()));
        encoded.setWorldFormed(formed);
      }
      case RendezvousEvent.Closed(boolean complete, String why) ->
          encoded.setRendezvousClosed(encode(complete, why));
      case RendezvousEvent.Reopened() ->
          encoded.setRendezvousReopened(RendezvousReopened.getDefaultInstance());
    }
  }

  static RendezvousEvent arrived(MemberArrived e) {
    return new RendezvousEvent.Arrived(
        decode(e.getMember()),
        NodeId.parse(e.getNode()),
        e.getAfter(),
        e.getHoldsState(),
        e.getAddress());
  }

  static RendezvousEvent gone(MemberGone e) {
    return new RendezvousEvent.Gone(
        decode(e.getMember()),
        ProtoEnums.DEPARTURE.decode(e.getHow()),
        ProtoEnums.EXIT_REASON.decode(e.getReason()),
        e.getWhy());
  }

  static RendezvousEvent refused(CommitRefused e) {
    return new RendezvousEvent.CommitRefused(e.getVersion(), e.getWhy(), e.getConfirmed());
  }

  static RendezvousEvent formed(WorldFormed e) {
    return new RendezvousEvent.WorldFormed(
        e.getVersion(), e.getMembersList().stream().map(WorkerId::new).toList());
  }

  static MemberId decode(MemberKey encoded) {
    return new MemberId(new WorkerId(encoded.getWorker()), encoded.getIncarnation());
  }

  static MemberKey encode(MemberId member) {
    return MemberKey.newBuilder()
        .setWorker(member.worker().value())
        .setIncarnation(member.incarnation())
        .build();
  }

  private static RendezvousClosed encode(boolean complete, String why) {
    return RendezvousClosed.newBuilder().setComplete(complete).setWhy(why).build();
  }

  static RendezvousRulesSet encode(RendezvousRules rules) {
    return RendezvousRulesSet.newBuilder()
        .setMin(rules.min())
        .setMax(rules.max())
        .setUnit(rules.unit())
        .setWished(rules.wished())
        .setLastCallMs(rules.lastCall().toMillis())
        .setAbortAfterMs(rules.abortAfter().toMillis())
        .setLeaveOutAfterMs(rules.leaveOutAfter().toMillis())
        .setBelowMinForMs(rules.belowMinFor().toMillis())
        .build();
  }

  static RendezvousRules decode(RendezvousRulesSet encoded) {
    return new RendezvousRules(
        encoded.getMin(),
        encoded.getMax(),
        encoded.getUnit(),
        encoded.getWished(),
        Duration.ofMillis(encoded.getLastCallMs()),
        Duration.ofMillis(encoded.getAbortAfterMs()),
        Duration.ofMillis(encoded.getLeaveOutAfterMs()),
        Duration.ofMillis(encoded.getBelowMinForMs()));
  }

  // Snapshots.

  static RendezvousSnapshot encode(RendezvousImage image) {
    RendezvousSnapshot.Builder encoded =
        RendezvousSnapshot.newBuilder()
            .setRules(encode(image.rules()))
            .setBreakWhy(image.breakWhy())
            .setQuorumSince(image.clocks().quorum() + 1)
            .setTooFewSince(image.clocks().tooFew() + 1)
            .setGainSince(image.clocks().gain() + 1)
            .setFirstOutSince(image.clocks().firstOut() + 1)
            .setBrokenSince(image.clocks().broken() + 1);
    image.members().forEach(member -> encoded.addMembers(encode(member)));
    image.departed().forEach(gone -> encoded.addDeparted(encode(gone)));
    RendezvousImage.WorldImage world = image.world();
    if (world != null) {
      encoded.setWorld(encode(world));
    }
    Meeting.Reform reform = image.reform();
    if (reform != null) {
      encoded.setReform(
          ReformSnapshot.newBuilder()
              .setVersion(reform.version())
              .setAbort(reform.abort())
              .setWhy(reform.why()));
    }
    Meeting.Ending ending = image.ending();
    if (ending != null) {
      encoded.setClosed(encode(ending.complete(), ending.why()));
      ending.waiting().stream().sorted().forEach(n -> encoded.addClosedWaiting(n.toString()));
    }
    Stall stall = image.stall();
    if (stall != null) {
      encoded.setStall(
          StallSnapshot.newBuilder()
              .setVersion(stall.version())
              .setWhy(stall.why())
              .setSinceMs(stall.sinceMillis())
              .setConfirmed(stall.confirmed())
              .setEarlierWorlds(stall.earlierWorlds()));
    }
    return encoded.build();
  }

  static RendezvousImage decode(RendezvousSnapshot encoded) {
    return new RendezvousImage(
        decode(encoded.getRules()),
        encoded.getMembersList().stream().map(RendezvousCodec::decode).toList(),
        encoded.getDepartedList().stream().map(RendezvousCodec::decode).toList(),
        encoded.hasWorld() ? decode(encoded.getWorld()) : null,
        encoded.hasReform()
            ? new Meeting.Reform(
                encoded.getReform().getVersion(),
                encoded.getReform().getAbort(),
                encoded.getReform().getWhy())
            : null,
        encoded.getBreakWhy(),
        encoded.hasClosed()
            ? new Meeting.Ending(
                encoded.getClosed().getComplete(),
                encoded.getClosed().getWhy(),
                encoded.getClosedWaitingList().stream()
                    .map(NodeId::parse)
                    .collect(Collectors.toSet()))
            : null,
        new Clocks(
            encoded.getQuorumSince() - 1,
            encoded.getTooFewSince() - 1,
            encoded.getGainSince() - 1,
            encoded.getFirstOutSince() - 1,
            encoded.getBrokenSince() - 1),
        encoded.hasStall() ? decode(encoded.getStall()) : null);
  }

  private static Stall decode(StallSnapshot encoded) {
    return new Stall(
        encoded.getVersion(),
        encoded.getWhy(),
        encoded.getSinceMs(),
        encoded.getConfirmed(),
        encoded.getEarlierWorlds());
  }

  private static MemberSnapshot encode(RendezvousImage.MemberImage member) {
    return MemberSnapshot.newBuilder()
        .setMember(encode(member.id()))
        .setNode(member.node().toString())
        .setLastWorld(member.lastWorld())
        .setHoldsState(member.holdsState())
        .setAddress(member.address())
        .setTraining(member.training())
        .setDraining(member.draining())
        .build();
  }

  private static RendezvousImage.MemberImage decode(MemberSnapshot encoded) {
    return new RendezvousImage.MemberImage(
        decode(encoded.getMember()),
        NodeId.parse(encoded.getNode()),
        encoded.getLastWorld(),
        encoded.getHoldsState(),
        encoded.getAddress(),
        encoded.getTraining(),
        encoded.getDraining());
  }

  private static DepartedMember encode(RendezvousImage.DepartedImage gone) {
    return DepartedMember.newBuilder()
        .setMember(encode(new MemberId(gone.worker(), gone.departed().incarnation())))
        .setHow(ProtoEnums.DEPARTURE.encode(gone.departed().how()))
        .setWorld(gone.departed().world())
        .setWhy(gone.departed().why())
        .build();
  }

  private static RendezvousImage.DepartedImage decode(DepartedMember encoded) {
    MemberId member = decode(encoded.getMember());
    return new RendezvousImage.DepartedImage(
        member.worker(),
        new Departed(
            member.incarnation(),
            ProtoEnums.DEPARTURE.decode(encoded.getHow()),
            encoded.getWorld(),
            encoded.getWhy()));
  }

  private static WorldSnapshot encode(RendezvousImage.WorldImage world) {
    WorldSnapshot.Builder encoded =
        WorldSnapshot.newBuilder()
            .setVersion(world.version())
            .setFormedMs(world.formedMillis())
            .setMaxSize(world.maxSize());
    for (World.Seat seat : world.seats()) {
      encoded.addSeats(
          SeatSnapshot.newBuilder()
              .setMember(encode(seat.member()))
              .setNode(seat.node().toString())
              .setAddress(seat.address()));
    }
    return encoded.build();
  }

  private static RendezvousImage.WorldImage decode(WorldSnapshot encoded) {
    return new RendezvousImage.WorldImage(
        encoded.getVersion(),
        encoded.getFormedMs(),
        encoded.getMaxSize(),
        encoded.getSeatsList().stream()
            .map(seat ->
                new World.Seat(
                    decode(seat.getMember()), NodeId.parse(seat.getNode()), seat.getAddress()))
            .toList());
  }

  // The training.

  static TrainingSnapshot encode(TrainingStatus training) {
    return TrainingSnapshot.newBuilder()
        .putAllMetrics(training.metrics())
        .setLastCommitMs(training.lastCommitMillis())
        .setLastCommitWorld(training.lastCommitWorld())
        .setPausedMs(training.pausedMillis())
        .build();
  }

  static TrainingStatus decode(TrainingSnapshot encoded) {
    return new TrainingStatus(
        new TreeMap<>(encoded.getMetricsMap()),
        encoded.getLastCommitMs(),
        encoded.getLastCommitWorld(),
        encoded.getPausedMs());
  }
}
