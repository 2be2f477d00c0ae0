package dev.pliant.kubernetes;

import dev.pliant.crds.Container;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.Role;
import dev.pliant.crds.Storage;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The pod of a job's master. Of the role `dlrover-master` it takes how much it may use, and what
/// its template is labelled and annotated with, and where it may run; image and command are ours. A
/// quarter of its memory's limit is the master's heap (`images/lay-out`).
public final class MasterPods {
  /// Whether nodes' pods must meet Pod Security's `restricted`.
  public static final String RESTRICTED_VARIABLE = "PLIANT_RESTRICTED";

  /// Which of the job's masters it is: [JobNames#masterNumber].
  public static final String POD_NAME_VARIABLE = "PLIANT_POD_NAME";

  public static final String SECRET_FOLDER = NodePods.SECRET_FOLDER;

  /// On the journal's volume.
  public static final String JOB_FOLDER = "/var/lib/pliant/job";

  private static final String JOURNAL_FOLDER = "/var/lib/pliant";
  private static final String JOURNAL_VOLUME = "journal";
  private static final String SECRET_VOLUME = "secret";
  private static final String SCRATCH_VOLUME = "tmp";
  private static final Map<String, Quantity> DEFAULT_REQUESTS =
      Map.of("cpu", Quantity.parse("100m"), "memory", Quantity.parse("256Mi"));
  private static final Map<String, Quantity> DEFAULT_LIMITS =
      Map.of("memory", Quantity.parse("1Gi"));

  private MasterPods() {}

  public static Pod pod(MasterPodRequest request) {
    JobNames names = request.names();
    PodTemplateSpec template = Templates.of(request.job(), Role.MASTER);
    PodSpec placed = template.getSpec();
    Map<String, String> labels = copy(template.getMetadata().getLabels());
    JobNames.label(labels, names.masterLabels(request.number()));
    Map<String, String> annotations = copy(template.getMetadata().getAnnotations());
    annotations.put(JobNames.KUBECTL_CONTAINER_ANNOTATION, JobNames.MASTER); // None other is kept.
    annotations.put(JobNames.CONTAINER_ANNOTATION, JobNames.MASTER);
    return new PodBuilder()
        .withNewMetadata()
        .withName(names.masterPod(request.number()))
        .withNamespace(names.namespace())
        .withLabels(labels)
        .withAnnotations(annotations)
        .withOwnerReferences(request.owner())
        .endMetadata()
        .withNewSpec()
        .withNodeSelector(placed.getNodeSelector())
        .withAffinity(placed.getAffinity())
        .withTolerations(placed.getTolerations())
        .withTopologySpreadConstraints(placed.getTopologySpreadConstraints())
        .withPriorityClassName(PodPriority.of(request.job(), Role.MASTER, placed, 0))
        .withSchedulerName(placed.getSchedulerName())
        .withRuntimeClassName(placed.getRuntimeClassName())
        .withImagePullSecrets(request.images().pullSecrets(placed.getImagePullSecrets()))
        .withRestartPolicy("OnFailure")
        .withServiceAccountName(names.masterAccount())
        .withAutomountServiceAccountToken(true)
        .withEnableServiceLinks(false)
        .withSecurityContext(PodSecurity.ourPod())
        .withContainers(container(request))
        .withVolumes(volumes(request))
        .endSpec()
        .build();
  }

  private static Map<String, String> copy(Map<String, String> map) {
    return new LinkedHashMap<>(Objects.requireNonNullElse(map, Map.of()));
  }

  private static io.fabric8.kubernetes.api.model.Container container(MasterPodRequest request) {
    JobNames names = request.names();
    return new io.fabric8.kubernetes.api.model.ContainerBuilder()
        .withName(JobNames.MASTER)
        .withImage(request.images().master())
        .withImagePullPolicy(request.images().pullPolicy())
        .withArgs(
            "master",
            "--platform",
            "kubernetes",
            "--job",
            names.job().toString(),
            "--job-dir",
            JOB_FOLDER,
            "--secret",
            SECRET_FOLDER,
            "--listen",
            "0.0.0.0:" + JobNames.MASTER_PORT)
        .withEnv(variables(request))
        .addNewPort()
        .withName(JobNames.MASTER_PORT_NAME)
        .withContainerPort(JobNames.MASTER_PORT)
        .withProtocol("TCP")
        .endPort()
        .withReadinessProbe(listens())
        .withResources(resources(request))
        .withSecurityContext(PodSecurity.ours())
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .withVolumeMounts(mounts(request))
        .build();
  }

