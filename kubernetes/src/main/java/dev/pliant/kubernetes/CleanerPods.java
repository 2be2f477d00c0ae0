package dev.pliant.kubernetes;

import dev.pliant.crds.Role;
import dev.pliant.kubernetes.ClaimFolder.Content;
import io.fabric8.kubernetes.api.model.CapabilitiesBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The pod that deletes a deleted job's folders on claims. A container for each folder runs the
/// shell of the agent's image, which the machines of the job have already.
public final class CleanerPods {
  /// How long the pod may take, from when it was made.
  public static final Duration BOUND = Duration.ofSeconds(60);

  private static final String BUSYBOX = "/bin/busybox";
  private static final String CLAIM = "/claim";

  /// Arguments: the path on the claim, which may be empty, NAMESPACE, NAME and UID. Only the last
  /// folder is deleted with what it holds; NAME and NAMESPACE go if nothing else is in them. A
  /// symbolic link among the three is an error: what it points to may be another job's.
  static final String SCRIPT =
      """
      fail() { echo "$*" >&2; exit 1; }
      top=/claim${1:+/$1}
      cd "$top" 2>/dev/null || { [ ! -e "$top" ] && cd "${top%/*}" && exit 0; fail "cannot enter $top"; }
      for name in "$2" "$3" "$4"; do
        [ ! -L "$name" ] || fail "$PWD/$name is a symbolic link"
        [ -e "$name" ] || exit 0
        cd "$name" || fail "cannot enter $PWD/$name"
      done
      cd "$top/$2/$3" && /bin/busybox rm -rf "./$4" || fail "cannot delete all of $top/$2/$3/$4"
      cd "$top/$2" && /bin/busybox rmdir "./$3" && cd "$top" && /bin/busybox rmdir "./$2"
      exit 0
      """;

  private static final Map<String, Quantity> REQUESTS =
      Map.of("cpu", Quantity.parse("10m"), "memory", Quantity.parse("16Mi"));
  private static final Map<String, Quantity> LIMITS = Map.of("memory", Quantity.parse("64Mi"));

  private CleanerPods() {}

  public static Pod pod(CleanerPodRequest request) {
    JobNames names = request.names();
    PodSpec placed = template(request, Role.MASTER);
    PodSecurityContext security = PodSecurity.ourPod();
    security.setSupplementalGroups(groups(request));
    return new PodBuilder()
        .withNewMetadata()
        .withName(names.cleanerPod())
        .withNamespace(names.namespace())
        .withLabels(names.cleanerLabels())
        .withOwnerReferences(notBlocking(request.owner()))
        .endMetadata()
        .withNewSpec()
        .withNodeSelector(placed.getNodeSelector())
        .withAffinity(placed.getAffinity())
        .withTolerations(placed.getTolerations())
        .withSchedulerName(placed.getSchedulerName())
        .withRuntimeClassName(placed.getRuntimeClassName())
        .withImagePullSecrets(request.images().pullSecrets(placed.getImagePullSecrets()))
        .withRestartPolicy("Never")
        .withActiveDeadlineSeconds(BOUND.toSeconds())
        .withTerminationGracePeriodSeconds(1L)
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        .withSecurityContext(security)
        .withContainers(request.folders().stream().map(f -> container(f, request)).toList())
        .withVolumes(volumes(request))
        .endSpec()
        .build();
  }

  /// A deletion in the foreground waits for what blocks it, and deletes that first: the cleaner
  /// must not be among it.
  private static OwnerReference notBlocking(OwnerReference owner) {
    return new OwnerReferenceBuilder(owner).withBlockOwnerDeletion(false).build();
  }

  private static PodSpec template(CleanerPodRequest request, Role role) {
    return request.job() == null ? new PodSpec() : Templates.of(request.job(), role).getSpec();
  }

  private static Container container(ClaimFolder folder, CleanerPodRequest request) {
    return new ContainerBuilder()
        .withName(folder.content().word())
        .withImage(request.images().agent())
        .withImagePullPolicy(request.images().pullPolicy())
        .withCommand(BUSYBOX, "sh", "-c", SCRIPT)
        .withArgs(
            "clean",
            // `$(NAME)` is replaced by Kubernetes; a doubled dollar stays one.
            Objects.requireNonNullElse(folder.path(), "").replace("$", "$$"),
            folder.job().namespace(),
            folder.job().name(),
            folder.uid())
        .withSecurityContext(
            folder.content() == Content.JOURNAL ? PodSecurity.ours() : asWorker(request))
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .withNewResources()
        .withRequests(REQUESTS)
        .withLimits(LIMITS)
        .endResources()
        .addNewVolumeMount()
        .withName(volume(folder.claim(), request))
        .withMountPath(CLAIM)
        .endVolumeMount()
        .build();
  }

  /// Checkpoints belong to the user that training processes run as. Where the job names none, that
  /// is the image's: then only root can delete them for sure, and where pods may not be root, group
  /// rights have to do.
  private static SecurityContext asWorker(CleanerPodRequest request) {
    PodSpec worker = template(request, Role.WORKER);
    SecurityContext container = mainSecurity(worker, request);
    PodSecurityContext pod = podSecurity(worker);
    Long user = container.getRunAsUser() == null ? pod.getRunAsUser() : container.getRunAsUser();
    Long group =
        container.getRunAsGroup() == null ? pod.getRunAsGroup() : container.getRunAsGroup();
    if (user == null && request.restricted()) {
      return PodSecurity.ours();
    }
    SecurityContextBuilder security = new SecurityContextBuilder(PodSecurity.ours());
    if (user == null || user == 0) {
      security
          .withRunAsNonRoot(false)
          .withRunAsUser(0L)
          .withCapabilities(
              new CapabilitiesBuilder().withDrop("ALL").withAdd("DAC_OVERRIDE").build());
    } else {
      security.withRunAsUser(user);
    }
    return security.withRunAsGroup(group == null ? 0L : group).build();
  }

  private static SecurityContext mainSecurity(PodSpec worker, CleanerPodRequest request) {
    int main = request.job() == null ? 0 : request.job().spec().worker().template().mainIndex();
    SecurityContext found =
        main < worker.getContainers().size()
            ? worker.getContainers().get(main).getSecurityContext()
            : null;
    return found == null ? new SecurityContext() : found;
  }

  private static PodSecurityContext podSecurity(PodSpec worker) {
    return Objects.requireNonNullElseGet(worker.getSecurityContext(), PodSecurityContext::new);
  }

  /// Those by which training processes write to the claim.
  private static @Nullable List<Long> groups(CleanerPodRequest request) {
    PodSecurityContext worker = podSecurity(template(request, Role.WORKER));
    List<Long> groups =
        new ArrayList<>(Objects.requireNonNullElse(worker.getSupplementalGroups(), List.of()));
    if (worker.getFsGroup() != null) {
      groups.add(worker.getFsGroup());
    }
    return groups.stream().distinct().toList();
  }

  private static List<Volume> volumes(CleanerPodRequest request) {
    return claims(request).stream()
        .map(claim ->
            new VolumeBuilder()
                .withName(volume(claim, request))
                .withNewPersistentVolumeClaim(claim, false)
                .build())
        .toList();
  }

  private static List<String> claims(CleanerPodRequest request) {
    return request.folders().stream().map(ClaimFolder::claim).distinct().toList();
  }

  private static String volume(String claim, CleanerPodRequest request) {
    return "claim-" + claims(request).indexOf(claim);
  }
}
