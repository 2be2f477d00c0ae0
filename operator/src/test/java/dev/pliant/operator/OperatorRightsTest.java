package dev.pliant.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The operator may do what it does and no more. That this is enough is shown by [OperatorIT],
/// which runs it with these rights alone.
final class OperatorRightsTest {
  @Test
  void overJobs() {
    assertThat(lines(OperatorRights.overJobs()))
        .containsExactlyInAnyOrder(
            "namespaces: get",
            "elasticjobs.elastic.iml.github.io: get,list,watch,patch,delete",
            "elasticjobs/status.elastic.iml.github.io: patch",
            "elasticjobs/finalizers.elastic.iml.github.io: update",
            "scaleplans.elastic.iml.github.io: get,list,watch,create,patch",
            "scaleplans/status.elastic.iml.github.io: patch",
            "jobresources.elastic.easydl.org: get,list,watch,create,patch",
            "jobresources/status.elastic.easydl.org: patch",
            "pods: get,list,watch,create,delete",
            "secrets: get,list,watch,create,delete",
            "serviceaccounts: get,list,watch,create,patch,delete",
            "services: get,list,watch,create,patch,delete",
            "networkpolicies.networking.k8s.io: get,list,watch,create,patch,delete",
            "roles.rbac.authorization.k8s.io: get,list,watch,create,patch,delete",
            "rolebindings.rbac.authorization.k8s.io: get,list,watch,create,patch,delete",
            "events: create");
  }

  /// The Java Operator SDK asks for `update` and then patches.
  @Test
  void atHome() {
    assertThat(lines(OperatorRights.atHome()))
        .containsExactly("leases.coordination.k8s.io: get,create,update,patch");
  }

  private static List<String> lines(List<PolicyRule> rules) {
    return rules.stream()
        .flatMap(rule -> rule.getApiGroups().stream().flatMap(group -> lines(group, rule)))
        .toList();
  }

  private static Stream<String> lines(String group, PolicyRule rule) {
    return rule.getResources().stream()
        .map(resource ->
            "%s%s: %s"
                .formatted(
                    resource,
                    group.isEmpty() ? "" : "." + group,
                    String.join(",", rule.getVerbs())));
  }
}
