package dev.pliant.cli;

import dev.pliant.cli.run.ChildJvm;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.master.JobPlanFile;
import dev.pliant.master.Master;
import dev.pliant.master.MasterConfig;
import dev.pliant.master.platform.kubernetes.JobStart;
import dev.pliant.master.platform.kubernetes.KubernetesPlatform;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `pliant master`: one job's training master, in the foreground. Hidden, because `pliant run`
/// starts it.
@Command(
    name = "master",
    hidden = true,
    description = {
      "Run a job's training master in the foreground, until it is told to end.",
      "",
      "It goes on where the last master of that folder was, and writes its address to"
          + " master.json there once it serves. Where the folder has a job.json, it starts the"
          + " job's nodes and sees to them. 'pliant run' does this by itself.",
    },
    footer = {
      "",
      "Examples:",
      "  $ pliant master --job-dir ~/.local/state/pliant/jobs/default/count",
      "  $ pliant master --job-dir DIR --job team-a/digits --listen 127.0.0.1:7077",
      "  $ pliant master --job-dir DIR --job team-a/digits --platform kubernetes --secret /etc/pliant",
    })
final class MasterCommand implements Callable<Integer> {
  /// Longer than a node may take to leave.
  private static final Duration STOP_BOUND = Duration.ofSeconds(45);

  private static final String LOCAL = "local";

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Option(
      names = "--job-dir",
      required = true,
      paramLabel = "DIR",
      description = "The job's folder: journal, token, certificate, address.")
  Path folder;

