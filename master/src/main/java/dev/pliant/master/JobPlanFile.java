package dev.pliant.master;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.JobPlan.Checkpointing;
import dev.pliant.model.Nearest;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// `job.json` in a job's folder: what the supervisor wants of the master. A folder without it is a
/// master without nodes, whose processes others start.
public final class JobPlanFile {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final List<String> KEYS =
      List.of(
          "job",
          "run",
          "uid",
          "strategy",
          "elasticity",
          "workers",
          "nprocPerNode",
          "command",
          "environment",
          "workingFolder",
          "checkpoint",
          "pythonPackage",
          "lastCallMillis",
          "limits");
  private static final List<String> WORKER_KEYS =
      List.of("wish", "min", "max", "restarts", "restartMillis", "cpu", "memoryMib", "gpus");
  private static final List<String> LIMIT_KEYS = List.of("cpu", "memoryMib", "gpus", "diskMib");
  private static final List<String> CHECKPOINT_KEYS =
      List.of("path", "every", "keep", "from", "withDataPosition");

  private JobPlanFile() {}

  public static Path in(Path jobFolder) {
    return jobFolder.resolve("job.json");
  }

  /// Writes a plan as a whole. Its variables may be secrets: nobody else can read it.
  public static void write(Path jobFolder, JobPlan plan) throws IOException {
    WholeFile.write(
        in(jobFolder), JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json(plan)) + "\n");
  }

  /// The plan in a job's folder, if there is one.
  ///
  /// @throws PliantException where it cannot be read or carried out
  public static Optional<JobPlan> read(Path jobFolder) throws IOException {
    Path file = in(jobFolder);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(plan(new Fields("", JSON.readTree(Files.readAllBytes(file)), KEYS)));
    } catch (JsonProcessingException e) {
      throw fault(file, "is no JSON: " + e.getOriginalMessage());
    } catch (PliantException e) {
      throw fault(file, String.valueOf(e.getMessage()));
    }
  }

  private static ObjectNode json(JobPlan plan) {
    ObjectNode json = JSON.createObjectNode();
    json.put("job", plan.job().toString());
    json.put("run", plan.run());
    json.put("uid", plan.uid());
    json.put("strategy", plan.strategy().word());
    json.put("elasticity", plan.elasticity().word());
    json.putObject("workers")
        .put("wish", plan.workers().wish())
        .put("min", plan.workers().min())
        .put("max", plan.workers().max())
        .put("restarts", plan.workers().restarts())
        .put("restartMillis", plan.workers().restartMillis())
        .put("cpu", plan.workers().resources().cpu())
        .put("memoryMib", plan.workers().resources().memoryMib())
        .put("gpus", plan.workers().resources().gpus());
    json.put("nprocPerNode", plan.nprocPerNode());
    ArrayNode command = json.putArray("command");
    plan.command().forEach(command::add);
    ObjectNode environment = json.putObject("environment");
    plan.environment().forEach(environment::put);
    json.put("workingFolder", plan.workingFolder());
    Checkpointing checkpoint = plan.checkpoint();
    if (checkpoint == null) {
      json.putNull("checkpoint");
    } else {
      json.putObject("checkpoint")
          .put("path", checkpoint.path())
          .put("every", checkpoint.every())
          .put("keep", checkpoint.keep())
          .put("from", checkpoint.from())
          .put("withDataPosition", checkpoint.withDataPosition());
    }
    json.put("pythonPackage", plan.pythonPackage());
    json.put("lastCallMillis", plan.lastCallMillis());
    if (!plan.limits().isNone()) {
      json.set("limits", json(plan.limits()));
    }
    return json;
  }

  private static ObjectNode json(ResourceLimits limits) {
    return JSON.createObjectNode()
        .put("cpu", limits.cpu())
        .put("memoryMib", limits.memoryMib())
        .put("gpus", limits.gpus())
        .put("diskMib", limits.diskMib());
  }

  private static JobPlan plan(Fields fields) {
    Fields workers = new Fields("workers.", fields.required("workers"), WORKER_KEYS);
    return new JobPlan(
        JobId.parse(fields.text("job")),
        fields.wide("run", 0),
        Strategy.of(fields.text("strategy")),
        Elasticity.of(fields.text("elasticity")),
        new JobPlan.Workers(
            workers.number("wish"),
            workers.number("min"),
            workers.number("max"),
            workers.number("restarts", JobPlan.DEFAULT_RESTARTS),
            workers.wide("restartMillis", 0),
            new NodeResources(
                workers.decimal("cpu", 0),
                workers.number("memoryMib", 0),
                workers.number("gpus", 0))),
        fields.number("nprocPerNode", 1),
        fields.texts("command"),
        fields.textMap("environment"),
        fields.text("workingFolder"),
        checkpoint(fields.optional("checkpoint")),
        fields.text("pythonPackage", ""),
        fields.number("lastCallMillis", (int) JobPlan.DEFAULT_LAST_CALL_MILLIS),
        List.of(),
        limits(fields.optional("limits")),
        fields.text("uid", ""));
  }

  private static ResourceLimits limits(@Nullable JsonNode json) {
    if (json == null) {
      return ResourceLimits.NONE;
    }
    Fields fields = new Fields("limits.", json, LIMIT_KEYS);
    return new ResourceLimits(
        fields.optional("cpu") == null ? null : fields.decimal("cpu", 0),
        fields.optional("memoryMib") == null ? null : fields.wide("memoryMib", 0),
        fields.optional("gpus") == null ? null : fields.wide("gpus", 0),
        fields.optional("diskMib") == null ? null : fields.wide("diskMib", 0));
  }

  private static @Nullable Checkpointing checkpoint(@Nullable JsonNode json) {
    if (json == null) {
      return null;
    }
    Fields fields = new Fields("checkpoint.", json, CHECKPOINT_KEYS);
    return new Checkpointing(
        fields.text("path"),
        fields.number("every"),
        fields.number("keep"),
        fields.text("from", ""),
        fields.flag("withDataPosition"));
  }

  private static PliantException fault(Path file, String what) {
    return new PliantException(ErrorCode.BAD_JOB_PLAN, file + ": " + what);
  }

  /// The fields of an object, read strictly.
  private record Fields(String prefix, JsonNode json, List<String> known) {
    Fields {
      if (!json.isObject()) {
        throw bad(
            (prefix.isEmpty() ? "the plan" : "'" + prefix.replace(".", "'")) + " is no object.");
      }
      for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
        String name = names.next();
        if (!known.contains(name)) {
          throw bad("'%s%s' is not known%s".formatted(prefix, name, Nearest.hint(name, known)));
        }
      }
    }

    @Nullable JsonNode optional(String name) {
      JsonNode value = json.get(name);
      return value == null || value.isNull() ? null : value;
    }

    JsonNode required(String name) {
      JsonNode value = optional(name);
      if (value == null) {
        throw bad("'%s%s' is missing.".formatted(prefix, name));
      }
      return value;
    }

    String text(String name) {
      return text(name, required(name));
    }

    String text(String name, String otherwise) {
      JsonNode value = optional(name);
      return value == null ? otherwise : text(name, value);
    }

    int number(String name) {
      return number(name, required(name));
    }

    int number(String name, int otherwise) {
      JsonNode value = optional(name);
      return value == null ? otherwise : number(name, value);
    }

    long wide(String name, long otherwise) {
      JsonNode value = optional(name);
      if (value == null) {
        return otherwise;
      }
      if (!value.isIntegralNumber() || !value.canConvertToLong()) {
        throw wrong(name, "a whole number");
      }
      return value.longValue();
    }

    double decimal(String name, double otherwise) {
      JsonNode value = optional(name);
      if (value == null) {
        return otherwise;
      }
      if (!value.isNumber()) {
        throw wrong(name, "a number");
      }
      return value.doubleValue();
    }

    boolean flag(String name) {
      JsonNode value = optional(name);
      if (value != null && !value.isBoolean()) {
        throw wrong(name, "true or false");
      }
      return value != null && value.booleanValue();
    }

    List<String> texts(String name) {
      JsonNode value = required(name);
      if (!value.isArray()) {
        throw wrong(name, "a list of texts");
      }
      List<String> texts = new ArrayList<>();
      value.forEach(item -> texts.add(text(name, item)));
      return texts;
    }

    Map<String, String> textMap(String name) {
      JsonNode value = optional(name);
      Map<String, String> texts = new TreeMap<>();
      if (value == null) {
        return texts;
      }
      if (!value.isObject()) {
        throw wrong(name, "an object of texts");
      }
      value.properties().forEach(e -> texts.put(e.getKey(), text(name, e.getValue())));
      return texts;
    }

    private String text(String name, JsonNode value) {
      if (!value.isTextual()) {
        throw wrong(name, "a text");
      }
      return value.textValue();
    }

    private int number(String name, JsonNode value) {
      if (!value.isIntegralNumber() || !value.canConvertToInt()) {
        throw wrong(name, "a whole number");
      }
      return value.intValue();
    }

    private PliantException wrong(String name, String want) {
      return bad("'%s%s' is not %s.".formatted(prefix, name, want));
    }

    private static PliantException bad(String what) {
      return new PliantException(ErrorCode.BAD_JOB_PLAN, what);
    }
  }
}
