package dev.pliant.operator;

import dev.pliant.kubernetes.Images;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// How an operator is run.
///
/// @param namespaces those whose jobs it sees to; none for all
/// @param leaderElection whether it works only while it holds the Lease [PliantOperator#LEASE]
/// @param home the namespace that the operator itself is in: its Lease is there
/// @param identity what it calls itself on the Lease
/// @param healthPort where `/healthz`, `/readyz` and `/metrics` answer; 0 for any free port, -1 for
///   none
public record OperatorConfig(
    Set<String> namespaces,
    boolean leaderElection,
    String home,
    String identity,
    Images images,
    int healthPort) {
  public static final String NAMESPACES_VARIABLE = "PLIANT_NAMESPACES";
  public static final String LEADER_ELECTION_VARIABLE = "PLIANT_LEADER_ELECTION";
  public static final String HEALTH_PORT_VARIABLE = "PLIANT_HEALTH_PORT";
  public static final String HOME_VARIABLE = "POD_NAMESPACE";
  public static final String IDENTITY_VARIABLE = "POD_NAME";
  public static final int DEFAULT_HEALTH_PORT = 8080;

  public OperatorConfig {
    namespaces = Set.copyOf(namespaces);
    if (healthPort < -1 || healthPort > 65_535) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN,
          "%d is no port for the operator's health; give one from 1 to 65535, or -1 for none."
              .formatted(healthPort));
    }
  }

  OperatorConfig withNamespaces(Set<String> others) {
    return new OperatorConfig(others, leaderElection, home, identity, images, healthPort);
  }

  /// As the environment of a pod says it.
  public static OperatorConfig of(Map<String, String> environment) {
    return new OperatorConfig(
        namespaces(environment.getOrDefault(NAMESPACES_VARIABLE, "")),
        truth(LEADER_ELECTION_VARIABLE, environment.getOrDefault(LEADER_ELECTION_VARIABLE, "true")),
        environment.getOrDefault(HOME_VARIABLE, "default"),
        environment.getOrDefault(
            IDENTITY_VARIABLE, "pliant-operator-" + ProcessHandle.current().pid()),
        Images.of(environment),
        number(
            HEALTH_PORT_VARIABLE,
            environment.getOrDefault(HEALTH_PORT_VARIABLE, Integer.toString(DEFAULT_HEALTH_PORT))));
  }

  /// Names with commas between them.
  public static Set<String> namespaces(String text) {
    return Arrays.stream(text.split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean truth(String variable, String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new PliantException(
              ErrorCode.BAD_JOB_PLAN,
              "%s is '%s'; it is 'true' or 'false'.".formatted(variable, text));
    };
  }

  private static int number(String variable, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN, "%s is '%s', which is no number.".formatted(variable, text), e);
    }
  }
}
