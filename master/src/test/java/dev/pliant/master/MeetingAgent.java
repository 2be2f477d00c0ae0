package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.protocol.v1.MeetArrive;
import dev.pliant.protocol.v1.MeetDrain;
import dev.pliant.protocol.v1.MeetLeave;
import dev.pliant.protocol.v1.MeetOpen;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.protocol.v1.Member;
import dev.pliant.protocol.v1.Reform;
import dev.pliant.protocol.v1.World;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// An agent's end of a Meet stream, for a node with one worker of its name.
final class MeetingAgent implements StreamObserver<MeetResponse> {
  private static final Object COMPLETED = "completed";

  private final String node;
  private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
  private final StreamObserver<MeetRequest> master;

  MeetingAgent(RunningMaster running, String node) throws IOException {
    this.node = node;
    this.master = running.rendezvous().meet(this);
  }

  /// A stream that begins as a fresh agent's does.
  static MeetingAgent open(RunningMaster running, String node, Member... members)
      throws IOException {
    MeetingAgent agent = new MeetingAgent(running, node);
    MeetOpen.Builder open = MeetOpen.newBuilder().setNode(node);
    for (Member member : members) {
      open.addMembers(member);
    }
    agent.send(MeetRequest.newBuilder().setOpen(open));
    return agent;
  }

  void send(MeetRequest.Builder word) {
    master.onNext(word.build());
  }

  void end() {
    master.onCompleted();
  }

  Member waits(long after, boolean holdsState) {
    return Member.newBuilder()
        .setWorker(node)
        .setIncarnation(1)
        .setAfter(after)
        .setHoldsState(holdsState)
        .setAddress("127.0.0.1:4" + node.replaceAll("\\D", ""))
        .build();
  }

  Member trains(long world) {
    return Member.newBuilder().setWorker(node).setIncarnation(1).setWorld(world).build();
  }

  void arrive(long after, boolean holdsState) {
    send(
        MeetRequest.newBuilder()
            .setArrive(MeetArrive.newBuilder().addMembers(waits(after, holdsState))));
  }

  void leave(ExitReason reason) {
    send(
        MeetRequest.newBuilder()
            .setLeave(MeetLeave.newBuilder().setWorker(node).setIncarnation(1).setReason(reason)));
  }

  void drain() {
    send(
        MeetRequest.newBuilder()
            .setDrain(MeetDrain.newBuilder().setWorker(node).setIncarnation(1)));
  }

  MeetResponse hear() throws InterruptedException {
    Object next = next();
    if (next instanceof Throwable error) {
      throw new AssertionError(error);
    }
    return (MeetResponse) next;
  }

  World world() throws InterruptedException {
    MeetResponse heard = hear();
    assertThat(heard.hasWorld()).as("%s heard %s", node, heard).isTrue();
    return heard.getWorld();
  }

  Reform reform() throws InterruptedException {
    MeetResponse heard = hear();
    assertThat(heard.hasReform()).as("%s heard %s", node, heard).isTrue();
    return heard.getReform();
  }

  Object next() throws InterruptedException {
    Object next = heard.poll(20, TimeUnit.SECONDS);
    assertThat(next).as("%s heard nothing in 20 s", node).isNotNull();
    return next;
  }

  boolean heardNothing() {
    return heard.isEmpty();
  }

  @Override
  public void onNext(MeetResponse response) {
    heard.add(response);
  }

  @Override
  public void onError(Throwable error) {
    heard.add(error);
  }

  @Override
  public void onCompleted() {
    heard.add(COMPLETED);
  }
}
