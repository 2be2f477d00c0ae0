package dev.pliant.kubernetes;

import dev.pliant.crds.Role;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/// What the objects of one job are called and labelled. Nobody else spells these names.
public record JobNames(JobId job) {
  /// Longer ones leave no room for what is put behind them: a host's name has 63 characters.
  public static final int MAX_JOB_NAME = 45;

  public static final int MASTER_PORT = 7077;
  public static final String MASTER_PORT_NAME = "grpc";

  /// The value of [#ROLE_LABEL] on the master's pods.
  public static final String MASTER = "master";

  /// The value of [#ROLE_LABEL] on the pod that deletes a deleted job's folders on claims.
  public static final String CLEANER = "cleaner";

  /// On a job that has something on a claim: Kubernetes keeps the deleted job until the operator
  /// has deleted its folders there, and has removed this.
  public static final String FINALIZER = "pliant.dev/cleanup";

  /// On a job, with the value `true`: when the job is deleted, its checkpoints on the claim are,
  /// too.
  public static final String DELETE_CHECKPOINTS_ANNOTATION = "pliant.dev/delete-checkpoints";

  public static final String JOB_LABEL = "pliant.dev/job";
  public static final String ROLE_LABEL = "pliant.dev/role";
  public static final String NODE_LABEL = "pliant.dev/node";
  public static final String NAME_LABEL = "app.kubernetes.io/name";
  public static final String MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";

  /// The value of [#NAME_LABEL] and [#MANAGED_BY_LABEL].
  public static final String PLIANT = "pliant";

  /// Names the job on plans that others write, and on everything of ours beside [#JOB_LABEL].
  public static final String PLAN_JOB_LABEL = "elasticjob-name";

  public static final String DLROVER_JOB_LABEL = "elasticjob.dlrover/name";
  public static final String DLROVER_ROLE_LABEL = "elasticjob.dlrover/replica-type";
  public static final String DLROVER_NUMBER_LABEL = "elasticjob.dlrover/replica-index";
  public static final String DLROVER_RANK_LABEL = "elasticjob.dlrover/rank-index";

  /// On plans: [#MANUAL] is a user's wish, [#AUTO] a master's word.
  public static final String SCALE_TYPE_LABEL = "scale-type";

  public static final String MANUAL = "manual";
  public static final String AUTO = "auto";

  /// On a master's plan: who makes the pods, where it is not the operator.
  public static final String SCALER_ANNOTATION = "pliant.dev/scaler";

  /// On a pod: which of its containers is the node, or the master. Whoever changes pods on their
  /// way into the cluster may put a container before it.
  public static final String CONTAINER_ANNOTATION = "pliant.dev/container";

  /// On a pod: the container whose log `kubectl` shows where nobody names one.
  public static final String KUBECTL_CONTAINER_ANNOTATION =
      "kubectl.kubernetes.io/default-container";

  /// On the Role of a master that makes its pods itself: there its policies look for what its pods
  /// may have.
  public static final String MAKES_PODS_LABEL = "pliant.dev/makes-pods";

  /// Keys of the Secret.
  public static final String TOKEN_KEY = "token";

  public static final String AUTHORITY_KEY = "ca.pem";
  public static final String CERTIFICATE_KEY = "server.pem";
  public static final String PRIVATE_KEY_KEY = "server.key";

  private static final Pattern MASTER_NUMBER = Pattern.compile("\\d{1,9}");
  private static final Pattern DNS_LABEL = Pattern.compile("[a-z]([a-z0-9-]*[a-z0-9])?");

  public JobNames {
    if (job.name().length() > MAX_JOB_NAME || !DNS_LABEL.matcher(job.name()).matches()) {
      throw new PliantException(
          ErrorCode.BAD_NAME,
          "'%s' cannot name a job on a cluster: at most %d lower-case letters, digits and dashes, a letter first, no dash last."
              .formatted(job.name(), MAX_JOB_NAME));
    }
  }

  public static JobNames of(ElasticJobResource resource) {
    return new JobNames(
        new JobId(resource.getMetadata().getNamespace(), resource.getMetadata().getName()));
  }

  public String namespace() {
    return job.namespace();
  }

  /// The pod of a node: `digits-worker-0`.
  public String pod(NodeId node) {
    return job.name() + "-" + node;
  }

  /// The node whose pod has that name, if it can be one of this job.
  public Optional<NodeId> node(String pod) {
    if (!pod.startsWith(job.name() + "-")) {
      return Optional.empty();
    }
    try {
      NodeId node = NodeId.parse(pod.substring(job.name().length() + 1));
      return node.role().equals(MASTER) ? Optional.empty() : Optional.of(node);
    } catch (PliantException e) {
      return Optional.empty();
    }
  }

  /// A master's pod, counted from 0 with each new one.
  public String masterPod(int number) {
    return job.name() + "-" + MASTER + "-" + number;
  }

