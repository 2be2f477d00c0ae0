package dev.pliant.cli.run;

import dev.pliant.cli.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A Java process of ours, with the flags that suit what it does. It runs in a session of its own,
/// so that Ctrl-C reaches the supervisor alone, and has a pipe as standard input, by which it
/// notices the supervisor's end.
public final class ChildJvm {
  /// What the process is for.
  public enum Kind {
    /// Long-lived and hot: the whole compiler, and room for a large ledger. It is up again soon
    /// after a crash, beside a training that leaves no processor free: so what is hot is compiled
    /// well when it has proved to be, not at the start because it was in a rehearsal.
    MASTER(
        "master",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:-AOTReplayTraining",
        "-XX:Tier4InvocationThreshold=50000",
        "-XX:Tier4MinInvocationThreshold=20000",
        "-XX:Tier4CompileThreshold=100000",
        "-XX:Tier4BackEdgeThreshold=200000",
        "-Xms16m",
        "-Xmx256m",
        "-XX:MaxDirectMemorySize=64m"),
    /// Keeps a master alive, as `pliant run` does.
    SUPERVISOR("jobs", "-XX:TieredStopAtLevel=1", "-Xms8m", "-Xmx128m"),
    /// One on every node, beside the training: as small as can be. Its cache is mapped where it was
    /// made for, else each agent would have pages of its own of all of it; what the compiler leaves
    /// is given back; and Netty does not unpack what is not used.
    AGENT(
        "agent",
        "-XX:TieredStopAtLevel=1",
        "-XX:Tier3InvocationThreshold=1000",
        "-XX:Tier3MinInvocationThreshold=500",
        "-XX:Tier3CompileThreshold=5000",
        "-Xms8m",
        "-Xmn2m",
        "-Xmx32m",
        "-XX:MaxMetaspaceSize=48m",
        "-XX:ReservedCodeCacheSize=16m",
        "-Xss256k",
        "-XX:MaxDirectMemorySize=8m",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:ArchiveRelocationMode=0",
        "-XX:-AOTReplayTraining",
        "-XX:TrimNativeHeapInterval=5000",
        "-Dio.grpc.netty.shaded.io.netty.transport.noNative=true",
        "-Dio.grpc.netty.shaded.io.netty.allocator.type=unpooled");

    private final String cache;
    private final List<String> flags;

    /// @param cache the AOT cache with the classes that it needs
    Kind(String cache, String... flags) {
      this.cache = cache;
      this.flags = List.of(flags);
    }
  }

  private ChildJvm() {}

  /// Starts `pliant ARGUMENTS…`.
  ///
  /// @param out where standard output goes; standard error is appended to `log`
  static Process start(Kind kind, List<String> arguments, ProcessBuilder.Redirect out, Path log)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command(kind, arguments));
    builder.redirectOutput(out);
    builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return builder.start();
  }

  /// The command of `pliant ARGUMENTS…`.
  public static List<String> command(Kind kind, List<String> arguments) {
    List<String> command = new ArrayList<>();
    setsid().ifPresent(setsid -> command.add(setsid.toString()));
    command.addAll(java(kind));
    command.addAll(arguments);
    return command;
  }

  /// How such a process is started, up to `pliant`'s own arguments, for whoever sees to its
  /// session.
  public static List<String> java(Kind kind) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    String build = System.getProperty("pliant.build", "");
    if (!build.isEmpty()) {
      command.add("-XX:AOTCache=" + Path.of(build, kind.cache + ".aot"));
    }
    // The launcher's own: with others the JVM would refuse the AOT cache.
    Arrays.stream(System.getProperty("pliant.jvm", "-XX:+UseSerialGC").split(" "))
        .filter(flag -> !flag.isEmpty())
        .forEach(command::add);
    command.addAll(kind.flags);
    for (String property : List.of("pliant.home", "pliant.build", "pliant.jvm", "pliant.log")) {
      String value = System.getProperty(property);
      if (value != null) {
        command.add("-D" + property + "=" + value);
      }
    }
    command.add("-cp");
    command.add(classPath(kind, build));
    command.add(Main.class.getName());
    return command;
  }

  /// An agent of the launcher's has few jars: each is opened, and its list of files kept.
  private static String classPath(Kind kind, String build) {
    Path its = Path.of(build, kind.cache + ".classpath");
    try {
      if (!build.isEmpty() && Files.exists(its)) {
        return Files.readString(its).strip();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the build of Pliant cannot be read: " + its, e);
    }
    return System.getProperty("java.class.path");
  }

  /// Not everywhere is there such a command; without it Ctrl-C reaches all processes at once.
  static Optional<Path> setsid() {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
        .map(folder -> Path.of(folder, "setsid"))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
