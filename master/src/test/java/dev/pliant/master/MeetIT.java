package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.CommitOutcome;
import dev.pliant.protocol.v1.CommitStepRequest;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.protocol.v1.MeetArrive;
import dev.pliant.protocol.v1.MeetOpen;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.protocol.v1.Member;
import dev.pliant.protocol.v1.RendezvousServiceGrpc;
import dev.pliant.protocol.v1.StepConsumption;
import dev.pliant.protocol.v1.TableSource;
import dev.pliant.protocol.v1.World;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Worlds over real gRPC with TLS: how they are formed, joined and left, and what is left of them
/// when the master or a stream is not.
class MeetIT {
  private static final JobId JOB = new JobId("default", "meet");
  private static final Duration LONG = Duration.ofMinutes(10);

  /// No time is ever up: what happens is said, however busy the machine is.
  private static final RendezvousRules PATIENT =
      RendezvousRules.of(1, 4).withWished(2).withLastCall(LONG).withPatience(LONG, LONG, LONG);

  @TempDir Path folder;
  private RunningMaster running;

  @BeforeEach
  void start() throws IOException {
    running = new RunningMaster(config(PATIENT));
  }

  private MasterConfig config(RendezvousRules rules) {
    return MasterConfig.builder(JOB, folder.resolve("job")).rules(rules).build();
  }

  @AfterEach
  void stop() {
    running.close();
  }

  private MeetingAgent agent(int number) throws IOException {
    return MeetingAgent.open(running, "worker-" + number);
  }

  /// Two agents in world 1.
  private MeetingAgent[] pair() throws Exception {
    MeetingAgent[] pair = {agent(0), agent(1)};
    pair[0].arrive(0, false);
    pair[1].arrive(0, false);
    assertThat(pair[0].world().getVersion()).isEqualTo(1);
    assertThat(pair[1].world().getVersion()).isEqualTo(1);
    return pair;
  }

  @Test
  void formsOneWorldThatEveryMemberIsToldAlike() throws Exception {
    MeetingAgent first = agent(0);
    first.arrive(0, false);
    MeetingAgent second = agent(1);
    second.arrive(0, false);
    World mine = first.world();
    World other = second.world();
    assertThat(mine.getVersion()).isEqualTo(other.getVersion());
    assertThat(mine.getSize()).isEqualTo(2);
    assertThat(mine.getAddress()).isEqualTo(other.getAddress());
    assertThat(mine.getMaxSize()).isEqualTo(4);
    assertThat(mine.getNodes()).isEqualTo(2);
    assertThat(mine.getRanks(0).getRank() + other.getRanks(0).getRank()).isEqualTo(1);
    assertThat(mine.getNodeRank() + other.getNodeRank()).isEqualTo(1);
    GetJobResponse job = running.job().getJob(GetJobRequest.getDefaultInstance());
    assertThat(job.getWorld().getMembersList()).containsExactlyInAnyOrder("worker-0", "worker-1");
    assertThat(job.getWorld().getVersion()).isEqualTo(1);
    assertThat(job.getWorld().getReforming()).isFalse();
  }

  @Test
  void takesAJoinerInAtABoundary() throws Exception {
    MeetingAgent[] pair = pair();
    MeetingAgent joiner = agent(2);
    joiner.arrive(0, false);
    for (MeetingAgent member : pair) {
      assertThat(member.reform().getAbort()).isFalse();
    }
    pair[0].arrive(1, true);
    pair[1].arrive(1, true);
    assertThat(pair[0].world().getSize()).isEqualTo(3);
    assertThat(pair[1].world().getVersion()).isEqualTo(2);
    World joined = joiner.world();
    assertThat(joined.getRanks(0).getRank()).as("whoever holds state comes first").isEqualTo(2);
  }

  @Test
  void reformsWithoutTheOneThatDied() throws Exception {
    MeetingAgent[] pair = pair();
    pair[0].leave(ExitReason.EXIT_REASON_KILLED);
    assertThat(pair[1].reform().getVersion()).isEqualTo(1);
    pair[1].arrive(1, true);
    World alone = pair[1].world();
    assertThat(alone.getSize()).isEqualTo(1);
    assertThat(alone.getRanks(0).getRank()).isZero();
  }

