package dev.pliant.kubernetes;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The images that Pliant itself runs from. The operator is told them and tells each master.
///
/// @param pullPolicy as Kubernetes writes it: `Always`, `IfNotPresent` or `Never`
/// @param pullSecrets names of Secrets by which they are pulled from a private registry; each is
///   looked for in the namespace of the job
public record Images(String master, String agent, String pullPolicy, List<String> pullSecrets) {
  public static final String MASTER_VARIABLE = "PLIANT_MASTER_IMAGE";
  public static final String AGENT_VARIABLE = "PLIANT_AGENT_IMAGE";
  public static final String PULL_POLICY_VARIABLE = "PLIANT_IMAGE_PULL_POLICY";
  public static final String PULL_SECRETS_VARIABLE = "PLIANT_IMAGE_PULL_SECRETS";
  public static final String DEFAULT_PULL_POLICY = "IfNotPresent";

  private static final List<String> PULL_POLICIES = List.of("Always", "IfNotPresent", "Never");
  private static final int MAX_NAME = 253;
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-.a-z0-9]*[a-z0-9])?");

  public Images {
    pullSecrets = List.copyOf(pullSecrets);
    if (master.isBlank() || agent.isBlank()) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN,
          "the images of master and agent are not known; set %s and %s."
              .formatted(MASTER_VARIABLE, AGENT_VARIABLE));
    }
    if (!PULL_POLICIES.contains(pullPolicy)) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN,
          "%s is '%s'; it is one of %s."
              .formatted(PULL_POLICY_VARIABLE, pullPolicy, String.join(", ", PULL_POLICIES)));
    }
    for (String secret : pullSecrets) {
      if (secret.length() > MAX_NAME || !NAME.matcher(secret).matches()) {
        throw new PliantException(
            ErrorCode.BAD_JOB_PLAN,
            "%s names '%s', which can name no Secret; write names with commas between them."
                .formatted(PULL_SECRETS_VARIABLE, secret));
      }
    }
  }

  /// From a registry that is open to the cluster.
  public Images(String master, String agent, String pullPolicy) {
    this(master, agent, pullPolicy, List.of());
  }

  /// As the environment of a process names them.
  public static Images of(Map<String, String> environment) {
    return new Images(
        environment.getOrDefault(MASTER_VARIABLE, ""),
        environment.getOrDefault(AGENT_VARIABLE, ""),
        environment.getOrDefault(PULL_POLICY_VARIABLE, DEFAULT_PULL_POLICY),
        names(environment.getOrDefault(PULL_SECRETS_VARIABLE, "")));
  }

  private static List<String> names(String text) {
    return Stream.of(text.split(",")).map(String::strip).filter(name -> !name.isEmpty()).toList();
  }

  /// What a pod needs to be pulled with: what its template names, then ours.
  List<LocalObjectReference> pullSecrets(@Nullable List<LocalObjectReference> template) {
    List<LocalObjectReference> all =
        new ArrayList<>(Objects.requireNonNullElse(template, List.of()));
    pullSecrets.stream()
        .map(LocalObjectReference::new)
        .filter(s -> !all.contains(s))
        .forEach(all::add);
    return all;
  }

  /// What [#of] reads.
  List<EnvVar> variables() {
    return List.of(
        new EnvVar(MASTER_VARIABLE, master, null),
        new EnvVar(AGENT_VARIABLE, agent, null),
        new EnvVar(PULL_POLICY_VARIABLE, pullPolicy, null),
        new EnvVar(PULL_SECRETS_VARIABLE, String.join(",", pullSecrets), null));
  }
}
