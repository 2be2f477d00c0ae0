package dev.pliant.master.service;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.rendezvous.Meeting;
import dev.pliant.machine.rendezvous.MemberId;
import dev.pliant.machine.rendezvous.Rendezvous.Exclusion;
import dev.pliant.machine.rendezvous.Standing;
import dev.pliant.machine.rendezvous.World;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.Closed;
import dev.pliant.protocol.v1.Excluded;
import dev.pliant.protocol.v1.MeetDrain;
import dev.pliant.protocol.v1.MeetLeave;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.protocol.v1.Member;
import dev.pliant.protocol.v1.Rank;
import dev.pliant.protocol.v1.Reform;
import dev.pliant.protocol.v1.WorldStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Messages of the rendezvous as the machine's values, checked, and back.
final class MeetCodec {
  static final int MAX_MEMBERS = 1_024;

  private MeetCodec() {}

  // In.

  static Command.OpenMeeting open(MeetRequest message) {
    if (!message.hasOpen()) {
      throw WireCodec.bad("the first message of a stream must be 'open'.");
    }
    return new Command.OpenMeeting(
        NodeId.parse(message.getOpen().getNode()), standings(message.getOpen().getMembersList()));
  }

  /// A word that is not the first of its stream.
  static Command word(NodeId node, MeetRequest message) {
    return switch (message.getWordCase()) {
      case OPEN -> throw WireCodec.bad("'open' comes once, in the first message of a stream.");
      case ARRIVE -> {
        List<Standing> members = standings(message.getArrive().getMembersList());
        if (members.isEmpty()) {
          throw WireCodec.bad("'arrive' names no member; say who waits.");
        }
        for (Standing member : members) {
          if (!member.waits()) {
            throw WireCodec.bad(
                "member %s arrives and trains in world %d at once; 'world' is 0 where it waits."
                    .formatted(member.id(), member.world()));
          }
        }
        yield new Command.Arrive(node, members);
      }
      case LEAVE -> {
        MeetLeave leave = message.getLeave();
        yield new Command.Leave(
            new MemberId(new WorkerId(leave.getWorker()), leave.getIncarnation()),
            WireCodec.reason(leave.getReason()),
            WireCodec.text("message", leave.getMessage()));
      }
      case DRAIN -> {
        MeetDrain drain = message.getDrain();
        yield new Command.Drain(
            new MemberId(new WorkerId(drain.getWorker()), drain.getIncarnation()));
      }
      case WORD_NOT_SET -> throw WireCodec.bad("the message holds no word that is known.");
    };
  }

  private static List<Standing> standings(List<Member> members) {
    WireCodec.checkCount("members", members.size(), MAX_MEMBERS);
    List<Standing> standings = new ArrayList<>(members.size());
    Set<WorkerId> seen = new HashSet<>();
    for (Member member : members) {
      WorkerId worker = new WorkerId(member.getWorker());
      if (!seen.add(worker)) {
        throw WireCodec.bad("worker %s is named twice in one message.".formatted(worker));
      }
      standings.add(
          new Standing(
              new MemberId(worker, member.getIncarnation()),
              member.getWorld(),
              member.getAfter(),
              member.getHoldsState(),
              member.getAddress()));
    }
    return standings;
  }

  // Out.

  static MeetResponse world(long epoch, World world, World.Share share) {
    var message =
        dev.pliant.protocol.v1.World.newBuilder()
            .setVersion(world.version())
            .setSize(world.size())
            .setAddress(world.address())
            .setNodes(world.nodes())
            .setNodeRank(share.nodeRank())
            .setMaxSize(world.maxSize());
    for (World.Ranked ranked : share.members()) {
      message.addRanks(
          Rank.newBuilder()
              .setWorker(ranked.member().worker().value())
              .setIncarnation(ranked.member().incarnation())
              .setRank(ranked.rank()));
    }
    return MeetResponse.newBuilder().setMasterEpoch(epoch).setWorld(message).build();
  }

  static MeetResponse reform(long epoch, Meeting.Reform reform) {
    return MeetResponse.newBuilder()
        .setMasterEpoch(epoch)
        .setReform(
            Reform.newBuilder()
                .setVersion(reform.version())
                .setAbort(reform.abort())
                .setWhy(reform.why()))
        .build();
  }

  static MeetResponse excluded(long epoch, Exclusion exclusion) {
    return MeetResponse.newBuilder()
        .setMasterEpoch(epoch)
        .setExcluded(
            Excluded.newBuilder()
                .setWorker(exclusion.member().worker().value())
                .setIncarnation(exclusion.member().incarnation())
                .setReleased(exclusion.released())
                .setWhy(exclusion.why()))
        .build();
  }

  static MeetResponse closed(long epoch, Meeting.Ending ending) {
    return MeetResponse.newBuilder()
        .setMasterEpoch(epoch)
        .setClosed(Closed.newBuilder().setComplete(ending.complete()).setWhy(ending.why()))
        .build();
  }

  static WorldStatus world(Answer.WorldProgress world) {
    WorldStatus.Builder status =
        WorldStatus.newBuilder()
            .setVersion(world.version())
            .setReforming(world.reforming())
            .setFormedMs(world.formedMillis())
            .setPausedMs(world.pausedMillis());
    world.members().forEach(member -> status.addMembers(member.value()));
    world.waiting().forEach(member -> status.addWaiting(member.value()));
    return status.build();
  }
}
