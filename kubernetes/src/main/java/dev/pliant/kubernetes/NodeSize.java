package dev.pliant.kubernetes;

import dev.pliant.crds.ResourceAmounts;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a container may use and must be given.
final class NodeSize {
  private static final List<String> INSTALLER_NEEDS =
      List.of(ResourceAmounts.CPU, ResourceAmounts.MEMORY);

  private NodeSize() {}

  /// The template's, with what a plan says of it. A plan that names the template's own limit
  /// changes nothing, so that a container which asks for less than it may use goes on doing so;
  /// another amount is both, limit and request.
  static @Nullable ResourceRequirements of(
      @Nullable ResourceRequirements template, ResourceAmounts plan) {
    if (plan.isEmpty()) {
      return template;
    }
    Map<String, Quantity> limits = limits(template);
    Map<String, Quantity> requests = requests(template);
    plan.ofContainer()
        .forEach((name, amount) -> {
          if (!amount.equals(limits.get(name))) {
            limits.put(name, amount);
            requests.put(name, amount);
          }
        });
    return builder(template).withLimits(limits).withRequests(requests).build();
  }

  /// The same cores and memory as the main container.
  static ResourceRequirements ofInstaller(@Nullable ResourceRequirements main) {
    Map<String, Quantity> limits = limits(main);
    Map<String, Quantity> requests = requests(main);
    limits.keySet().retainAll(INSTALLER_NEEDS);
    requests.keySet().retainAll(INSTALLER_NEEDS);
    return new ResourceRequirementsBuilder().withLimits(limits).withRequests(requests).build();
  }

  private static ResourceRequirementsBuilder builder(@Nullable ResourceRequirements template) {
    return template == null
        ? new ResourceRequirementsBuilder()
        : new ResourceRequirementsBuilder(template);
  }

  private static Map<String, Quantity> limits(@Nullable ResourceRequirements template) {
    return template == null || template.getLimits() == null
        ? new LinkedHashMap<>()
        : new LinkedHashMap<>(template.getLimits());
  }

  private static Map<String, Quantity> requests(@Nullable ResourceRequirements template) {
    return template == null || template.getRequests() == null
        ? new LinkedHashMap<>()
        : new LinkedHashMap<>(template.getRequests());
  }
}
