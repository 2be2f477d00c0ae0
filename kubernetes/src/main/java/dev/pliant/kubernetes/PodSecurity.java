package dev.pliant.kubernetes;

import io.fabric8.kubernetes.api.model.Capabilities;
import io.fabric8.kubernetes.api.model.CapabilitiesBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SeccompProfile;
import io.fabric8.kubernetes.api.model.SeccompProfileBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What Pod Security's `restricted` asks for, and where it is asked for.
public final class PodSecurity {
  /// Whom our own containers run as.
  static final long NOBODY = 65_532;

  private static final String ENFORCED = "pod-security.kubernetes.io/enforce";

  private PodSecurity() {}

  /// Whether pods of `namespace` that are not `restricted` are refused.
  public static boolean isEnforcedIn(@Nullable Namespace namespace) {
    Map<String, String> labels = namespace == null ? null : namespace.getMetadata().getLabels();
    return labels != null && "restricted".equals(labels.get(ENFORCED));
  }

  /// For a container of ours: all of it.
  static SecurityContext ours() {
    return new SecurityContextBuilder()
        .withRunAsNonRoot(true)
        .withRunAsUser(NOBODY)
        .withRunAsGroup(NOBODY)
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withCapabilities(dropAll())
        .withSeccompProfile(runtimeDefault())
        .build();
  }

  /// For a pod of ours. Its volumes become readable and writable for its group.
  static PodSecurityContext ourPod() {
    return new PodSecurityContextBuilder()
        .withRunAsNonRoot(true)
        .withRunAsUser(NOBODY)
        .withRunAsGroup(NOBODY)
        .withFsGroup(NOBODY)
        .withFsGroupChangePolicy("OnRootMismatch")
        .withSeccompProfile(runtimeDefault())
        .build();
  }

  /// Gives a user's pod what it lacks; what it says itself stays, and is the API server's to judge.
  static void restrict(PodSpec spec) {
    PodSecurityContext pod =
        Objects.requireNonNullElseGet(spec.getSecurityContext(), PodSecurityContext::new);
    if (pod.getRunAsNonRoot() == null) {
      pod.setRunAsNonRoot(true);
    }
    if (pod.getSeccompProfile() == null) {
      pod.setSeccompProfile(runtimeDefault());
    }
    spec.setSecurityContext(pod);
    spec.getContainers().forEach(PodSecurity::restrict);
    spec.getInitContainers().forEach(PodSecurity::restrict);
  }

  private static void restrict(Container container) {
    SecurityContext context =
        Objects.requireNonNullElseGet(container.getSecurityContext(), SecurityContext::new);
    // Beside `privileged` it would make no sense, and the API server would say so of what we wrote.
    if (context.getAllowPrivilegeEscalation() == null
        && !Boolean.TRUE.equals(context.getPrivileged())) {
      context.setAllowPrivilegeEscalation(false);
    }
    Capabilities capabilities =
        Objects.requireNonNullElseGet(context.getCapabilities(), Capabilities::new);
    if (capabilities.getDrop() == null || capabilities.getDrop().isEmpty()) {
      capabilities.setDrop(List.of("ALL"));
    }
    context.setCapabilities(capabilities);
    container.setSecurityContext(context);
  }

  private static Capabilities dropAll() {
    return new CapabilitiesBuilder().withDrop("ALL").build();
  }

  private static SeccompProfile runtimeDefault() {
    return new SeccompProfileBuilder().withType("RuntimeDefault").build();
  }
}
