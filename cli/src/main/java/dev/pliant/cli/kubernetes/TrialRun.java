package dev.pliant.cli.kubernetes;

import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Lets the API server look at a job that is to take the place of another, before that one is
/// deleted: what it refuses would leave neither.
final class TrialRun {
  private static final Pattern QUOTA = Pattern.compile("used: (.*), limited: ([^ ]*)");

  /// So many letters the server puts behind a name that it is to find.
  private static final int PUT_BEHIND = 5;

  private final Cluster cluster;

  TrialRun(Cluster cluster) {
    this.cluster = cluster;
  }

  /// @param job as it will be made; under a name of its own here, for its own is taken
  /// @param notes hears where the cluster cannot say
  /// @throws PliantException where it is refused; nothing was changed then
  void check(JobNames names, GenericKubernetesResource job, Consumer<String> notes) {
    GenericKubernetesResource trial = Serialization.clone(job);
    trial.getMetadata().setName(null);
    trial.getMetadata().setGenerateName(nameBefore(names.job().name()));
    try {
      var unused =
          cluster.client().resource(trial).inNamespace(names.namespace()).dryRun().create();
    } catch (KubernetesClientException e) {
      if (ClusterFaults.knowsNoDryRun(e)) {
        notes.accept(
            "whether the cluster takes the new job is seen when it is made: "
                + ClusterFaults.sentence(e));
      } else if (!makesRoom(ClusterFaults.sentence(e))) {
        PliantException fault = ClusterFaults.of(e, "replace job " + names.job(), cluster.name());
        throw new PliantException(
            fault.code(), fault.getMessage() + " The job that is there stays as it is.", e);
      }
    }
  }

  /// Short enough that the whole can still name a job.
  static String nameBefore(String job) {
    int room = JobNames.MAX_JOB_NAME - PUT_BEHIND - 1;
    return job.substring(0, Math.min(room, job.length())) + "-";
  }

  /// Whether a quota refuses it that has room again once the old job is gone.
  static boolean makesRoom(String said) {
    Matcher quota = QUOTA.matcher(said);
    if (!said.contains("exceeded quota") || !quota.find()) {
      return false;
    }
    String[] used = quota.group(1).split(",", -1);
    String[] limited = quota.group(2).replaceFirst("\\.$", "").split(",", -1);
    boolean room = used.length == limited.length;
    for (int i = 0; room && i < used.length; i++) {
      room = count(used[i]) <= count(limited[i]);
    }
    return room;
  }

  /// Of `count/elasticjobs.elastic.iml.github.io=3`. Jobs are counted, never measured.
  private static long count(String amount) {
    String number = amount.substring(amount.indexOf('=') + 1).strip();
    return number.matches("\\d{1,9}") ? Long.parseLong(number) : Long.MAX_VALUE;
  }
}
