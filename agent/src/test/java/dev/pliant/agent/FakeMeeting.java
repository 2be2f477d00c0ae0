package dev.pliant.agent;

import dev.pliant.protocol.v1.Closed;
import dev.pliant.protocol.v1.Excluded;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.protocol.v1.Member;
import dev.pliant.protocol.v1.Rank;
import dev.pliant.protocol.v1.Reform;
import dev.pliant.protocol.v1.RendezvousServiceGrpc;
import dev.pliant.protocol.v1.World;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/// The master's end of `Meet`, led by a test: keeps every word that was said, and says what it is
/// told to.
final class FakeMeeting {
  private final List<MeetRequest> words = new ArrayList<>();
  private @Nullable StreamObserver<MeetResponse> stream;
  private long epoch;

  RendezvousServiceGrpc.RendezvousServiceImplBase service(long as) {
    return new RendezvousServiceGrpc.RendezvousServiceImplBase() {
      @Override
      public StreamObserver<MeetRequest> meet(StreamObserver<MeetResponse> answers) {
        opened(as, answers);
        return new StreamObserver<>() {
          @Override
          public void onNext(MeetRequest word) {
            heard(word);
          }

          @Override
          public void onError(Throwable why) {}

          @Override
          public void onCompleted() {
            answers.onCompleted();
          }
        };
      }
    };
  }

  private synchronized void opened(long as, StreamObserver<MeetResponse> answers) {
    epoch = as;
    stream = answers;
  }

  private synchronized void heard(MeetRequest word) {
    words.add(word);
  }

  synchronized List<MeetRequest> words() {
    return List.copyOf(words);
  }

  /// Waits for a word, and returns the first of its kind that comes after `from` words.
  MeetRequest await(int from, Predicate<MeetRequest> kind) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(2))
        .until(() -> words().stream().skip(from).anyMatch(kind));
    return words().stream().skip(from).filter(kind).findFirst().orElseThrow();
  }

  /// The members that wait, as the newest of the words say, once there are as many.
  List<Member> awaitArrivals(int count, long after) {
    Awaitility.await().until(() -> arrivals(after).size() >= count);
    return arrivals(after);
  }

  private List<Member> arrivals(long after) {
    Map<String, Member> arrived = new LinkedHashMap<>();
    for (MeetRequest word : words()) {
      List<Member> said =
          word.hasOpen() ? word.getOpen().getMembersList() : word.getArrive().getMembersList();
      said.stream()
          .filter(member -> member.getWorld() == 0 && member.getAfter() == after)
          .forEach(member -> arrived.put(member.getWorker(), member));
    }
    return List.copyOf(arrived.values());
  }

  void form(long version, List<Member> members) {
    World.Builder world =
        World.newBuilder()
            .setVersion(version)
            .setSize(members.size())
            .setAddress(members.getFirst().getAddress())
            .setNodes(1)
            .setMaxSize(8);
    for (int i = 0; i < members.size(); i++) {
      world.addRanks(
          Rank.newBuilder()
              .setWorker(members.get(i).getWorker())
              .setIncarnation(members.get(i).getIncarnation())
              .setRank(i));
    }
    say(response -> response.setWorld(world));
  }

  void reform(long version, boolean abort) {
    say(response ->
        response.setReform(
            Reform.newBuilder().setVersion(version).setAbort(abort).setWhy("somebody came")));
  }

  void exclude(Member member, boolean released) {
    say(response ->
        response.setExcluded(
            Excluded.newBuilder()
                .setWorker(member.getWorker())
                .setIncarnation(member.getIncarnation())
                .setReleased(released)
                .setWhy("as the test wants it")));
  }

  void close(boolean complete) {
    say(response -> response.setClosed(Closed.newBuilder().setComplete(complete).setWhy("over")));
  }

  private synchronized void say(Function<MeetResponse.Builder, MeetResponse.Builder> word) {
    StreamObserver<MeetResponse> open = stream;
    if (open == null) {
      throw new IllegalStateException("no stream is open");
    }
    open.onNext(word.apply(MeetResponse.newBuilder().setMasterEpoch(epoch)).build());
  }
}
