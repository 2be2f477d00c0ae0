package dev.pliant.kubernetes;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.pliant.crds.Checkpoint;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.Role;
import io.fabric8.kubernetes.api.model.CSIVolumeSource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvFromSource;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.NFSVolumeSource;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimSpec;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What the pods of a job's nodes need of their namespace and their machines, by what its users
/// wrote. Where a master makes the pods itself, this stands on its Role, which only the operator
/// writes, and the policy `pliant-master-pods-needs` of the cluster holds the master to it: one
/// that was taken over gets by a pod nothing that the job's own pods have not.
///
/// @param accounts ServiceAccounts other than `default`
/// @param tokens ServiceAccounts of which a token is mounted
/// @param host what of the machine itself is asked for: `network`, `pid`, `ipc`, `port`,
///   `privileged`, `procMount`, `capability NAME`, `path PATH` for a folder of it; and which
///   storage that nobody has claimed, with tabs between: `nfs SERVER PATH READONLY`, `csi DRIVER
///   FSTYPE READONLY SECRET NAME=VALUE…`, and `volume` for all of any other kind
/// @param priorities PriorityClasses
record PodNeeds(
    Set<String> accounts,
    Set<String> tokens,
    Set<String> secrets,
    Set<String> claims,
    Set<String> host,
    Set<String> priorities) {
  static final String ACCOUNTS = "pliant.dev/pod-accounts";
  static final String TOKENS = "pliant.dev/pod-tokens";
  static final String SECRETS = "pliant.dev/pod-secrets";
  static final String CLAIMS = "pliant.dev/pod-claims";
  static final String HOST = "pliant.dev/pod-host";
  static final String PRIORITIES = "pliant.dev/pod-priorities";

  private static final String DEFAULT_ACCOUNT = "default";
  private static final TypeReference<Map<String, Object>> KINDS = new TypeReference<>() {};

  /// Kinds of volumes that bring nothing of the machine, nor storage that nobody has claimed.
  private static final Set<String> PLAIN =
      Set.of(
          "emptyDir", "configMap", "secret", "downwardAPI", "projected", "persistentVolumeClaim");

  static PodNeeds of(ElasticJob job) {
    PodNeeds needs =
        new PodNeeds(
            new TreeSet<>(),
            new TreeSet<>(),
            new TreeSet<>(),
            new TreeSet<>(),
            new TreeSet<>(),
            new TreeSet<>());
    Checkpoint checkpoint = job.spec().checkpoint();
    if (checkpoint != null && checkpoint.claim() != null) {
      needs.claims.add(checkpoint.claim());
    }
    needs.addSecrets(NodeVariables.ofJob(job));
    for (Role role : job.spec().replicaSpecs().keySet()) {
      if (role != Role.MASTER) {
        PodSpec template = Templates.of(job, role).getSpec();
        needs.add(template);
        needs.priorities.addAll(PodPriority.all(job, role, template));
      }
    }
    return needs;
  }

  /// Names with commas between them: no name has one. A path may; no path has a new line.
  Map<String, String> annotations() {
    Map<String, String> annotations = new LinkedHashMap<>();
    annotations.put(ACCOUNTS, String.join(",", accounts));
    annotations.put(TOKENS, String.join(",", tokens));
    annotations.put(SECRETS, String.join(",", secrets));
    annotations.put(CLAIMS, String.join(",", claims));
    annotations.put(HOST, String.join("\n", host));
    annotations.put(PRIORITIES, String.join(",", priorities));
    return annotations;
  }

  private void add(PodSpec spec) {
    String account = account(spec);
    if (!account.equals(DEFAULT_ACCOUNT)) {
      accounts.add(account);
    }
    if (Boolean.TRUE.equals(spec.getHostNetwork())) {
      host.add("network");
    }
    if (Boolean.TRUE.equals(spec.getHostPID())) {
      host.add("pid");
    }
    if (Boolean.TRUE.equals(spec.getHostIPC())) {
      host.add("ipc");
    }
    each(spec.getVolumes()).forEach(volume -> add(volume, account));
    each(spec.getContainers()).forEach(this::add);
    each(spec.getInitContainers()).forEach(this::add);
  }

  private static <T> List<T> each(@Nullable List<T> list) {
    return Objects.requireNonNullElse(list, List.of());
  }

  private void add(Volume volume, String account) {
    if (volume.getSecret() != null) {
      addSecret(volume.getSecret().getSecretName());
    }
    if (volume.getPersistentVolumeClaim() != null
        && volume.getPersistentVolumeClaim().getClaimName() != null) {
      claims.add(volume.getPersistentVolumeClaim().getClaimName());
    }
    if (volume.getProjected() != null) {
      for (VolumeProjection source : each(volume.getProjected().getSources())) {
        if (source.getSecret() != null) {
          addSecret(source.getSecret().getName());
        }
        if (source.getServiceAccountToken() != null) {
          tokens.add(account);
        }
      }
    }
    if (volume.getHostPath() != null) {
      host.add("path " + volume.getHostPath().getPath());
    } else if (volume.getNfs() != null) {
      add(volume.getNfs());
    } else if (volume.getCsi() != null) {
      add(volume.getCsi());
    } else if (!isPlain(volume)) {
      host.add("volume");
    }
  }

  private void add(NFSVolumeSource nfs) {
    addExactly(
        Stream.of("nfs", nfs.getServer(), nfs.getPath(), isTrue(nfs.getReadOnly())).toList());
  }

  private void add(CSIVolumeSource csi) {
    LocalObjectReference secret = csi.getNodePublishSecretRef();
    Stream<@Nullable String> fields =
        Stream.of(
            "csi",
            csi.getDriver(),
            csi.getFsType(),
            isTrue(csi.getReadOnly()),
            secret == null ? "" : secret.getName());
    Map<String, String> attributes =
        Objects.requireNonNullElse(csi.getVolumeAttributes(), Map.of());
    addExactly(
        Stream.concat(
                fields,
                new TreeMap<>(attributes)
                    .entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue()))
            .toList());
  }

  private static String isTrue(@Nullable Boolean value) {
    return Boolean.toString(Boolean.TRUE.equals(value));
  }

  /// One that could be taken for another is left out, so that its pods are refused.
  private void addExactly(List<@Nullable String> fields) {
    List<String> said =
        fields.stream().map(field -> Objects.requireNonNullElse(field, "")).toList();
    if (said.stream().noneMatch(field -> field.contains("\t") || field.contains("\n"))) {
      host.add(String.join("\t", said));
    }
  }

  private static boolean isPlain(Volume volume) {
    Map<String, Object> kinds = Serialization.jsonMapper().convertValue(volume, KINDS);
    kinds.remove("name");
    if (volume.getEphemeral() != null && volume.getEphemeral().getVolumeClaimTemplate() != null) {
      PersistentVolumeClaimSpec asked = volume.getEphemeral().getVolumeClaimTemplate().getSpec();
      return asked != null
          && asked.getDataSource() == null
          && asked.getDataSourceRef() == null
          && asked.getVolumeName() == null
          && asked.getSelector() == null;
    }
    return PLAIN.containsAll(kinds.keySet()); // One of no kind at all is an emptyDir.
  }

  private void add(Container container) {
    each(container.getEnvFrom()).stream()
        .map(EnvFromSource::getSecretRef)
        .filter(Objects::nonNull)
        .forEach(secret -> addSecret(secret.getName()));
    addSecrets(each(container.getEnv()));
    boolean ports =
        each(container.getPorts()).stream()
            .anyMatch(port -> port.getHostPort() != null && port.getHostPort() > 0);
    if (ports) {
      host.add("port");
    }
    SecurityContext context = container.getSecurityContext();
    if (context == null) {
      return;
    }
    if (Boolean.TRUE.equals(context.getPrivileged())) {
      host.add("privileged");
    }
    if ("Unmasked".equals(context.getProcMount())) {
      host.add("procMount");
    }
    if (context.getCapabilities() != null) {
      each(context.getCapabilities().getAdd()).forEach(name -> host.add("capability " + name));
    }
  }

  private void addSecrets(List<EnvVar> variables) {
    variables.stream()
        .map(EnvVar::getValueFrom)
        .filter(source -> source != null && source.getSecretKeyRef() != null)
        .forEach(source -> addSecret(source.getSecretKeyRef().getName()));
  }

  private void addSecret(@Nullable String name) {
    if (name != null) {
      secrets.add(name);
    }
  }

  private static String account(PodSpec spec) {
    return Stream.of(spec.getServiceAccountName(), spec.getServiceAccount())
        .filter(name -> name != null && !name.isEmpty())
        .findFirst()
        .orElse(DEFAULT_ACCOUNT);
  }
}
