package dev.pliant.cli;

import dev.pliant.cli.verify.VerificationJson;
import dev.pliant.cli.verify.VerificationText;
import dev.pliant.master.verify.Verification;
import dev.pliant.master.verify.Verification.RecordHistory;
import dev.pliant.master.verify.Verifier;
import dev.pliant.model.DatasetName;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant verify`.
@Command(
    name = "verify",
    description = {
      "Count, from a job's journal, what became of every record.",
      "",
      "Reads the journal from its first event, beside a job that may be running, and says how many"
          + " records are done, out with a worker or waiting, and which have more or less than one"
          + " completion: none, or the exit code is 1.",
      "",
      "The journal of a job in a cluster lies on the claim that its 'spec.storage' names: mount that"
          + " and name the job's folder with --folder.",
    },
    footer = {
      "",
      "Examples:",
      "  Has every record been trained once?",
      "    $ pliant verify count",
      "  What happened to records 0 to 9?",
      "    $ pliant verify count --records 0:10",
      "  In another namespace, for a script:",
      "    $ pliant verify research/count -o json",
      "  What a cluster's job of that uid has left on a claim, mounted at /mnt:",
      "    $ pliant verify research/count --folder /mnt/research/count/UID/job",
    })
final class VerifyCommand implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Parameters(paramLabel = "JOB", description = "The job: NAME, or NAMESPACE/NAME.")
  String job;

  @Option(
      names = "--records",
      paramLabel = "A:B",
      description = "Show the history of each of the records A to B - 1, counted from 0.")
  @Nullable String records;

  @Option(
      names = "--dataset",
      paramLabel = "NAME",
      description = "The dataset of --records, where the job has several.")
  @Nullable String dataset;

  @Option(
      names = "--partition",
      paramLabel = "NAME",
      description = "The partition of --records, where the dataset is a stream.")
  @Nullable String partition;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "How to print it: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  OutputFormat output = OutputFormat.text;

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "The job's folder, where it is none of this machine's own jobs.")
  @Nullable Path folder;

  @Mixin Where where = new Where();

  @Override
  public Integer call() throws IOException {
    Verifier verifier = verifier();
    Verification found = verifier.verify();
    PrintWriter out = spec.commandLine().getOut();
    if (records != null) {
      List<RecordHistory> histories = histories(verifier, found, records);
      switch (output) {
        case text -> VerificationText.lines(histories).forEach(out::println);
        case json -> out.println(VerificationJson.of(histories));
      }
    } else {
      switch (output) {
        case text -> VerificationText.lines(found).forEach(out::println);
        case json -> out.println(VerificationJson.of(found));
      }
    }
    out.flush();
    return found.holds() ? 0 : Faults.FAILED;
  }

  private Verifier verifier() throws IOException {
    Where.JobFolder found = where.jobFolder(job, folder, "verify");
    return Verifier.ofFolder(found.job(), found.folder());
  }

  private List<RecordHistory> histories(Verifier verifier, Verification found, String range)
      throws IOException {
    long[] fromTo = Verifier.range(range);
    return verifier.history(datasetOf(found), Optional.ofNullable(partition), fromTo[0], fromTo[1]);
  }

  private DatasetName datasetOf(Verification found) {
    if (dataset != null) {
      return new DatasetName(dataset);
    }
    List<DatasetName> names = found.datasets().stream().map(d -> d.spec().name()).toList();
    if (names.size() != 1) {
      throw new PliantException(
          ErrorCode.BAD_MESSAGE,
          "job %s has %s; say which with --dataset."
              .formatted(found.job(), names.isEmpty() ? "no dataset" : "datasets " + names));
    }
    return names.getFirst();
  }
}
