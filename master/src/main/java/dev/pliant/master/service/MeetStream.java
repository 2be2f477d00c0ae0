package dev.pliant.master.service;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.rendezvous.Meeting;
import dev.pliant.machine.rendezvous.MemberId;
import dev.pliant.machine.rendezvous.Rendezvous.Exclusion;
import dev.pliant.machine.rendezvous.Standing;
import dev.pliant.machine.rendezvous.Telling;
import dev.pliant.machine.rendezvous.World;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.Request;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.rpc.Faults;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// One node's stream. What the agent says becomes commands, in order; what it is to know follows
/// from the newest [Meeting] and from what it was told, so that an agent which reads slowly is told
/// the latest and never a backlog. At most [#UNDER_WAY] words wait to be decided, and no further
/// one is read while the agent does not read.
final class MeetStream implements StreamObserver<MeetRequest> {
  private static final int UNDER_WAY = 8;

  /// Members whose standing is remembered: a node's, and those that came in their place.
  private static final int MAX_KNOWN = 4 * MeetCodec.MAX_MEMBERS;

  private final JobOwner owner;
  private final Executor network;
  private final Liveness liveness;
  private final MeetStreams streams;
  private final ServerCallStreamObserver<MeetResponse> caller;

  /// Who speaks, from the first word on.
  private @Nullable NodeId node;

  // Another stream of the node's, on another thread, may take this one's place: guarded by `this`.

  private @Nullable Telling telling;

  private boolean opened;
  private int underWay;
  private int withheld;
  private boolean halfClosed;
  private boolean over;

  MeetStream(
      JobOwner owner,
      Executor network,
      Liveness liveness,
      MeetStreams streams,
      ServerCallStreamObserver<MeetResponse> caller) {
    this.owner = owner;
    this.network = network;
    this.liveness = liveness;
    this.streams = streams;
    this.caller = caller;
    caller.disableAutoRequest();
    caller.setOnCancelHandler(this::cancelled);
    caller.setOnReadyHandler(this::tell);
    caller.request(UNDER_WAY);
  }

  // In.

  @Override
  public void onNext(MeetRequest message) {
    try {
      Command command;
      if (node == null) {
        Command.OpenMeeting open = MeetCodec.open(message);
        node = open.node();
        telling = new Telling(open.node());
        command = open;
        streams.opened(open.node(), network, this);
      } else {
        command = MeetCodec.word(node, message);
      }
      submit(command);
    } catch (PliantException bad) {
      fail(bad);
    }
  }

  /// Under the lock, so that nothing follows once another stream has taken this one's place.
  private synchronized void submit(Command command) {
    if (over || telling == null) {
      return;
    }
    note(command, telling);
    underWay++;
    owner.submit(new Request(List.of(command), new Answering(command), network));
  }

  /// Notes what the agent knows by its own words.
  private void note(Command command, Telling to) {
    switch (command) {
      case Command.OpenMeeting open -> note(open.members(), to);
      case Command.Arrive arrive -> note(arrive.members(), to);
      case Command.Leave(MemberId member, var _, var _) -> to.left(member);
      case Command _ -> {}
    }
    if (to.members() > MAX_KNOWN) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "node %s has named %,d members on one stream; say 'leave' for those that are gone."
              .formatted(node, to.members()));
    }
  }

  private void note(List<Standing> members, Telling to) {
    for (Standing member : members) {
      liveness.heardOf(member.id().worker());
      to.says(member);
    }
  }

  /// Hears of a word's command.
  private final class Answering implements Request.Reply {
    private final Command command;

    Answering(Command command) {
      this.command = command;
    }

    @Override
    public void answer(List<Answer> answers) {
      if (command instanceof Command.Leave(MemberId member, var _, var _)) {
        liveness.ended(member.worker());
      }
      answered(answers.getFirst());
    }

    @Override
    public void fail(PliantException why) {
      MeetStream.this.fail(why);
    }
  }

  private synchronized void answered(Answer answer) {
    if (over) {
      return;
    }
    opened = true;
    if (answer instanceof Answer.Met met && telling != null) {
      met.excluded().forEach(telling::exclude);
      if (met.closed() != null) {
        telling.close(met.closed());
      }
    }
    underWay--;
    withheld++;
    tell();
  }

  // Out.

  /// Tells the agent what it does not know yet, as far as it reads.
  synchronized void tell() {
    if (over || !opened || telling == null) {
      return;
    }
    while (caller.isReady()) {
      Telling.Word word = telling.next(streams.meeting());
      if (word == null) {
        readOn();
        return;
      }
      caller.onNext(message(word));
    }
  }

  private MeetResponse message(Telling.Word word) {
    return switch (word) {
      case Telling.Word.Formed(World world, World.Share share) ->
          MeetCodec.world(owner.epoch(), world, share);
      case Telling.Word.Ends(Meeting.Reform reform) -> MeetCodec.reform(owner.epoch(), reform);
      case Telling.Word.Out(Exclusion out) -> MeetCodec.excluded(owner.epoch(), out);
      case Telling.Word.Closed(Meeting.Ending ending) -> MeetCodec.closed(owner.epoch(), ending);
    };
  }

  /// Reads on, now that the agent has read what it was told.
  private void readOn() {
    if (withheld > 0) {
      caller.request(withheld);
      withheld = 0;
    }
    if (halfClosed && underWay == 0) {
      close();
      caller.onCompleted();
    }
  }

  // The end.

  /// The node has opened another stream.
  void replaced() {
    fail(
        new PliantException(
            ErrorCode.STREAM_REPLACED,
            "node %s has opened another stream; this one takes no more.".formatted(node)));
  }

  private synchronized void fail(PliantException why) {
    if (!over) {
      close();
      caller.onError(Faults.toGrpc(why));
    }
  }

  private synchronized void cancelled() {
    close();
  }

  private void close() {
    over = true;
    if (node != null) {
      streams.closed(node, network, this);
    }
  }

  @Override
  public void onError(Throwable cancelled) {
    cancelled();
  }

  @Override
  public synchronized void onCompleted() {
    halfClosed = true;
    if (underWay == 0 && !over) {
      close();
      caller.onCompleted();
    }
  }
}
