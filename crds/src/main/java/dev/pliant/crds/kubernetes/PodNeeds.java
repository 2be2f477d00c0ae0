package dev.pliant.crds.kubernetes;

import dev.pliant.crds.Checkpoint;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.Role;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What the pods of a job's nodes need of their namespace and their machines, by what its users
/// wrote. Where a master makes the pods itself, this stands on its Role, which only the operator
/// writes, and the policy `pliant-master-pods-needs` of the cluster holds the master to it: one
/// that was taken over gets by a pod nothing that the job's own pods have not.
///
/// @param accounts ServiceAccounts other than `default`; `default` too where a token of it is
///   mounted
/// @param host whether anything of the machine itself is asked for, or a volume of a kind that may
///   bring it
record PodNeeds(Set<String> accounts, Set<String> secrets, Set<String> claims, boolean host) {
  static final String ACCOUNTS = "pliant.dev/pod-accounts";
  static final String SECRETS = "pliant.dev/pod-secrets";
  static final String CLAIMS = "pliant.dev/pod-claims";
  static final String HOST = "pliant.dev/pod-host";

  private static final String DEFAULT_ACCOUNT = "default";

  static PodNeeds of(ElasticJob job) {
    PodNeeds needs = new PodNeeds(new TreeSet<>(), new TreeSet<>(), new TreeSet<>(), false);
    Checkpoint checkpoint = job.spec().checkpoint();
    if (checkpoint != null && checkpoint.claim() != null) {
      needs.claims.add(checkpoint.claim());
    }
    boolean host = false;
    for (Role role : job.spec().replicaSpecs().keySet()) {
      if (role != Role.MASTER) {
        PodSpec spec = Templates.of(job, role).getSpec();
        needs.add(spec);
        host |= ofHost(spec);
      }
    }
    return new PodNeeds(needs.accounts, needs.secrets, needs.claims, host);
  }

  /// Names with commas between them: no name has one.
  Map<String, String> annotations() {
    Map<String, String> annotations = new LinkedHashMap<>();
    annotations.put(ACCOUNTS, String.join(",", accounts));
    annotations.put(SECRETS, String.join(",", secrets));
    annotations.put(CLAIMS, String.join(",", claims));
    annotations.put(HOST, Boolean.toString(host));
    return annotations;
  }

  private void add(PodSpec spec) {
    String account = account(spec);
    if (!account.equals(DEFAULT_ACCOUNT)
        || projections(spec).anyMatch(source -> source.getServiceAccountToken() != null)) {
      accounts.add(account);
    }
    Stream.of(
            spec.getVolumes().stream()
                .filter(volume -> volume.getSecret() != null)
                .map(volume -> volume.getSecret().getSecretName()),
            projections(spec)
                .filter(source -> source.getSecret() != null)
                .map(source -> source.getSecret().getName()),
            containers(spec).flatMap(PodNeeds::secretsOf))
        .flatMap(names -> names)
        .filter(Objects::nonNull)
        .forEach(secrets::add);
    spec.getVolumes().stream()
        .filter(volume -> volume.getPersistentVolumeClaim() != null)
        .map(volume -> volume.getPersistentVolumeClaim().getClaimName())
        .filter(Objects::nonNull)
        .forEach(claims::add);
  }

  private static String account(PodSpec spec) {
    return Stream.of(spec.getServiceAccountName(), spec.getServiceAccount())
        .filter(name -> name != null && !name.isEmpty())
        .findFirst()
        .orElse(DEFAULT_ACCOUNT);
  }

  private static Stream<VolumeProjection> projections(PodSpec spec) {
    return spec.getVolumes().stream()
        .filter(volume -> volume.getProjected() != null)
        .flatMap(volume -> volume.getProjected().getSources().stream());
  }

  private static Stream<Container> containers(PodSpec spec) {
    return Stream.of(spec.getContainers(), spec.getInitContainers()).flatMap(List::stream);
  }

  private static Stream<@Nullable String> secretsOf(Container container) {
    Stream<@Nullable String> whole =
        container.getEnvFrom().stream()
            .map(EnvFromSource::getSecretRef)
            .filter(Objects::nonNull)
            .map(secret -> secret.getName());
    Stream<@Nullable String> keys =
        container.getEnv().stream()
            .map(EnvVar::getValueFrom)
            .filter(source -> source != null && source.getSecretKeyRef() != null)
            .map(source -> source.getSecretKeyRef().getName());
    return Stream.concat(whole, keys);
  }

  private static boolean ofHost(PodSpec spec) {
    return Boolean.TRUE.equals(spec.getHostNetwork())
        || Boolean.TRUE.equals(spec.getHostPID())
        || Boolean.TRUE.equals(spec.getHostIPC())
        || !spec.getVolumes().stream().allMatch(PodNeeds::isPlain)
        || containers(spec).anyMatch(PodNeeds::ofHost);
  }

  /// A volume whose kind brings nothing of the machine or of storage that nobody has claimed.
  private static boolean isPlain(Volume volume) {
    return volume.getEmptyDir() != null
        || volume.getConfigMap() != null
        || volume.getSecret() != null
        || volume.getDownwardAPI() != null
        || volume.getProjected() != null
        || volume.getPersistentVolumeClaim() != null
        || volume.getEphemeral() != null;
  }

  private static boolean ofHost(Container container) {
    SecurityContext context = container.getSecurityContext();
    boolean strong =
        context != null
            && (Boolean.TRUE.equals(context.getPrivileged())
                || "Unmasked".equals(context.getProcMount())
                || (context.getCapabilities() != null
                    && !context.getCapabilities().getAdd().isEmpty()));
    return strong
        || container.getPorts().stream()
            .anyMatch(port -> port.getHostPort() != null && port.getHostPort() > 0);
  }
}
