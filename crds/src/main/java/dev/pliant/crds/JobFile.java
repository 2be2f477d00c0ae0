package dev.pliant.crds;

import static dev.pliant.model.ErrorCode.BAD_JOB_FILE;

import dev.pliant.crds.Container.Resources;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads an [ElasticJob] from YAML, strictly: what it does not know, or what means nothing, is an
/// error with file, line and column. Only inside a pod template, whose shape is Kubernetes', are
/// unknown fields let through.
public final class JobFile {
  private static final int MAX_BYTES = 1 << 20;

  private final String file;

  private JobFile(String file) {
    this.file = file;
  }

  /// The job in `path`, named in errors as the path is written.
  public static ElasticJob read(Path path) {
    return parse(path.toString(), content(path));
  }

  /// The job in `yaml`; `file` names it in errors.
  public static ElasticJob parse(String file, String yaml) {
    return new JobFile(file).job(YamlReader.read(file, yaml));
  }

  private static String content(Path path) {
    try {
      if (Files.isDirectory(path)) {
        throw new PliantException(BAD_JOB_FILE, path + ": is a folder; name the job's YAML file.");
      }
      byte[] bytes;
      try (var in = Files.newInputStream(path)) {
        bytes = in.readNBytes(MAX_BYTES + 1);
      }
      if (bytes.length > MAX_BYTES) {
        throw new PliantException(
            BAD_JOB_FILE,
            "%s: is larger than %,d bytes; this is no job file.".formatted(path, MAX_BYTES));
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new PliantException(BAD_JOB_FILE, path + ": is not UTF-8 text.", e);
    } catch (NoSuchFileException e) {
      throw new PliantException(BAD_JOB_FILE, path + ": there is no such file.", e);
    } catch (IOException e) {
      throw new PliantException(BAD_JOB_FILE, path + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private ElasticJob job(YamlNode root) {
    Section top = Section.strict(file, "", root, List.of("apiVersion", "kind", "metadata", "spec"));
    expect(top, "apiVersion", ElasticJob.API_VERSION);
    expect(top, "kind", ElasticJob.KIND);
    Metadata metadata = metadata(top);
    return new ElasticJob(metadata, spec(top));
  }

  private static void expect(Section top, String key, String want) {
    String found = top.requiredText(key);
    if (!found.equals(want)) {
      throw top.fault(key, "'%s' is '%s'; only '%s' is known.".formatted(key, found, want));
    }
  }

  private Metadata metadata(Section top) {
    Section section =
        Section.strict(
            file,
            "metadata",
            top.required("metadata"),
            List.of("name", "namespace", "labels", "annotations"));
    String name = section.requiredText("name");
    String namespace = Objects.requireNonNullElse(section.text("namespace"), "default");
    checkName(section, "namespace", namespace, "x");
    checkName(section, "name", "default", name);
    return new Metadata(name, namespace, section.textMap("labels"), section.textMap("annotations"));
  }

  private static void checkName(Section section, String key, String namespace, String name) {
    try {
      JobId unused = new JobId(namespace, name);
    } catch (PliantException e) {
      throw section.fault(key, String.valueOf(e.getMessage()));
    }
  }

  private ElasticJobSpec spec(Section top) {
    Section section =
        Section.strict(
            file,
            "spec",
            top.required("spec"),
            List.of("distributionStrategy", "envs", "replicaSpecs"));
    Section roles =
        Section.strict(
            file,
            "spec.replicaSpecs",
            section.required("replicaSpecs"),
            List.of(ElasticJobSpec.WORKER));
    roles.required(ElasticJobSpec.WORKER);
    Map<String, ReplicaSpec> replicaSpecs = new LinkedHashMap<>();
    for (String role : roles.node().entries().keySet()) {
      replicaSpecs.put(role, replicaSpec(roles.name(role), roles.required(role)));
    }
    return new ElasticJobSpec(strategy(section), envs(section), replicaSpecs);
  }

  private static DistributionStrategy strategy(Section spec) {
    String text = spec.text("distributionStrategy");
    if (text == null) {
      return DistributionStrategy.LOCAL;
    }
    for (DistributionStrategy strategy : DistributionStrategy.values()) {
      if (strategy.spellings().contains(text)) {
        return strategy;
      }
    }
    List<String> known =
        Stream.of(DistributionStrategy.values()).flatMap(s -> s.spellings().stream()).toList();
    throw spec.fault(
        "distributionStrategy",
        "unknown strategy '%s'%s".formatted(text, Nearest.hint(text, known)));
  }

  /// By name: `OMP_NUM_THREADS: "1"`, or with a mapping that has a `value`.
  private List<EnvVar> envs(Section spec) {
    YamlNode value = spec.value("envs");
    if (value == null) {
      return List.of();
    }
    Section section = Section.open(file, "spec.envs", value);
    List<EnvVar> envs = new ArrayList<>();
    for (String name : section.node().entries().keySet()) {
      YamlNode env = section.value(name);
      if (env instanceof YamlNode.Mapping) {
        Section fields = Section.open(file, section.name(name), env);
        envs.add(env(section, name, name, fields));
      } else {
        envs.add(env(section, name, name, Objects.requireNonNullElse(section.text(name), "")));
      }
    }
    return envs;
  }

  private ReplicaSpec replicaSpec(String path, YamlNode node) {
    Section section =
        Section.strict(
            file,
            path,
            node,
            List.of("replicas", "minReplicas", "maxReplicas", "restartCount", "template"));
    Integer replicas = section.whole("replicas", 1, ReplicaSpec.MAX_REPLICAS);
    Integer min = section.whole("minReplicas", 1, ReplicaSpec.MAX_REPLICAS);
    Integer max = section.whole("maxReplicas", 1, ReplicaSpec.MAX_REPLICAS);
    checkOrder(section, "minReplicas", min, "maxReplicas", max);
    checkOrder(section, "replicas", replicas, "maxReplicas", max);
    checkOrder(section, "minReplicas", min, "replicas", replicas);
    Integer restarts = section.whole("restartCount", 0, 1_000);
    return new ReplicaSpec(replicas, min, max, restarts, template(section));
  }

  private static void checkOrder(
      Section section,
      String lowKey,
      @Nullable Integer low,
      String highKey,
      @Nullable Integer high) {
    if (low != null && high != null && low > high) {
      throw section.fault(
          lowKey, "%s is %,d, more than %s, which is %,d.".formatted(lowKey, low, highKey, high));
    }
  }

  private PodTemplate template(Section replicaSpec) {
    YamlNode node = replicaSpec.required("template");
    Section template = Section.open(file, replicaSpec.name("template"), node);
    Section spec = Section.open(file, template.name("spec"), template.required("spec"));
    List<YamlNode> items = spec.items("containers");
    if (items.isEmpty()) {
      throw spec.fault(
          "containers", "'%s' needs at least one container.".formatted(spec.name("containers")));
    }
    List<Container> containers = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      String path = spec.name("containers") + "[" + i + "]";
      containers.add(container(Section.open(file, path, items.get(i))));
    }
    return new PodTemplate(containers, template.node().plain());
  }

  private Container container(Section section) {
    return new Container(
        section.requiredText("name"),
        section.text("image"),
        section.texts("command"),
        section.texts("args"),
        containerEnv(section),
        section.text("workingDir"),
        resources(section));
  }

  private List<EnvVar> containerEnv(Section container) {
    List<EnvVar> env = new ArrayList<>();
    List<YamlNode> items = container.items("env");
    for (int i = 0; i < items.size(); i++) {
      Section fields = Section.open(file, container.name("env") + "[" + i + "]", items.get(i));
      env.add(env(fields, "name", fields.requiredText("name"), fields));
    }
    return env;
  }

  private static EnvVar env(Section where, String key, String name, Section fields) {
    String value = fields.text("value");
    return fields.value("valueFrom") == null
        ? env(where, key, name, Objects.requireNonNullElse(value, ""))
        : env(where, key, name, (String) null);
  }

  private static EnvVar env(Section where, String key, String name, @Nullable String value) {
    try {
      return new EnvVar(name, value);
    } catch (IllegalArgumentException e) {
      throw where.fault(key, "'%s' cannot name a variable.".formatted(name));
    }
  }

  private Resources resources(Section container) {
    YamlNode value = container.value("resources");
    if (value == null) {
      return Resources.NONE;
    }
    Section section = Section.open(file, container.name("resources"), value);
    return new Resources(section.quantities("limits"), section.quantities("requests"));
  }
}
