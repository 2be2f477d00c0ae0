package dev.pliant.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.cli.run.ChildJvm;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DataServiceGrpc;
import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.GetDatasetRequest;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.PingRequest;
import dev.pliant.protocol.v1.RestoreCheckpointRequest;
import dev.pliant.protocol.v1.ShardConsumption;
import dev.pliant.protocol.v1.TableSource;
import dev.pliant.protocol.v1.TakeCheckpointRequest;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A Pliant master in a process of its own, with its own job folder, on loopback.
final class PliantMaster implements AutoCloseable {
  /// Records in a shard, as the bars have it.
  static final long SHARD_SIZE = 1_000;

  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Child child;
  private final Path folder;
  private final JobId job;
  private final String address;
  private final boolean tls;
  private final ManagedChannel control;

  private PliantMaster(Child child, Path folder, JobId job, String address, boolean tls)
      throws IOException {
    this.child = child;
    this.folder = folder;
    this.job = job;
    this.address = address;
    this.tls = tls;
    this.control = channel();
  }

  /// Starts a master on a folder, new or with a journal in it, and waits until it says where it is.
  static PliantMaster start(Bench bench, Path folder, boolean tls)
      throws IOException, InterruptedException {
    return start(bench, folder, tls, List.of());
  }

  /// @param options more arguments for the master
  static PliantMaster start(Bench bench, Path folder, boolean tls, List<String> options)
      throws IOException, InterruptedException {
    Path announcement = folder.resolve("master.json");
    Files.deleteIfExists(announcement);
    Child child =
        Child.start(
            "Pliant's master",
            command(bench, folder, tls, options),
            Map.of(),
            folder.resolve("out.log"));
    try {
      JsonNode told = JSON.readTree(child.await(announcement, START_TIMEOUT));
      return new PliantMaster(
          child, folder, JobId.parse(told.get("job").asText()), told.get("address").asText(), tls);
    } catch (IOException | InterruptedException | RuntimeException e) {
      child.close();
      throw e;
    }
  }

  /// As `pliant run` starts it, with what an experiment adds.
  private static List<String> command(Bench bench, Path folder, boolean tls, List<String> options) {
    var arguments =
        new ArrayList<>(
            List.of("master", "--with-parent", "--job-dir", folder.toString(), "--job", "bench"));
    if (!tls) {
      arguments.add("--insecure-loopback");
    }
    arguments.addAll(options);
    var command = new ArrayList<>(ChildJvm.command(ChildJvm.Kind.MASTER, arguments));
    command.addAll(command.indexOf("-cp"), bench.masterFlags());
    return command;
  }

  Child child() {
    return child;
  }

  /// The job it says it is master of.
  JobId jobId() {
    return job;
  }

  String address() {
    return address;
  }

  boolean tls() {
    return tls;
  }

  Path certificate() {
    return folder.resolve("ca.pem");
  }

  String token() throws IOException {
    return Files.readString(folder.resolve("token")).strip();
  }

  /// Milliseconds from the start of the process to the answer to a ping. Meant to be asked once,
  /// right after `start`.
  double firstAnswerMs() {
    var _ =
        JobServiceGrpc.newBlockingStub(control)
            .withWaitForReady()
            .withDeadlineAfter(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
            .ping(PingRequest.getDefaultInstance());
    return (System.nanoTime() - child.startedNanos()) / 1e6;
  }

  /// A connection of its own, with the token on every call. Callbacks run on its network thread.
  ManagedChannel channel() throws IOException {
    return channel(folder, address, tls);
  }

  /// A connection to the master of a job's folder.
  static ManagedChannel channel(Path folder, String address, boolean tls) throws IOException {
    var headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
        "Bearer " + Files.readString(folder.resolve("token")).strip());
    ClientInterceptor authorized = MetadataUtils.newAttachHeadersInterceptor(headers);
    var builder =
        NettyChannelBuilder.forTarget("dns:///" + address)
            .directExecutor()
            .intercept(authorized)
            .maxInboundMessageSize(16 << 20);
    if (tls) {
      builder
          .sslContext(
              GrpcSslContexts.forClient().trustManager(folder.resolve("ca.pem").toFile()).build())
          .overrideAuthority("pliant-master");
    } else {
      builder.usePlaintext();
    }
    return builder.build();
  }

  /// Registers a table of so many shards.
  void createDataset(String name, long shards) {
    var spec =
        DatasetSpec.newBuilder()
            .setName(name)
            .setTable(TableSource.newBuilder().setSize(shards * SHARD_SIZE))
            .setShards(ShardConsumption.newBuilder().setShardSize(SHARD_SIZE))
            .setEpochs(1);
    var _ = data().createDataset(CreateDatasetRequest.newBuilder().setSpec(spec).build());
  }

  DatasetProgress progress(String dataset) {
    return data()
        .getDataset(GetDatasetRequest.newBuilder().setDataset(dataset).build())
        .getProgress();
  }

  /// Shards that were ever leased and not given back: out or done.
  long shardsTaken(String dataset) {
    DatasetProgress progress = progress(dataset);
    return (progress.getRecordsOut() + progress.getRecordsDone()) / SHARD_SIZE;
  }

  /// Keeps the ledgers as they are now; returns the number to bring them back by.
  long takeCheckpoint() {
    return data()
        .takeCheckpoint(TakeCheckpointRequest.getDefaultInstance())
        .getCheckpoint()
        .getNumber();
  }

  /// Brings kept ledgers back: whatever was leased since is nobody's.
  void restore(long checkpoint) {
    var _ =
        data()
            .restoreCheckpoint(RestoreCheckpointRequest.newBuilder().setNumber(checkpoint).build());
  }

  long journalEvents() {
    return job().getJob(GetJobRequest.getDefaultInstance()).getJournalEvents();
  }

  JobServiceGrpc.JobServiceBlockingStub job() {
    return JobServiceGrpc.newBlockingStub(control).withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  private DataServiceGrpc.DataServiceBlockingStub data() {
    return DataServiceGrpc.newBlockingStub(control).withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  /// Ends it without a word, as `kill -9` does: it leaves its journal and no snapshot.
  void kill() {
    control.shutdownNow();
    child.kill();
  }

  @Override
  public void close() {
    control.shutdownNow();
    child.close();
  }
}
