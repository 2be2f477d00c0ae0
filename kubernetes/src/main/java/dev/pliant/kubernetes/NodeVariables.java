package dev.pliant.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.crds.Checkpoint;
import dev.pliant.crds.ElasticJob;
import dev.pliant.model.JobPlan;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The environment of a node's main container. A name stands in it once: Pliant's own come first,
/// what the job gives to all its processes replaces them, what the container says replaces both and
/// may refer to what stands before it.
final class NodeVariables {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private NodeVariables() {}

  static List<EnvVar> of(NodePodRequest request, List<EnvVar> ofContainer) {
    Map<String, EnvVar> all = new LinkedHashMap<>();
    ours(request).forEach(variable -> put(all, variable));
    ofJob(request.job()).forEach(variable -> put(all, variable));
    ofContainer.forEach(variable -> put(all, variable));
    return new ArrayList<>(all.values());
  }

  /// Those that the job gives to all its nodes.
  static List<EnvVar> ofJob(ElasticJob job) {
    return job.spec().envs().stream().map(NodeVariables::convert).toList();
  }

  /// The last one counts, and stands where it was said last.
  private static void put(Map<String, EnvVar> all, EnvVar variable) {
    all.remove(variable.getName());
    all.put(variable.getName(), variable);
  }

  /// Beside what the agent goes by, the names that scripts for DLRover look for. Its master's
  /// address is not among them: ours speaks another protocol.
  private static List<EnvVar> ours(NodePodRequest request) {
    String role = request.node().role();
    String rank = Integer.toString(request.rank());
    String number = Integer.toString(request.node().number());
    String workers = Integer.toString(request.workers());
    String job = request.job().metadata().name();
    List<EnvVar> ours = new ArrayList<>();
    ours.add(field("PLIANT_POD_IP", "status.podIP"));
    ours.add(field("POD_IP", "status.podIP"));
    ours.add(field("NODE_IP", "status.hostIP"));
    ours.add(new EnvVar("POD_NAME", request.names().pod(request.node()), null));
    ours.add(new EnvVar("POD_NAMESPACE", request.names().namespace(), null));
    ours.add(new EnvVar("JOB_NAME", job, null));
    ours.add(new EnvVar("ELASTIC_JOB_NAME", job, null));
    ours.add(new EnvVar("JOB_UID", request.owner().getUid(), null));
    ours.add(new EnvVar("NODE_TYPE", role, null));
    ours.add(new EnvVar("NODE_ID", number, null));
    ours.add(new EnvVar("NODE_NUM", workers, null)); // Of workers, whatever role the node has.
    ours.add(new EnvVar("NODE_RANK", rank, null));
    ours.add(new EnvVar("WORKER_TYPE", role, null));
    ours.add(new EnvVar("WORKER_ID", number, null));
    ours.add(new EnvVar("WORKER_NUM", workers, null));
    ours.add(new EnvVar("WORKER_RANK", rank, null));
    ours.add(new EnvVar("PLIANT_JOB_UID", request.owner().getUid(), null));
    Checkpoint checkpoint = request.job().spec().checkpoint();
    if (checkpoint != null) {
      ours.add(new EnvVar("PLIANT_CHECKPOINT", json(checkpoint), null));
    }
    return ours;
  }

  private static String json(Checkpoint checkpoint) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("path", inClaim(checkpoint, checkpoint.path() == null ? "" : checkpoint.path()));
    fields.put("every", checkpoint.every());
    fields.put("keep", checkpoint.keep());
    String from = checkpoint.from();
    if (from != null) {
      boolean latest = from.equals(JobPlan.Checkpointing.LATEST);
      fields.put("from", latest || from.startsWith("/") ? from : inClaim(checkpoint, from));
      fields.put("with_data_position", checkpoint.withDataPosition());
    }
    try {
      // `$(NAME)` in a variable is replaced by Kubernetes; a doubled dollar stays one.
      return MAPPER.writeValueAsString(fields).replace("$", "$$");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("text and numbers are JSON", e);
    }
  }

  /// A path in the claim as the container sees it, where there is a claim.
  private static String inClaim(Checkpoint checkpoint, String path) {
    if (checkpoint.claim() == null) {
      return path;
    }
    return path.isEmpty() ? NodePods.CHECKPOINT_FOLDER : NodePods.CHECKPOINT_FOLDER + "/" + path;
  }

  static EnvVar field(String name, String path) {
    return new EnvVarBuilder()
        .withName(name)
        .withNewValueFrom()
        .withNewFieldRef(null, path)
        .endValueFrom()
        .build();
  }

  private static EnvVar convert(dev.pliant.crds.EnvVar variable) {
    Map<String, Object> from = variable.valueFrom();
    return new EnvVar(
        variable.name(),
        variable.value(),
        from == null
            ? null
            : Templates.read(
                "spec.envs.%s.valueFrom".formatted(variable.name()), from, EnvVarSource.class));
  }
}