  @Test
  void leavesOutTheOneThatStopped() throws Exception {
    running.close();
    running =
        new RunningMaster(
            config(PATIENT.withPatience(Duration.ofSeconds(1), Duration.ofSeconds(2), LONG)));
    MeetingAgent[] pair = pair();
    pair[1].arrive(1, true);
    assertThat(pair[0].reform().getAbort()).isFalse();
    assertThat(pair[0].reform().getAbort()).isTrue();
    assertThat(pair[1].world().getSize()).isEqualTo(1);
    pair[0].arrive(1, true);
    MeetResponse out = pair[0].hear();
    assertThat(out.getExcluded().getReleased()).isFalse();
    assertThat(out.getExcluded().getWorker()).isEqualTo("worker-0");
  }

  @Test
  void releasesTheOneThatDrains() throws Exception {
    MeetingAgent[] pair = pair();
    pair[0].drain();
    pair[0].reform();
    pair[1].reform();
    pair[0].arrive(1, true);
    assertThat(pair[0].hear().getExcluded().getReleased()).isTrue();
    pair[1].arrive(1, true);
    assertThat(pair[1].world().getSize()).isEqualTo(1);
  }

  @Test
  void closesWhenTheTrainingIsComplete() throws Exception {
    MeetingAgent[] pair = pair();
    MeetingAgent late = agent(2);
    long before = journalEvents();
    pair[0].leave(ExitReason.EXIT_REASON_UNSPECIFIED);
    await().until(() -> journalEvents() > before);
    late.arrive(0, false);
    assertThat(late.hear().getClosed().getComplete()).isTrue();
    assertThat(pair[1].heardNothing()).as("whoever still trains is not disturbed").isTrue();
  }

  private long journalEvents() throws IOException {
    return running.job().getJob(GetJobRequest.getDefaultInstance()).getJournalEvents();
  }

  @Test
  void goesOnWhereAKilledMasterWas() throws Exception {
    MeetingAgent[] pair = pair();
    MeetingAgent joiner = agent(2);
    joiner.arrive(0, false);
    pair[0].reform();
    pair[1].reform();
    long before = journalEvents();
    pair[0].arrive(1, true);
    await().until(() -> journalEvents() > before);
    // The first master is not asked to end: it leaves no snapshot, only what it wrote.
    RunningMaster dead = running;
    try {
      running = new RunningMaster(config(PATIENT));
      MeetingAgent again0 = MeetingAgent.open(running, "worker-0", pair[0].waits(1, true));
      MeetingAgent again1 = MeetingAgent.open(running, "worker-1", pair[1].trains(1));
      MeetingAgent again2 = MeetingAgent.open(running, "worker-2", joiner.waits(0, false));
      assertThat(again1.reform().getVersion()).isEqualTo(1);
      again1.arrive(1, true);
      World world = again1.world();
      assertThat(world.getVersion()).isEqualTo(2);
      assertThat(world.getSize()).isEqualTo(3);
      assertThat(again2.world().getVersion()).isEqualTo(2);
      assertThat(again0.world().getVersion()).isEqualTo(2);
    } finally {
      dead.close();
    }
  }

  @Test
  void mendsWhatWasLostWithAStream() throws Exception {
    MeetingAgent[] pair = pair();
    // worker-0's agent lost its stream before the world came; worker-1's lost the word that its
    // process is gone.
    MeetingAgent again0 = MeetingAgent.open(running, "worker-0", pair[0].waits(0, false));
    assertThat(Status.fromThrowable((Throwable) pair[0].next()).getCode())
        .isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(again0.world().getVersion()).isEqualTo(1);
    MeetingAgent.open(running, "worker-1");
    assertThat(again0.reform().getVersion()).isEqualTo(1);
    again0.arrive(1, true);
    assertThat(again0.world().getSize()).isEqualTo(1);
  }

