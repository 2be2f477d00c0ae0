package dev.pliant.kubernetes;

import dev.pliant.crds.Checkpoint;
import dev.pliant.crds.DistributionStrategy;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.Role;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The pod of a node: the role's template as it stands, with the agent brought in by an init
/// container and put before the command of the main one. The user's image needs nothing of ours.
public final class NodePods {
  /// Where the agent lies in the container.
  static final String AGENT_FOLDER = "/pliant";

  static final String AGENT = AGENT_FOLDER + "/agent/bin/pliant-agent";
  static final String SECRET_FOLDER = "/etc/pliant";
  static final String STATE_FOLDER = "/tmp/pliant";

  /// In a folder that the agent makes for itself alone: the volume's own is open to all.
  static final String SOCKET = STATE_FOLDER + "/socket/agent.sock";

  static final String CHECKPOINT_FOLDER = "/checkpoints";
  static final String TERMINATION_LOG = "/dev/termination-log";

  private static final String AGENT_VOLUME = "pliant";
  private static final String STATE_VOLUME = "pliant-state";
  private static final String SECRET_VOLUME = "pliant-secret";
  private static final String CHECKPOINT_VOLUME = "pliant-checkpoints";
  private static final String INSTALLER = "pliant-agent";

  /// What training processes may take to leave, where the template does not say.
  private static final long GRACE_SECONDS = 30;

  /// What the agent needs beyond that to say how it ended.
  private static final long FAREWELL_SECONDS = 5;

  private NodePods() {}

  /// @throws PliantException where the template is none, or has no command
  public static Pod pod(NodePodRequest request) {
    PodTemplateSpec template = Templates.of(request.job(), request.role());
    JobNames names = request.names();
    return new PodBuilder()
        .withNewMetadata()
        .withName(names.pod(request.node()))
        .withNamespace(names.namespace())
        .withLabels(labels(request, template))
        .withAnnotations(annotations(request, template))
        .withOwnerReferences(request.owner())
        .endMetadata()
        .withSpec(spec(request, template.getSpec()))
        .build();
  }

  private static Map<String, String> labels(NodePodRequest request, PodTemplateSpec template) {
    Map<String, String> labels = new LinkedHashMap<>();
    if (template.getMetadata().getLabels() != null) {
      labels.putAll(template.getMetadata().getLabels());
    }
    JobNames.label(labels, request.names().nodeLabels(request.node(), request.rank()));
    return labels;
  }

  private static Map<String, String> annotations(NodePodRequest request, PodTemplateSpec template) {
    String main = request.replicas().template().main().name();
    Map<String, String> annotations = new LinkedHashMap<>();
    if (template.getMetadata().getAnnotations() != null) {
      annotations.putAll(template.getMetadata().getAnnotations());
    }
    annotations.putIfAbsent(JobNames.KUBECTL_CONTAINER_ANNOTATION, main);
    annotations.put(JobNames.CONTAINER_ANNOTATION, main);
    return annotations;
  }

  /// The template's, changed in place: it was made for this pod.
  private static PodSpec spec(NodePodRequest request, PodSpec spec) {
    long grace = grace(spec);
    List<Container> containers = new ArrayList<>(spec.getContainers());
    int place = request.replicas().template().mainIndex();
    Container main = main(request, containers.get(place), grace);
    containers.set(place, main);
    spec.setContainers(containers);
    List<Container> before = new ArrayList<>();
    before.add(installer(request.images(), main));
    before.addAll(Objects.requireNonNullElse(spec.getInitContainers(), List.of()));
    spec.setInitContainers(before);
    List<Volume> volumes =
        new ArrayList<>(Objects.requireNonNullElse(spec.getVolumes(), List.of()));
    volumes.addAll(volumes(request, main));
    spec.setVolumes(volumes);
    spec.setImagePullSecrets(request.images().pullSecrets(spec.getImagePullSecrets()));
    spec.setRestartPolicy("Never");
    spec.setAutomountServiceAccountToken(false);
    spec.setTerminationGracePeriodSeconds(grace + FAREWELL_SECONDS);
    connect(request, spec);
    spec.setPriorityClassName(PodPriority.of(request.job(), request.role(), spec, request.rank()));
    if (request.restricted()) {
      PodSecurity.restrict(spec);
    }
    return spec;
  }

  /// How the pod finds others, and is found.
  private static void connect(NodePodRequest request, PodSpec spec) {
    if (spec.getEnableServiceLinks() == null) {
      spec.setEnableServiceLinks(false); // Variables of a thousand jobs' Services start no process.
    }
    if (Boolean.TRUE.equals(spec.getHostNetwork()) && spec.getDnsPolicy() == null) {
      spec.setDnsPolicy("ClusterFirstWithHostNet"); // Its machine knows no Service by name.
    }
    if (request.node().role().equals(Role.PARAMETER_SERVER.label()) // Only they are found by name.
        && spec.getHostname() == null
        && spec.getSubdomain() == null) {
      spec.setHostname(request.names().pod(request.node()));
      spec.setSubdomain(request.names().nodesService());
    }
  }

