package dev.pliant.cli;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Options of torchrun's that Pliant has no need of, so that its command lines work as they are.
/// None is ignored in silence: a note says what it comes to, or an error why it cannot be.
final class TorchrunOptions {
  private static final List<String> HERE = List.of("localhost", "127.0.0.1", "::1", "0.0.0.0");

  @Option(names = "--standalone", hidden = true)
  boolean standalone;

  @Option(names = "--rdzv-backend", hidden = true)
  @Nullable String backend;

  @Option(names = "--rdzv-endpoint", hidden = true)
  @Nullable String endpoint;

  @Option(names = "--rdzv-id", hidden = true)
  @Nullable String id;

  @Option(names = "--rdzv-conf", hidden = true)
  @Nullable String conf;

  @Option(names = "--node-rank", hidden = true)
  @Nullable Integer nodeRank;

  @Option(names = "--master-addr", hidden = true)
  @Nullable String masterAddress;

  @Option(names = "--master-port", hidden = true)
  @Nullable Integer masterPort;

  @Option(names = "--local-addr", hidden = true)
  @Nullable String localAddress;

  @Option(names = "--monitor-interval", hidden = true)
  @Nullable Double monitorInterval;

  @Option(names = "--start-method", hidden = true)
  @Nullable String startMethod;

  @Option(names = "--role", hidden = true)
  @Nullable String role;

  @Option(
      names = {"-r", "--redirects"},
      hidden = true)
  @Nullable String redirects;

  @Option(
      names = {"-t", "--tee"},
      hidden = true)
  @Nullable String tee;

  @Option(names = "--run-path", hidden = true)
  boolean runPath;

  /// What the options that were given come to, a sentence each.
  ///
  /// @throws PliantException where one asks for what cannot be
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (standalone) {
      notes.add("--standalone: so it is; the job's master runs on this machine");
    }
    if (backend != null || id != null) {
      notes.add("--rdzv-backend and --rdzv-id: the job's own master forms the groups");
    }
    checkHere("--rdzv-endpoint", endpoint, notes);
    checkHere("--master-addr", masterAddress, notes);
    checkHere("--local-addr", localAddress, notes);
    if (masterPort != null) {
      notes.add("--master-port: a port that is free is taken for every group");
    }
    if (nodeRank != null && nodeRank != 0) {
      throw bad(
          "--node-rank is %d: nodes of several machines cannot be joined by hand. All nodes run on this machine: say how many with --nnodes."
              .formatted(nodeRank));
    }
    if (nodeRank != null) {
      notes.add("--node-rank: ranks are given by age, and the oldest worker is rank 0");
    }
    if (monitorInterval != null) {
      notes.add("--monitor-interval: a process's end is noticed at once, nobody polls");
    }
    if (startMethod != null || role != null) {
      notes.add("--start-method and --role have no effect");
    }
    if (redirects != null || tee != null) {
      notes.add("--redirects and --tee: every worker's output is shown, and kept in its log");
    }
    if (runPath) {
      throw bad("--run-path is not known here; leave it out: the script is run as a program.");
    }
    if (conf != null && lastCallMillis() == null) {
      notes.add("--rdzv-conf: of it, last_call_timeout alone has a meaning here");
    }
    return notes;
  }

  /// `last_call_timeout` of `--rdzv-conf`, or null.
  @Nullable Integer lastCallMillis() {
    for (String setting : conf == null ? new String[0] : conf.split(",", -1)) {
      String[] parts = setting.split("=", 2);
      if (parts[0].strip().equals("last_call_timeout")) {
        if (parts.length < 2 || !parts[1].strip().matches("\\d{1,4}(\\.\\d+)?")) {
          throw bad(
              "last_call_timeout of --rdzv-conf is '%s'; write seconds."
                  .formatted(parts.length < 2 ? "" : parts[1]));
        }
        return (int) Math.min(3_600_000, 1_000 * Double.parseDouble(parts[1].strip()));
      }
    }
    return null;
  }

  private static void checkHere(String option, @Nullable String address, List<String> notes) {
    if (address == null) {
      return;
    }
    String host = address.replaceFirst(":\\d*$", "").replaceAll("^\\[|]$", "");
    if (!host.isEmpty() && !HERE.contains(host)) {
      throw bad(
          "%s is '%s': groups over several machines need a cluster. On this machine leave it out."
              .formatted(option, address));
    }
    notes.add(option + ": the group's address is chosen on this machine");
  }

  private static PliantException bad(String message) {
    return new PliantException(ErrorCode.BAD_MESSAGE, message);
  }
}