  @Test
  void fencesCommitsByTheNewestWorld() throws Exception {
    running
        .data()
        .createDataset(
            CreateDatasetRequest.newBuilder()
                .setSpec(
                    DatasetSpec.newBuilder()
                        .setName("train")
                        .setTable(TableSource.newBuilder().setSize(100))
                        .setSteps(StepConsumption.newBuilder().setBatchSize(10))
                        .setEpochs(2))
                .build());
    MeetingAgent[] pair = pair();
    assertThat(commit(0, 4, 1).getNumber()).isZero();
    pair[0].leave(ExitReason.EXIT_REASON_KILLED);
    pair[1].reform();
    pair[1].arrive(1, true);
    pair[1].world();
    assertThat(commit(0, 5, 1)).isEqualTo(CommitOutcome.COMMIT_OUTCOME_OLD_WORLD);
    assertThat(commit(1, 2, 2).getNumber()).isZero();
    GetJobResponse job = running.job().getJob(GetJobRequest.getDefaultInstance());
    assertThat(job.getDatasets(0).getRecordsDone()).isEqualTo(130);
    assertThat(job.getMetricsMap()).containsEntry("loss", 0.5);
  }

  private CommitOutcome commit(long epoch, long step, long world) throws IOException {
    return running
        .data()
        .commitStep(
            CommitStepRequest.newBuilder()
                .setDataset("train")
                .setEpoch(epoch)
                .setStep(step)
                .setWorld(world)
                .setThrough(true)
                .putMetrics("loss", 0.5)
                .build())
        .getOutcome();
  }

  @Test
  void refusesWordsThatMeanNothingAndChangesNothing() throws Exception {
    Member noAddress = Member.newBuilder().setWorker("worker-0").setIncarnation(1).build();
    Member good = new MeetingAgent(running, "worker-0").waits(0, false);
    refused(MeetRequest.newBuilder(), "open");
    refused(arrive(good), "open");
    refused(open("no node at all"), "is no node");
    refused(open("worker-0", noAddress), "HOST:PORT");
    refused(open("worker-0", good, good), "twice");
    afterOpen(arrive(), "names no member");
    afterOpen(arrive(good.toBuilder().setAfter(7).build()), null);
    afterOpen(open("worker-0"), "once");
    afterOpen(MeetRequest.newBuilder(), "no word");
    GetJobResponse job = running.job().getJob(GetJobRequest.getDefaultInstance());
    assertThat(job.getWorld().getWaitingList()).isEmpty();
    assertThat(job.getWorkersList()).isEmpty();
  }

  private static MeetRequest.Builder open(String node, Member... members) {
    return MeetRequest.newBuilder()
        .setOpen(MeetOpen.newBuilder().setNode(node).addAllMembers(java.util.List.of(members)));
  }

  private static MeetRequest.Builder arrive(Member... members) {
    return MeetRequest.newBuilder()
        .setArrive(MeetArrive.newBuilder().addAllMembers(java.util.List.of(members)));
  }

  private void refused(MeetRequest.Builder first, String why) throws Exception {
    MeetingAgent agent = new MeetingAgent(running, "worker-0");
    agent.send(first);
    Status status = Status.fromThrowable((Throwable) agent.next());
    assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(status.getDescription()).contains(why);
  }

  /// @param why what the refusal says, or null where the member is told that it is out
  private void afterOpen(MeetRequest.Builder word, @org.jspecify.annotations.Nullable String why)
      throws Exception {
    MeetingAgent agent = MeetingAgent.open(running, "worker-0");
    agent.send(word);
    Object heard = agent.next();
    if (why == null) {
      assertThat(((MeetResponse) heard).getExcluded().getReleased()).isFalse();
    } else {
      Status status = Status.fromThrowable((Throwable) heard);
      assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
      assertThat(status.getDescription()).contains(why);
    }
    agent.end();
  }

  @Test
  void asksForTheTokenAsEverythingDoes() throws Exception {
    CompletableFuture<Status> ended = new CompletableFuture<>();
    StreamObserver<MeetRequest> master =
        RendezvousServiceGrpc.newStub(running.channel)
            .meet(
                new StreamObserver<>() {
                  @Override
                  public void onNext(MeetResponse response) {}

                  @Override
                  public void onError(Throwable error) {
                    ended.complete(Status.fromThrowable(error));
                  }

                  @Override
                  public void onCompleted() {
                    ended.complete(Status.OK);
                  }
                });
    master.onNext(open("worker-0").build());
    assertThat(ended.get(20, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
  }
}
