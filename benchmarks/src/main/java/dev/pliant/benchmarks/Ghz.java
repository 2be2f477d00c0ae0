package dev.pliant.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// ghz, the load tool that measures single calls of every server alike.
final class Ghz {
  /// Connections the callers share.
  static final int CONNECTIONS = 4;

  private static final Pattern COUNT = Pattern.compile("Count:\\s+(\\d+)");
  private static final Pattern RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern OK = Pattern.compile("\\[OK]\\s+(\\d+) responses");
  private static final Pattern LATENCY =
      Pattern.compile("(\\d+) % in ([0-9.]+) (ns|µs|us|ms|s)\\b");

  private final Path ghz;

  Ghz(Path ghz) {
    this.ghz = ghz;
  }

  /// A call to a server: everything ghz must know but how hard and how long.
  ///
  /// @param server whose processor time is counted
  record Target(Child server, String address, String method, List<String> arguments) {
    Target {
      arguments = List.copyOf(arguments);
    }
  }

  /// Calls as fast as answers come, from so many callers, for so long.
  Load run(Target target, int callers, Duration time) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(ghz.toString());
    command.addAll(List.of("--call", target.method(), "-c", Integer.toString(callers)));
    command.addAll(List.of("--connections", Integer.toString(CONNECTIONS)));
    command.addAll(List.of("-z", time.toSeconds() + "s", "--duration-stop", "ignore"));
    command.addAll(target.arguments());
    command.add(target.address());
    Path output = Files.createTempFile("pliant-ghz", ".txt");
    Duration cpuBefore = target.server().cpu();
    try {
      Process process =
          new ProcessBuilder(command)
              // Not where the caller is: in the repository ghz takes the file `pliant` for the
              // folder of that name that our .proto files import from, and gives up.
              .directory(Path.of(System.getProperty("java.io.tmpdir")).toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(time.toSeconds() + 60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("ghz was still running a minute after its time");
      }
      Load load = parse(Files.readString(output));
      return load.withServerCpu(target.server().cpu().minus(cpuBefore));
    } finally {
      Files.deleteIfExists(output);
    }
  }

  /// Reads ghz's summary. Calls that failed are no result but a fault.
  static Load parse(String summary) throws IOException {
    Matcher count = COUNT.matcher(summary);
    Matcher rate = RATE.matcher(summary);
    Matcher ok = OK.matcher(summary);
    if (!count.find() || !rate.find() || !ok.find() || !ok.group(1).equals(count.group(1))) {
      throw new IOException("ghz had calls that failed:\n" + summary.strip());
    }
    return new Load(
        Double.parseDouble(rate.group(1)),
        Long.parseLong(ok.group(1)),
        latencyMs(summary, 50),
        latencyMs(summary, 99),
        0);
  }

  private static double latencyMs(String summary, int percentile) {
    Matcher latency = LATENCY.matcher(summary);
    while (latency.find()) {
      if (Integer.parseInt(latency.group(1)) == percentile) {
        return Double.parseDouble(latency.group(2)) * unitMs(latency.group(3));
      }
    }
    return Double.NaN;
  }

  private static double unitMs(String unit) {
    return switch (unit) {
      case "s" -> 1_000;
      case "ms" -> 1;
      case "ns" -> 1e-6;
      default -> 1e-3;
    };
  }

  /// A method of a Pliant master; the request as JSON, which ghz encodes once.
  static Target pliant(Bench bench, PliantMaster master, String method, String request)
      throws IOException {
    String service = method.substring(0, method.indexOf('/'));
    String file = service.equals("pliant.v1.JobService") ? "job" : "data";
    Path metadata = Files.createTempFile(bench.work(), "metadata", ".json");
    Files.writeString(
        metadata, "{\"authorization\":\"Bearer " + master.token() + "\"}", StandardCharsets.UTF_8);
    var arguments = new ArrayList<String>();
    arguments.addAll(List.of("--import-paths", bench.protos().toString()));
    arguments.addAll(
        List.of("--proto", bench.protos().resolve("pliant/v1/" + file + ".proto").toString()));
    arguments.addAll(List.of("-d", request, "--metadata-file", metadata.toString()));
    if (master.tls()) {
      arguments.addAll(List.of("--cacert", master.certificate().toString()));
      arguments.addAll(List.of("--cname", "pliant-master"));
    } else {
      arguments.add("--insecure");
    }
    return new Target(master.child(), master.address(), method, arguments);
  }

  /// `get` of a task from DLRover's master.
  static Target dlrover(DlroverMaster master) {
    DlroverMessages messages = master.messages();
    return new Target(
        master.child(),
        master.address(),
        "elastic.Master/get",
        List.of(
            "--insecure",
            "--proto",
            messages.proto().toString(),
            "--binary-file",
            messages.getTaskFile().toString()));
  }
}