  private static long grace(PodSpec spec) {
    Long given = spec.getTerminationGracePeriodSeconds();
    return given == null ? GRACE_SECONDS : Math.max(0, given - FAREWELL_SECONDS);
  }

  private static Container main(NodePodRequest request, Container container, long grace) {
    List<String> command = new ArrayList<>(container.getCommand());
    if (command.isEmpty()) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "container '%s' of role '%s' has no command, and what its image starts by itself is not known here; write that as its 'command'."
              .formatted(container.getName(), request.node().role()));
    }
    List<String> arguments = new ArrayList<>(options(request, grace));
    arguments.add("--");
    arguments.addAll(command);
    arguments.addAll(container.getArgs());
    return new ContainerBuilder(container)
        .withCommand(AGENT)
        .withArgs(arguments)
        .withEnv(NodeVariables.of(request, container.getEnv()))
        .withResources(NodeSize.of(container.getResources(), request.resources()))
        .withTerminationMessagePath(TERMINATION_LOG)
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .addAllToVolumeMounts(mounts(request, container))
        .build();
  }

  private static List<String> options(NodePodRequest request, long grace) {
    JobNames names = request.names();
    int processes = request.replicas().processesPerNode();
    boolean group =
        request.job().spec().distributionStrategy() == DistributionStrategy.ALLREDUCE
            && request.node().role().equals(NodeId.WORKER);
    return List.of(
        "--job",
        names.job().toString(),
        "--node",
        request.node().toString(),
        "--role",
        request.node().role(),
        "--master",
        names.masterAddress(),
        "--secret",
        SECRET_FOLDER,
        "--workers",
        Integer.toString(processes),
        "--elasticity",
        group ? "auto" : "none",
        "--max-workers",
        Integer.toString(request.maxNodes() * processes),
        "--restarts",
        Integer.toString(request.restarts()),
        "--max-restarts",
        Integer.toString(request.maxRestarts()),
        "--grace",
        Long.toString(grace),
        "--state",
        STATE_FOLDER,
        "--socket",
        SOCKET,
        "--end-file",
        TERMINATION_LOG,
        "--print");
  }

  /// Copies the agent: that is what its image does when it starts. It asks for what the main
  /// container asks for: so it changes neither what the pod asks for nor its quality of service.
  private static Container installer(Images images, Container main) {
    return new ContainerBuilder()
        .withName(INSTALLER)
        .withImage(images.agent())
        .withImagePullPolicy(images.pullPolicy())
        .withResources(NodeSize.ofInstaller(main.getResources()))
        .withSecurityContext(PodSecurity.ours())
        .withVolumeMounts(mount(AGENT_VOLUME, AGENT_FOLDER, false))
        .build();
  }

  private static List<VolumeMount> mounts(NodePodRequest request, Container container) {
    List<VolumeMount> mounts = new ArrayList<>();
    mounts.add(mount(AGENT_VOLUME, AGENT_FOLDER, true));
    mounts.add(mount(STATE_VOLUME, STATE_FOLDER, false));
    mounts.add(mount(SECRET_VOLUME, SECRET_FOLDER, true));
    boolean taken =
        container.getVolumeMounts().stream()
            .anyMatch(mount -> CHECKPOINT_FOLDER.equals(mount.getMountPath()));
    if (hasClaim(request.job()) && !taken) {
      mounts.add(mount(CHECKPOINT_VOLUME, CHECKPOINT_FOLDER, false));
    }
    return mounts;
  }

  private static VolumeMount mount(String volume, String folder, boolean readOnly) {
    return new VolumeMountBuilder()
        .withName(volume)
        .withMountPath(folder)
        .withReadOnly(readOnly ? true : null)
        .build();
  }

  private static List<Volume> volumes(NodePodRequest request, Container main) {
    List<Volume> volumes = new ArrayList<>();
    volumes.add(new VolumeBuilder().withName(AGENT_VOLUME).withNewEmptyDir().endEmptyDir().build());
    volumes.add(new VolumeBuilder().withName(STATE_VOLUME).withNewEmptyDir().endEmptyDir().build());
    volumes.add(
        new VolumeBuilder()
            .withName(SECRET_VOLUME)
            .withNewSecret()
            .withSecretName(request.names().secret())
            .withDefaultMode(0444) // Whoever the user's container runs as.
            .addNewItem(JobNames.TOKEN_KEY, null, JobNames.TOKEN_KEY)
            .addNewItem(JobNames.AUTHORITY_KEY, null, JobNames.AUTHORITY_KEY)
            .endSecret()
            .build());
    if (main.getVolumeMounts().stream().anyMatch(m -> CHECKPOINT_VOLUME.equals(m.getName()))) {
      Checkpoint checkpoint = Objects.requireNonNull(request.job().spec().checkpoint());
      volumes.add(
          new VolumeBuilder()
              .withName(CHECKPOINT_VOLUME)
              .withNewPersistentVolumeClaim(checkpoint.claim(), false)
              .build());
    }
    return volumes;
  }

  static boolean hasClaim(ElasticJob job) {
    Checkpoint checkpoint = job.spec().checkpoint();
    return checkpoint != null && checkpoint.claim() != null;
  }
}
