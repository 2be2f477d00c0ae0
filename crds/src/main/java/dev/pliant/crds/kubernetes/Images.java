package dev.pliant.crds.kubernetes;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.EnvVar;
import java.util.List;
import java.util.Map;

/// The images that Pliant itself runs from. The operator is told them and tells each master.
///
/// @param pullPolicy as Kubernetes writes it: `Always`, `IfNotPresent` or `Never`
public record Images(String master, String agent, String pullPolicy) {
  public static final String MASTER_VARIABLE = "PLIANT_MASTER_IMAGE";
  public static final String AGENT_VARIABLE = "PLIANT_AGENT_IMAGE";
  public static final String PULL_POLICY_VARIABLE = "PLIANT_IMAGE_PULL_POLICY";
  public static final String DEFAULT_PULL_POLICY = "IfNotPresent";

  private static final List<String> PULL_POLICIES = List.of("Always", "IfNotPresent", "Never");

  public Images {
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
  }

  /// As the environment of a process names them.
  public static Images of(Map<String, String> environment) {
    return new Images(
        environment.getOrDefault(MASTER_VARIABLE, ""),
        environment.getOrDefault(AGENT_VARIABLE, ""),
        environment.getOrDefault(PULL_POLICY_VARIABLE, DEFAULT_PULL_POLICY));
  }

  /// What [#of] reads.
  List<EnvVar> variables() {
    return List.of(
        new EnvVar(MASTER_VARIABLE, master, null),
        new EnvVar(AGENT_VARIABLE, agent, null),
        new EnvVar(PULL_POLICY_VARIABLE, pullPolicy, null));
  }
}
