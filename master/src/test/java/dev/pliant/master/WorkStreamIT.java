package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.HeldLease;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.WorkOpen;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The stream that workers lease ahead and report by.
class WorkStreamIT {
  private static final JobId JOB = new JobId("default", "stream");

  @TempDir Path folder;
  private RunningMaster running;

  @BeforeEach
  void start() throws IOException {
    running = RunningMaster.start(JOB, folder.resolve("job"));
    running.data().createDataset(RunningMaster.table("train", 1_000, 1, 1));
  }

  @AfterEach
  void stop() {
    running.close();
  }

  /// One end of a stream: what comes back, in order; an error as it is.
  private final class Stream implements StreamObserver<WorkResponse> {
    private static final Object COMPLETED = "completed";

    private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
    private final StreamObserver<WorkRequest> master;

    Stream() throws IOException {
      master = running.streaming().work(this);
    }

    void send(WorkRequest.Builder message) {
      master.onNext(message.build());
    }

    WorkResponse hear() throws InterruptedException {
      Object next = next();
      if (next instanceof Throwable error) {
        throw new AssertionError(error);
      }
      return (WorkResponse) next;
    }

    Object next() throws InterruptedException {
      Object next = heard.poll(20, TimeUnit.SECONDS);
      assertThat(next).as("nothing heard in 20 s").isNotNull();
      return next;
    }

    @Override
    public void onNext(WorkResponse response) {
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

  private static WorkRequest.Builder open(String worker) {
    return WorkRequest.newBuilder()
        .setOpen(WorkOpen.newBuilder().setWorker(worker).setDataset("train"));
  }

  private static List<ShardReport> done(List<Shard> shards) {
    return shards.stream()
        .map(s -> ShardReport.newBuilder().setNumber(s.getNumber()).setLease(s.getLease()).build())
        .toList();
  }

  @Test
  void leasesAheadAndReportsInBatchesToTheEnd() throws Exception {
    Stream stream = new Stream();
    stream.send(open("a").setWant(64));
    List<Shard> inHand = new ArrayList<>(stream.hear().getShardsList());
    long trained = 0;
    while (true) {
      stream.send(WorkRequest.newBuilder().addAllReports(done(inHand)).setWant(64));
      trained += inHand.size();
      WorkResponse response = stream.hear();
      assertThat(response.getOutcomesList()).isEmpty();
      if (response.getState() == LeaseState.LEASE_STATE_END) {
        break;
      }
      inHand = new ArrayList<>(response.getShardsList());
    }
    assertThat(trained).isEqualTo(1_000);
    stream.master.onCompleted();
    assertThat(stream.next()).isEqualTo("completed");
  }

  @Test
  void answersMessagesInTheirOrderWhenManyAreUnderWay() throws Exception {
    Stream stream = new Stream();
    stream.send(open("a"));
    for (int i = 1; i <= 40; i++) {
      stream.send(WorkRequest.newBuilder().setWant(i % 3 + 1));
    }
    stream.hear();
    long next = 0;
    for (int i = 1; i <= 40; i++) {
      List<Shard> shards = stream.hear().getShardsList();
      assertThat(shards).hasSize(i % 3 + 1);
      for (Shard shard : shards) {
        assertThat(shard.getNumber()).isEqualTo(next++);
      }
    }
  }

  @Test
  void takesBackWhatNeverArrivedWhenAStreamOpensAgain() throws Exception {
    Stream first = new Stream();
    first.send(open("a").setWant(5));
    List<Shard> shards = first.hear().getShardsList();
    Stream second = new Stream();
    WorkOpen.Builder holdsTwo = WorkOpen.newBuilder().setWorker("a").setDataset("train");
    for (Shard shard : shards.subList(0, 2)) {
      holdsTwo.addHeld(
          HeldLease.newBuilder().setNumber(shard.getNumber()).setLease(shard.getLease()));
    }
    holdsTwo.addHeld(HeldLease.newBuilder().setNumber(900).setLease(1));
    second.send(WorkRequest.newBuilder().setOpen(holdsTwo).setWant(3));
    WorkResponse opened = second.hear();
    assertThat(opened.getRevokedList()).extracting(HeldLease::getNumber).containsExactly(900L);
    assertThat(opened.getShardsList()).extracting(Shard::getNumber).containsExactly(2L, 3L, 4L);
    second.send(WorkRequest.newBuilder().addAllReports(done(shards)));
    assertThat(second.hear().getOutcomesList())
        .containsExactly(
            ReportOutcome.REPORT_OUTCOME_UNSPECIFIED,
            ReportOutcome.REPORT_OUTCOME_UNSPECIFIED,
            ReportOutcome.REPORT_OUTCOME_REFUSED,
            ReportOutcome.REPORT_OUTCOME_REFUSED,
            ReportOutcome.REPORT_OUTCOME_REFUSED);
  }

  @Test
  void aStreamThatIsReplacedLeasesNoMore() throws Exception {
    Stream first = new Stream();
    first.send(open("a").setWant(2));
    first.hear();
    Stream second = new Stream();
    second.send(open("a"));
    second.hear();
    assertThat((Throwable) first.next()).hasMessageContaining("opened another stream");
    first.send(WorkRequest.newBuilder().setWant(5));
    second.send(WorkRequest.newBuilder().setWant(5));
    assertThat(second.hear().getShardsList())
        .as("nothing went to the first")
        .extracting(Shard::getNumber)
        .containsExactly(0L, 1L, 2L, 3L, 4L);
  }

  @Test
  void endsAStreamThatDoesNotBeginWithOpen() throws Exception {
    Stream stream = new Stream();
    stream.send(WorkRequest.newBuilder().setWant(1));
    Object heard = stream.next();
    assertThat(Status.fromThrowable((Throwable) heard).getCode())
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThatThrownBy(
            () -> {
              throw (Throwable) heard;
            })
        .hasMessageContaining("must be 'open'");
  }
}