  @Option(
      names = "--job",
      paramLabel = "NAMESPACE/NAME",
      description = "The job (default: as the folder's last two names).")
  @Nullable String job;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:0",
      description = "Where to serve; port 0 takes a free one (default: ${DEFAULT-VALUE}).")
  String listen = "127.0.0.1:0";

  @Option(
      names = "--insecure-loopback",
      description = "Serve without TLS, on a loopback address only.")
  boolean insecureLoopback;

  @Option(
      names = "--members",
      paramLabel = "MIN:MAX",
      description = "How many training processes make a group (default: whoever comes).")
  @Nullable String members;

  @Option(
      names = "--platform",
      paramLabel = "NAME",
      defaultValue = LOCAL,
      description =
          "Where nodes run: ${DEFAULT-VALUE}, by the folder's job.json, or kubernetes, by the"
              + " cluster's ElasticJob (default: ${DEFAULT-VALUE}).")
  String platform = LOCAL;

  @Option(
      names = "--secret",
      paramLabel = "DIR",
      description = "A folder with the job's token and certificate (default: the job's folder).")
  @Nullable Path secret;

  @Option(
      names = "--scaler",
      paramLabel = "NAME",
      description =
          "On kubernetes, who makes the pods: ${COMPLETION-CANDIDATES} (default: as the job says).")
  @Nullable ScalerKind scaler;

  @Option(
      names = "--with-parent",
      description = "End when standard input ends, and the job's nodes before that.")
  boolean withParent;

  @Override
  public Integer call() throws IOException, InterruptedException {
    InetSocketAddress address = address(listen);
    if (insecureLoopback && !address.getAddress().isLoopbackAddress()) {
      throw new PliantException(
          ErrorCode.BAD_MESSAGE,
          "--insecure-loopback serves on a loopback address only, and %s is none; leave it out, or listen on 127.0.0.1."
              .formatted(listen));
    }
    JobId id = job(job, folder);
    Path absolute = folder.toAbsolutePath().normalize();
    MasterConfig.Builder config = config(id, absolute, address);
    if (platform.equals(MasterConfig.KUBERNETES)) {
      if (!onKubernetes(id, absolute, config)) {
        return 0; // The job is over, and the cluster knows.
      }
    } else if (platform.equals(LOCAL)) {
      onThisMachine(id, absolute, config);
    } else {
      throw new PliantException(
          ErrorCode.BAD_MESSAGE,
          "--platform is '%s'; it is %s or %s."
              .formatted(platform, LOCAL, MasterConfig.KUBERNETES));
    }
    Master master = Master.start(config.build(), InstantSource.system());
    Runtime.getRuntime().addShutdownHook(new Thread(master::close, "stop"));
    if (withParent) {
      ParentWatch.start(() -> endWithoutParent(master));
    }
    PliantException why = master.awaitTermination();
    if (why != null) {
      throw why;
    }
    return 0;
  }

  /// The supervisor is gone, and nobody would ever look after this job: its nodes are ended first,
  /// as if somebody had stopped it, and then this process.
  private static void endWithoutParent(Master master) {
    try {
      master.stopJob("nobody: its supervisor is gone", STOP_BOUND);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    System.exit(Faults.FAILED);
  }

  private MasterConfig.Builder config(JobId id, Path absolute, InetSocketAddress address) {
    MasterConfig.Builder config =
        MasterConfig.builder(id, absolute)
            .listen(address)
            .insecureLoopback(insecureLoopback)
            .rules(rules(members));
    return secret == null ? config : config.secret(secret.toAbsolutePath());
  }

  /// With nodes as processes, where the job's folder has a plan.
  private static void onThisMachine(JobId id, Path absolute, MasterConfig.Builder config)
      throws IOException {
    Optional<JobPlan> plan = JobPlanFile.read(absolute);
    if (plan.isEmpty()) {
      return;
    }
    if (!plan.get().job().equals(id)) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN,
          "%s is of job %s, and this is the master of %s; start it with --job %s."
              .formatted(JobPlanFile.in(absolute), plan.get().job(), id, plan.get().job()));
    }
    config.nodes(MasterConfig.NodeConfig.local(plan.get(), ChildJvm.java(ChildJvm.Kind.AGENT)));
  }

  /// With nodes as pods.
  ///
  /// @return whether there is anything left to do for the job
  private boolean onKubernetes(JobId id, Path absolute, MasterConfig.Builder config)
      throws IOException {
    Map<String, String> settings = new TreeMap<>(System.getenv());
    settings.keySet().removeIf(name -> !name.startsWith("PLIANT_"));
    if (scaler != null) {
      settings.put(KubernetesPlatform.SCALER, scaler.name());
    }
    JobStart start = JobStart.prepare(id, absolute.resolve("journal"), settings);
    config
        .epochAbove(start.epochAbove())
        .nodes(MasterConfig.NodeConfig.kubernetes(start.plan(), settings, start.lost()));
    return !start.over();
  }

  /// The job that is named, or that the folder's last two names are.
  static JobId job(@Nullable String given, Path folder) {
    if (given != null) {
      return JobId.parse(given);
    }
    Path whole = folder.toAbsolutePath().normalize();
    int names = whole.getNameCount();
    if (names < 2) {
      throw new PliantException(
          ErrorCode.BAD_NAME, "the folder %s names no job; give one with --job.".formatted(whole));
    }
    return new JobId(whole.getName(names - 2).toString(), whole.getName(names - 1).toString());
  }

  private static RendezvousRules rules(@Nullable String members) {
    if (members == null) {
      return RendezvousRules.DEFAULT;
    }
    if (!members.matches("\\d{1,6}:\\d{1,6}")) {
      throw new PliantException(
          ErrorCode.BAD_MESSAGE,
          "--members says MIN:MAX, for instance 2:4, not '%s'.".formatted(members));
    }
    int colon = members.indexOf(':');
    return RendezvousRules.of(
        Integer.parseInt(members.substring(0, colon)),
        Integer.parseInt(members.substring(colon + 1)));
  }

  static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    String host = text.substring(0, Math.max(colon, 0)).replaceAll("^\\[|]$", "");
    String port = text.substring(colon + 1);
    if (host.isEmpty() || !port.matches("\\d{1,5}") || Integer.parseInt(port) > 65_535) {
      throw new PliantException(
          ErrorCode.BAD_MESSAGE, "'%s' is no address; write HOST:PORT.".formatted(text));
    }
    InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(port));
    if (address.isUnresolved()) {
      throw new PliantException(
          ErrorCode.BAD_MESSAGE, "host '%s' of '%s' is not known.".formatted(host, text));
    }
    return address;
  }
}
