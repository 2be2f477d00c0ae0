package dev.pliant.master.service;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.Request;
import dev.pliant.model.DatasetName;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.HeldLease;
import dev.pliant.protocol.v1.WorkOpen;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import dev.pliant.rpc.Faults;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// One worker's stream on one dataset. Messages are answered one for one and in order; at most
/// [#UNDER_WAY] wait, and the next is not read from the wire before one of them is answered.
final class WorkStream implements StreamObserver<WorkRequest> {
  private static final int UNDER_WAY = 8;

  private final JobOwner owner;
  private final Executor network;
  private final Liveness liveness;
  private final WorkStreams streams;
  private final ServerCallStreamObserver<WorkResponse> caller;

  /// Who works on what, from the first message on.
  private @Nullable WorkerId worker;

  private @Nullable DatasetName dataset;

  // Another stream of the worker's, on another thread, may take this one's place: guarded by
  // `this`.
  private int underWay;
  private int withheld;
  private boolean halfClosed;
  private boolean closed;

  WorkStream(
      JobOwner owner,
      Executor network,
      Liveness liveness,
      WorkStreams streams,
      ServerCallStreamObserver<WorkResponse> caller) {
    this.owner = owner;
    this.network = network;
    this.liveness = liveness;
    this.streams = streams;
    this.caller = caller;
    caller.disableAutoRequest();
    caller.setOnCancelHandler(this::cancelled);
    caller.setOnReadyHandler(this::requestMore);
    caller.request(UNDER_WAY);
  }

  @Override
  public void onNext(WorkRequest message) {
    List<Command> commands;
    try {
      commands = commands(message);
    } catch (PliantException bad) {
      fail(bad);
      return;
    }
    // Under the lock, so that nothing follows once another stream has taken this one's place.
    synchronized (this) {
      if (closed) {
        return;
      }
      underWay++;
      owner.submit(new Request(commands, new Answering(), network));
    }
  }

  /// Hears of a message's commands.
  private final class Answering implements Request.Reply {
    @Override
    public void answer(List<Answer> answers) {
      WorkStream.this.answer(answers);
    }

    @Override
    public void fail(PliantException why) {
      WorkStream.this.fail(why);
    }
  }

  /// The worker has opened another stream on the same dataset.
  void replaced() {
    fail(
        new PliantException(
            ErrorCode.STREAM_REPLACED,
            "worker %s has opened another stream on dataset '%s'; this one takes no more."
                .formatted(worker, dataset)));
  }

  private List<Command> commands(WorkRequest message) {
    List<Command> commands = new ArrayList<>(3);
    if (worker == null || dataset == null) {
      if (!message.hasOpen()) {
        throw WireCodec.bad("the first message of a stream must be 'open'.");
      }
      WorkOpen open = message.getOpen();
      worker = new WorkerId(open.getWorker());
      dataset = new DatasetName(open.getDataset());
      commands.add(new Command.Open(worker, dataset, WireCodec.held(open.getHeldList())));
      streams.opened(worker, dataset, this);
    } else if (message.hasOpen()) {
      throw WireCodec.bad("'open' comes once, in the first message of a stream.");
    }
    liveness.heardOf(worker);
    if (message.getReportsCount() > 0) {
      commands.add(
          new Command.Report(worker, dataset, WireCodec.reports(message.getReportsList())));
    }
    if (message.getWant() != 0) {
      commands.add(
          new Command.Lease(worker, dataset, WireCodec.want("want", message.getWant()), 0));
    }
    return commands;
  }

  private void answer(List<Answer> answers) {
    WorkResponse message;
    try {
      message = message(answers);
    } catch (RuntimeException e) {
      fail(Calls.defect(e));
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      caller.onNext(message);
      underWay--;
      withheld++;
      requestMore();
      completeIfDone();
    }
  }

  /// Reads on, unless the worker does not read what it was answered.
  private synchronized void requestMore() {
    if (withheld > 0 && caller.isReady()) {
      caller.request(withheld);
      withheld = 0;
    }
  }

  private WorkResponse message(List<Answer> answers) {
    WorkResponse.Builder response = WorkResponse.newBuilder().setMasterEpoch(owner.epoch());
    for (Answer answer : answers) {
      if (answer instanceof Answer.Leased leased) {
        putLeased(leased, response);
      } else if (answer instanceof Answer.Reported reported) {
        putReported(reported, response);
      } else if (answer instanceof Answer.Opened opened) {
        for (Command.Held lost : opened.revoked()) {
          response.addRevoked(
              HeldLease.newBuilder().setNumber(lost.number()).setLease(lost.lease()));
        }
      }
    }
    return response.build();
  }

  private static void putLeased(Answer.Leased leased, WorkResponse.Builder response) {
    response.setState(WireCodec.state(leased.state()));
    for (Answer.LeasedShard shard : leased.shards()) {
      response.addShards(WireCodec.shard(leased, shard));
    }
    switch (leased.state()) {
      case WAIT -> response.setRetryAfterMs(DataGrpc.WAIT_MILLIS);
      case FAILED -> {
        if (leased.failure() != null) {
          response.setFailure(WireCodec.failure(leased.failure()));
        }
      }
      case LEASED, END -> {}
    }
  }

  private static void putReported(Answer.Reported reported, WorkResponse.Builder response) {
    if (reported.outcomes() != null) {
      for (ShardReport.Outcome outcome : reported.outcomes()) {
        response.addOutcomes(WireCodec.outcome(outcome));
      }
    }
    response.addAllRefusals(reported.refusals());
  }

  private synchronized void fail(PliantException why) {
    if (!closed) {
      close();
      caller.onError(Faults.toGrpc(why));
    }
  }

  private synchronized void cancelled() {
    close();
  }

  private void close() {
    closed = true;
    if (worker != null && dataset != null) {
      streams.closed(worker, dataset, this);
    }
  }

  @Override
  public void onError(Throwable cancelled) {
    cancelled();
  }

  @Override
  public synchronized void onCompleted() {
    halfClosed = true;
    completeIfDone();
  }

  private synchronized void completeIfDone() {
    if (halfClosed && underWay == 0 && !closed) {
      close();
      caller.onCompleted();
    }
  }
}
