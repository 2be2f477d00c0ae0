package dev.pliant.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// The command `benchmarks/run`. Exit codes: 0 every bar is met, 1 one is not or a measure failed,
/// 2 wrong usage.
@Command(
    name = "benchmarks/run",
    usageHelpWidth = 100,
    sortOptions = false,
    description = "Measures Pliant beside its limits and its peers, on this machine, in one run.",
    footer = {
      "",
      "Examples:",
      "  benchmarks/run                       everything",
      "  benchmarks/run --only lease,stream   two measures",
      "  benchmarks/run --full                the long form; its result is meant to be committed",
      "  benchmarks/run -o json               JSON instead of the table"
    })
public final class BenchmarksMain implements Callable<Integer> {
  private static final List<Measure> MEASURES =
      List.of(
          new LeaseCall(),
          new LeaseThenReport(),
          new WorkerStream(),
          new MasterStart(),
          new MasterMemory(),
          new Replay(),
          new LedgerMemory(),
          new AllocatorRound(),
          new PlanningRound(),
          new AgentsMeet(),
          new MembershipChanges(),
          new StepOverhead(),
          new MasterFailover(),
          new AgentCost(),
          new PodsAtScale(),
          new PodsOfManyJobs(),
          new PodsChange(),
          new LongProofs());

  @Option(names = "--full", description = "More and longer rounds.")
  private boolean full;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "MEASURE",
      description = "Only these measures; --list names them.")
  private List<String> only = List.of();

  @Option(names = "--list", description = "List the measures and do nothing.")
  private boolean list;

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds, if not the form's own.")
  private @Nullable Integer rounds;

  @Option(
      names = "--round-seconds",
      paramLabel = "S",
      description = "How long a round is, if not the form's own.")
  private @Nullable Integer roundSeconds;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      description = "What is printed: ${COMPLETION-CANDIDATES}.")
  private Form output = Form.table;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Where the JSON goes; target/result.json, or results/DATE.json with --full.")
  private @Nullable Path json;

  @Option(
      names = "--master-flag",
      paramLabel = "FLAG",
      description = "A flag for the JVM of Pliant's master, for experiments; may be repeated.")
  private List<String> masterFlags = List.of();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Say all this.")
  private boolean help;

  @Option(names = "--root", required = true, hidden = true)
  private Path root = Path.of(".");

  @Option(names = "--ghz", required = true, hidden = true)
  private Path ghz = Path.of("ghz");

  @Option(names = "--dlrover-python", required = true, hidden = true)
  private Path python = Path.of("python3");

  @Option(names = "--torch-python", required = true, hidden = true)
  private Path torchPython = Path.of("python3");

  @Option(names = "--commit", hidden = true)
  private String commit = "unknown";

  private final InstantSource clock = InstantSource.system();

  enum Form {
    table,
    json
  }

  /// Runs the command.
  public static void main(String... arguments) {
    System.exit(new CommandLine(new BenchmarksMain()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (list) {
      MEASURES.forEach(each -> System.out.printf("%-12s %s%n", each.name(), each.what()));
      return 0;
    }
    List<Measure> chosen = chosen();
    root = root.toAbsolutePath().normalize();
    Instant began = clock.instant();
    Path work = Files.createDirectories(root.resolve("benchmarks/target/work"));
    var bench = new Bench(root, work, ghz, python, torchPython, masterFlags, plan(), System.err);
    Machine machine = Machine.here(work);
    var rows = new ArrayList<Row>();
    for (Measure measure : chosen) {
      rows.addAll(run(measure, bench));
    }
    Instant ended = clock.instant();
    var result =
        new Result(began, Duration.between(began, ended), commit, machine, bench.plan(), rows);
    Path file = resultFile(began);
    result.write(file);
    print(result, file, System.out);
    if (rows.stream().anyMatch(row -> row.failure() != null)) {
      System.err.println("Logs of what failed are in " + work);
    } else {
      Folders.delete(work);
    }
    return result.met() ? 0 : 1;
  }

  private static List<Row> run(Measure measure, Bench bench) throws InterruptedException {
    bench.log().printf("%s: %s%n", measure.name(), measure.what());
    try {
      return measure.run(bench);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      String why = e.getMessage() == null ? e.toString() : e.getMessage();
      bench.say("failed: %s", why);
      return List.of(Row.failed(measure.name(), measure.name(), why));
    }
  }

  private void print(Result result, Path file, PrintStream out) throws IOException {
    switch (output) {
      case table -> out.print(ResultTable.of(result));
      case json -> out.println(result.json());
    }
    System.err.println("Written to " + file);
  }

  private Plan plan() {
    Plan form = full ? Plan.longForm() : Plan.quickForm();
    return new Plan(
        form.full(),
        rounds == null ? form.rounds() : rounds,
        roundSeconds == null ? form.round() : Duration.ofSeconds(roundSeconds),
        form.warmUp(),
        rounds == null ? form.starts() : rounds,
        rounds == null ? form.trainings() : rounds,
        rounds == null ? form.waves() : rounds,
        form.shards(),
        form.peerShards());
  }

  private Path resultFile(Instant began) {
    if (json != null) {
      return json;
    }
    Path home = root.resolve("benchmarks");
    return full
        ? home.resolve("results/" + began.atZone(ZoneOffset.UTC).toLocalDate() + ".json")
        : home.resolve("target/result.json");
  }

  private List<Measure> chosen() {
    Set<String> names = MEASURES.stream().map(Measure::name).collect(Collectors.toSet());
    var wanted = new LinkedHashSet<>(only);
    for (String name : wanted) {
      if (!names.contains(name)) {
        throw new CommandLine.ParameterException(
            new CommandLine(this),
            "there is no measure '%s'; benchmarks/run --list names them".formatted(name));
      }
    }
    return MEASURES.stream()
        .filter(measure -> wanted.isEmpty() || wanted.contains(measure.name()))
        .toList();
  }
}
