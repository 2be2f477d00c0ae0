package dev.pliant.operator.cluster;

import static java.net.HttpURLConnection.HTTP_BAD_REQUEST;

import dev.pliant.crds.Role;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.operator.decision.Trial;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Lets the API server look at a pod of each role of a job, without making it.
record TemplateTrials(KubernetesClient client, ObjectFactory factory, InstantSource clock) {
  /// A template that was refused is another's to change; only the cluster itself may change its
  /// mind, and seldom does.
  private static final Duration AGAIN = Duration.ofMinutes(1);

  private static final int HTTP_UNPROCESSABLE = 422;
  private static final String UNKNOWN_FIELDS = "strict decoding error: ";

  /// @throws KubernetesClientException where the namespace is being deleted
  Trial of(JobActions.Job job) {
    Instant again = clock.instant().plus(AGAIN);
    List<String> ignored = new ArrayList<>();
    for (Role role : job.sense().spec().replicaSpecs().keySet()) {
      if (role == Role.MASTER) {
        continue;
      }
      String strictly = refusal(job, role, Validation.STRICT);
      if (strictly == null) {
        continue;
      }
      String loosely =
          strictly.contains(UNKNOWN_FIELDS) ? refusal(job, role, Validation.IGNORE) : strictly;
      if (loosely != null) {
        return new Trial(
            "the cluster refuses the pod template of role '%s': %s"
                .formatted(role.label(), loosely),
            null,
            again);
      }
      ignored.add(
          "of the pod template of role '%s' the cluster passes over: %s"
              .formatted(
                  role.label(),
                  strictly.substring(strictly.indexOf(UNKNOWN_FIELDS) + UNKNOWN_FIELDS.length())));
    }
    return new Trial(null, ignored.isEmpty() ? null : String.join("; ", ignored), again);
  }

  /// What the API server would not take of the pod itself, or null.
  private @Nullable String refusal(JobActions.Job job, Role role, Validation validation) {
    try {
      var unused =
          client
              .pods()
              .inNamespace(job.namespace())
              .resource(pod(job, role))
              .dryRun()
              .fieldValidation(validation)
              .create();
      return null;
    } catch (PliantException e) {
      return String.valueOf(e.getMessage());
    } catch (KubernetesClientException e) {
      String said = JobActions.message(e);
      return switch (e.getCode()) {
        case HTTP_UNPROCESSABLE -> said;
        case HTTP_BAD_REQUEST -> said.contains("does not support dry run") ? null : said;
        default -> {
          if (JobActions.namespaceEnds(e)) {
            throw e;
          }
          // What is allowed may change, and who has no answer now may have one when pods are made.
          yield null;
        }
      };
    }
  }

  private Pod pod(JobActions.Job job, Role role) {
    String name = job.names().pod(new NodeId(role.label(), 0));
    return factory.node(
        job.resource(),
        job.sense(),
        null,
        new PodPlan(name, role.label(), 0, 0, 0, null),
        job.restricted().get());
  }
}
