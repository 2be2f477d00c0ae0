package dev.pliant.master.platform.local;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.master.platform.PlatformConfig;
import dev.pliant.model.JobPlan.Checkpointing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts the agents of nodes as processes of this machine.
record AgentLauncher(PlatformConfig config, NodeFiles files, ControlGroups groups) {
  private static final Logger log = LoggerFactory.getLogger(AgentLauncher.class);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /// What every training process of the job finds in its environment.
  Map<String, String> variables() throws IOException {
    Map<String, String> variables = new TreeMap<>(config.plan().environment());
    if (!config.plan().uid().isEmpty()) {
      variables.put("PLIANT_JOB_UID", config.plan().uid());
    }
    Checkpointing checkpoint = config.plan().checkpoint();
    if (checkpoint != null) {
      variables.putIfAbsent("PLIANT_CHECKPOINT", json(checkpoint));
    }
    return variables;
  }

  Process launch(DesiredNode node, Map<String, String> variables) throws IOException {
    List<Path> bounds = groups.make(node.id(), node.resources());
    List<String> command =
        AgentCommandLine.of(
            config,
            files,
            node,
            files.socket(node.id()),
            files.writeVariables(node.id(), variables),
            bounds);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put(NodeProcesses.MARK, NodeProcesses.mark(config.folder(), node.id()));
    if (builder.environment().putIfAbsent("MALLOC_ARENA_MAX", "1") == null) {
      builder.environment().put("PLIANT_AGENT_ONLY", "MALLOC_ARENA_MAX");
    }
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(files.agentLog(node.id()).toFile()));
    Process process = builder.start();
    log.info("node {} is started as process {}", node.id(), process.pid());
    return process;
  }

  private static String json(Checkpointing checkpoint) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("path", checkpoint.path());
    fields.put("every", checkpoint.every());
    fields.put("keep", checkpoint.keep());
    if (!checkpoint.from().isEmpty()) {
      fields.put("from", checkpoint.from());
      fields.put("with_data_position", checkpoint.withDataPosition());
    }
    return MAPPER.writeValueAsString(fields);
  }
}
