package dev.pliant.benchmarks;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// DLRover's local master in a process of its own, on loopback, as PyPI ships it.
final class DlroverMaster implements AutoCloseable {
  /// What stands in tables and results.
  static final String NAME = "DLRover 0.6.1";

  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final String DATASET = "bench";

  private final Child child;
  private final String address;
  private final DlroverMessages messages;
  private final ManagedChannel control;

  private DlroverMaster(Child child, String address, DlroverMessages messages) {
    this.child = child;
    this.address = address;
    this.messages = messages;
    this.control = channel();
  }

  /// What it writes to its log: as shipped, a line for every task; or only what is amiss.
  enum Logging {
    AS_SHIPPED("INFO"),
    QUIET("WARNING");

    private final String level;

    Logging(String level) {
      this.level = level;
    }
  }

  static DlroverMaster start(Bench bench, Logging logging)
      throws IOException, InterruptedException {
    Path folder = bench.folder("dlrover");
    DlroverMessages messages = writeMessages(bench, folder.resolve("messages"));
    Path port = folder.resolve("port");
    Child child =
        Child.start(
            "DLRover's master",
            List.of(
                bench.python().toString(),
                bench.root().resolve("benchmarks/dlrover/master.py").toString(),
                port.toString(),
                "--platform=local",
                "--job_name=bench"),
            Map.of("DLROVER_LOG_LEVEL", logging.level),
            folder.resolve("out.log"));
    try {
      String address = "127.0.0.1:" + child.await(port, START_TIMEOUT);
      return new DlroverMaster(child, address, messages);
    } catch (IOException | InterruptedException | RuntimeException e) {
      child.close();
      throw e;
    }
  }

  /// Has DLRover's own classes write the requests for a table that never ends in a run.
  private static DlroverMessages writeMessages(Bench bench, Path folder)
      throws IOException, InterruptedException {
    makeMessages(bench, "messages.py", folder, List.of(DATASET, "1000000000", "1000", "1000"));
    return new DlroverMessages(folder);
  }

  /// Has a script of ours, with DLRover's own classes, write requests into a folder.
  static void makeMessages(Bench bench, String script, Path folder, List<String> arguments)
      throws IOException, InterruptedException {
    Files.createDirectories(folder);
    var command = new ArrayList<String>();
    command.add(bench.python().toString());
    command.add(bench.root().resolve("benchmarks/dlrover").resolve(script).toString());
    command.add(folder.toString());
    command.addAll(arguments);
    Path output = folder.resolve("out.log");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException("DLRover's messages could not be made:\n" + Files.readString(output));
    }
  }

  Child child() {
    return child;
  }

  String address() {
    return address;
  }

  DlroverMessages messages() {
    return messages;
  }

  /// A connection of its own. Callbacks run on its network thread.
  ManagedChannel channel() {
    return NettyChannelBuilder.forTarget("dns:///" + address)
        .directExecutor()
        .usePlaintext()
        .build();
  }

  /// Milliseconds from the start of the process to the answer to a call. Meant to be asked once,
  /// right after `start`.
  double firstAnswerMs() throws IOException {
    var _ = call(messages.getTask());
    return (System.nanoTime() - child.startedNanos()) / 1e6;
  }

  void createDataset() throws IOException {
    report(messages.dataset());
  }

  void report(byte[] message) throws IOException {
    byte[] answer =
        ClientCalls.blockingUnaryCall(control, DlroverMessages.REPORT, options(), message);
    if (!DlroverMessages.success(answer)) {
      throw new IOException("DLRover's master refused a report; see its log");
    }
  }

  /// Takes a task and gives its id: ids count up from 0, so it is how many were taken before.
  int takeTask() throws IOException {
    return DlroverMessages.taskId(call(messages.getTask()));
  }

  private byte[] call(byte[] request) {
    return ClientCalls.blockingUnaryCall(control, DlroverMessages.GET, options(), request);
  }

  private static CallOptions options() {
    return CallOptions.DEFAULT
        .withWaitForReady()
        .withDeadlineAfter(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    control.shutdownNow();
    child.close();
  }
}