  /// The number of the master's pod that has that name, if it can be one of this job.
  public OptionalInt masterNumber(String pod) {
    String before = job.name() + "-" + MASTER + "-";
    String number = pod.startsWith(before) ? pod.substring(before.length()) : "";
    return MASTER_NUMBER.matcher(number).matches()
        ? OptionalInt.of(Integer.parseInt(number))
        : OptionalInt.empty();
  }

  /// The pod that deletes the job's folders on claims.
  public String cleanerPod() {
    return job.name() + "-" + CLEANER;
  }

  public String masterService() {
    return job.name() + "-" + MASTER;
  }

  /// Without an address of its own: it gives the pods of parameter servers their names.
  public String nodesService() {
    return job.name();
  }

  /// Where a parameter server of the job is found: `digits-ps-0.digits.NAMESPACE.svc`.
  public String host(NodeId node) {
    return "%s.%s.%s.svc".formatted(pod(node), nodesService(), namespace());
  }

  /// Where the job's pods find its master: HOST:PORT.
  public String masterAddress() {
    return "%s.%s.svc:%d".formatted(masterService(), namespace(), MASTER_PORT);
  }

  /// Every name that the master's Service has in the cluster, for its certificate.
  public List<String> masterHosts() {
    String qualified = masterService() + "." + namespace();
    return List.of(
        masterService(), qualified, qualified + ".svc", qualified + ".svc.cluster.local");
  }

  public String secret() {
    return job.name() + "-pliant";
  }

  /// The master's ServiceAccount, Role and RoleBinding.
  public String masterAccount() {
    return job.name() + "-pliant-master";
  }

  public String networkPolicy() {
    return job.name() + "-" + MASTER;
  }

  /// The master's plan, a ScalePlan or a JobResource.
  public String plan() {
    return job.name() + "-" + AUTO;
  }

  /// On every object of the job.
  public Map<String, String> labels() {
    Map<String, String> labels = new LinkedHashMap<>();
    labels.put(NAME_LABEL, PLIANT);
    labels.put(MANAGED_BY_LABEL, PLIANT);
    labels.put(JOB_LABEL, job.name());
    labels.put(PLAN_JOB_LABEL, job.name());
    labels.put(DLROVER_JOB_LABEL, job.name());
    return labels;
  }

  /// Adds `ours` to the labels of a user's template. What the app is called is the user's to say;
  /// by the others pods are found.
  static void label(Map<String, String> template, Map<String, String> ours) {
    String name = template.get(NAME_LABEL);
    template.putAll(ours);
    if (name != null) {
      template.put(NAME_LABEL, name);
    }
  }

  /// On the pod of a node.
  ///
  /// @param rank the place in its role that the node fills
  public Map<String, String> nodeLabels(NodeId node, int rank) {
    Map<String, String> labels = labels();
    labels.put(ROLE_LABEL, node.role());
    labels.put(NODE_LABEL, node.toString());
    labels.put(DLROVER_ROLE_LABEL, node.role());
    labels.put(DLROVER_NUMBER_LABEL, Integer.toString(node.number()));
    labels.put(DLROVER_RANK_LABEL, Integer.toString(rank));
    return labels;
  }

  /// On a master's pod.
  public Map<String, String> masterLabels(int number) {
    Map<String, String> labels = labels();
    labels.put(ROLE_LABEL, MASTER);
    labels.put(DLROVER_ROLE_LABEL, Role.MASTER.label());
    labels.put(DLROVER_NUMBER_LABEL, Integer.toString(number));
    return labels;
  }

  /// On the pod that deletes the job's folders on claims.
  public Map<String, String> cleanerLabels() {
    Map<String, String> labels = labels();
    labels.put(ROLE_LABEL, CLEANER);
    return labels;
  }

  /// On the master's plan.
  public Map<String, String> planLabels() {
    Map<String, String> labels = labels();
    labels.put(SCALE_TYPE_LABEL, AUTO);
    return labels;
  }

  /// Finds every pod of the job.
  public Map<String, String> podSelector() {
    return Map.of(JOB_LABEL, job.name());
  }

  /// Finds the master's pods.
  public Map<String, String> masterSelector() {
    return roleSelector(MASTER);
  }

  /// Finds the pods of a role.
  public Map<String, String> roleSelector(String role) {
    Map<String, String> selector = new LinkedHashMap<>(podSelector());
    selector.put(ROLE_LABEL, role);
    return selector;
  }

  /// Finds the worker pods, as text: `kubectl scale` and autoscalers read it from a job's status.
  public String workerSelector() {
    return "%s=%s,%s=%s".formatted(JOB_LABEL, job.name(), ROLE_LABEL, NodeId.WORKER);
  }

  /// The folder of a job on a claim, below the path that the job names. A later job of the same
  /// name has another one.
  public static String folder(JobId job, String uid) {
    return job + "/" + uid;
  }

  /// What every object of the job says of whom it belongs to: with the job, it goes.
  public static OwnerReference owner(ElasticJobResource resource) {
    return new OwnerReferenceBuilder()
        .withApiVersion(resource.getApiVersion())
        .withKind(resource.getKind())
        .withName(resource.getMetadata().getName())
        .withUid(resource.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }
}