  /// Ready is a master that has read its journal and answers. Agents need not wait for that: its
  /// Service has it before.
  private static Probe listens() {
    return new ProbeBuilder()
        .withNewTcpSocket()
        .withNewPort(JobNames.MASTER_PORT)
        .endTcpSocket()
        .withPeriodSeconds(1)
        .withFailureThreshold(3)
        .build();
  }

  private static List<EnvVar> variables(MasterPodRequest request) {
    List<EnvVar> variables = new ArrayList<>(request.images().variables());
    variables.add(new EnvVar(RESTRICTED_VARIABLE, Boolean.toString(request.restricted()), null));
    variables.add(NodeVariables.field(POD_NAME_VARIABLE, "metadata.name"));
    variables.add(NodeVariables.field("POD_NAME", "metadata.name"));
    variables.add(NodeVariables.field("POD_NAMESPACE", "metadata.namespace"));
    variables.add(NodeVariables.field("PLIANT_POD_IP", "status.podIP"));
    return variables;
  }

  /// The role's where its template has any.
  private static ResourceRequirements resources(MasterPodRequest request) {
    ReplicaSpec role = request.job().spec().replicaSpecs().get(Role.MASTER);
    Container.Resources given =
        role == null ? Container.Resources.NONE : role.template().main().resources();
    if (given.equals(Container.Resources.NONE)) {
      return new ResourceRequirementsBuilder()
          .withRequests(DEFAULT_REQUESTS)
          .withLimits(DEFAULT_LIMITS)
          .build();
    }
    return new ResourceRequirementsBuilder()
        .withRequests(quantities(given.requests()))
        .withLimits(quantities(given.limits()))
        .build();
  }

  private static Map<String, Quantity> quantities(Map<String, String> texts) {
    Map<String, Quantity> quantities = new LinkedHashMap<>();
    texts.forEach((name, text) -> quantities.put(name, Quantity.parse(text)));
    return quantities;
  }

  private static List<VolumeMount> mounts(MasterPodRequest request) {
    return List.of(
        new VolumeMountBuilder()
            .withName(SECRET_VOLUME)
            .withMountPath(SECRET_FOLDER)
            .withReadOnly(true)
            .build(),
        new VolumeMountBuilder()
            .withName(JOURNAL_VOLUME)
            .withMountPath(JOURNAL_FOLDER)
            .withSubPath(subPath(request))
            .build(),
        new VolumeMountBuilder().withName(SCRATCH_VOLUME).withMountPath("/tmp").build());
  }

  /// A claim may serve many jobs; an empty volume is the pod's own.
  private static @Nullable String subPath(MasterPodRequest request) {
    Storage storage = request.job().spec().storage();
    if (storage == null) {
      return null;
    }
    return ClaimFolder.path(
        storage.path(), JobNames.folder(request.job().id(), request.owner().getUid()));
  }

  private static List<Volume> volumes(MasterPodRequest request) {
    Storage storage = request.job().spec().storage();
    VolumeBuilder journal = new VolumeBuilder().withName(JOURNAL_VOLUME);
    return List.of(
        new VolumeBuilder()
            .withName(SECRET_VOLUME)
            .withNewSecret()
            .withSecretName(request.names().secret())
            .withDefaultMode(0440)
            .endSecret()
            .build(),
        storage == null
            ? journal.withNewEmptyDir().endEmptyDir().build()
            : journal.withNewPersistentVolumeClaim(storage.claim(), false).build(),
        new VolumeBuilder().withName(SCRATCH_VOLUME).withNewEmptyDir().endEmptyDir().build());
  }
}
