package dev.pliant.master.service;

import dev.pliant.master.owner.JobOwner;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.protocol.v1.RendezvousServiceGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/// `pliant.v1.RendezvousService`.
public final class RendezvousGrpc extends RendezvousServiceGrpc.RendezvousServiceImplBase {
  private final JobOwner owner;
  private final NetworkThreads network;
  private final Liveness liveness;
  private final MeetStreams streams = new MeetStreams();

  public RendezvousGrpc(JobOwner owner, NetworkThreads network, Liveness liveness) {
    this.owner = owner;
    this.network = network;
    this.liveness = liveness;
    owner.listen(streams);
  }

  @Override
  public StreamObserver<MeetRequest> meet(StreamObserver<MeetResponse> agent) {
    return new MeetStream(
        owner,
        network.current(),
        liveness,
        streams,
        (ServerCallStreamObserver<MeetResponse>) agent);
  }
}
