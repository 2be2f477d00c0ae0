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

  /// Beside them stand the roles.
  private static final List<String> SPEC_KEYS =
      List.of(
          "distributionStrategy",
          "optimizeMode",
          "brainService",
          "resourceLimits",
          "envs",
          "suspend",
          "storage",
          "checkpoint",
          "ttl",
          "enableElasticScheduling",
          "enableDynamicSharding",
          "replicaSpecs");

  private static final List<String> ROLE_KEYS =
      List.of(
          "replicas",
          "minReplicas",
          "maxReplicas",
          "template",
          "restartCount",
          "autoScale",
          "restartTimeout",
          "priority",
          "nprocPerNode",
          "restartPolicy");

  private static final List<String> RESTART_POLICIES =
      List.of("Never", "Always", "OnFailure", "ExitCode");

  /// The first four are users'; a cluster adds the others to what it shows of an object.
  private static final List<String> METADATA_KEYS =
      List.of(
          "name",
          "namespace",
          "labels",
          "annotations",
          "uid",
          "generation",
          "resourceVersion",
          "creationTimestamp",
          "deletionTimestamp",
          "deletionGracePeriodSeconds",
          "finalizers",
          "managedFields",
          "ownerReferences",
          "selfLink");

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
    Section top =
        Section.strict(file, "", root, List.of("apiVersion", "kind", "metadata", "spec", "status"));
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
    Section section = Section.strict(file, "metadata", top.required("metadata"), METADATA_KEYS);
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
    List<String> known = new ArrayList<>(SPEC_KEYS);
    known.addAll(Role.allSpellings());
    Section section = Section.strict(file, "spec", top.required("spec"), known);
    return new ElasticJobSpec(
        strategy(section),
        optimizeMode(section),
        section.text("brainService"),
        section.quantities("resourceLimits"),
        envs(section),
        Boolean.TRUE.equals(section.truth("suspend")),
        storage(section),
        checkpoint(section),
        section.whole("ttl", 0, Integer.MAX_VALUE),
        roles(section),
        unused(section));
  }

  /// Pliant shards data by speed and scales within bounds wherever that can be done, and a master
  /// relaunches what ended: there is nothing to turn on.
  private List<String> unused(Section spec) {
    List<String> unused = new ArrayList<>();
    for (String key : List.of("enableElasticScheduling", "enableDynamicSharding")) {
      if (spec.truth(key) != null) {
        unused.add(spec.name(key));
      }
    }
    YamlNode named = spec.value("replicaSpecs");
    Section roles = named == null ? spec : Section.open(file, spec.name("replicaSpecs"), named);
    for (Section parent : List.of(roles, spec)) {
      for (String name : Role.allSpellings()) {
        YamlNode role = parent.value(name);
        if (role != null
            && Section.open(file, parent.name(name), role).value("restartPolicy") != null
            && !unused.contains(parent.name(name) + ".restartPolicy")) {
          unused.add(parent.name(name) + ".restartPolicy");
        }
      }
    }
    return unused;
  }

  /// In both shapes: by name under `replicaSpecs`, or directly under `spec`.
  private Map<Role, ReplicaSpec> roles(Section spec) {
    Map<Role, ReplicaSpec> roles = new LinkedHashMap<>();
    YamlNode named = spec.value("replicaSpecs");
    if (named != null) {
      Section section = Section.strict(file, spec.name("replicaSpecs"), named, Role.allSpellings());
      section.node().entries().keySet().forEach(name -> addRole(roles, section, name));
    }
    for (String name : Role.allSpellings()) {
      if (spec.value(name) != null) {
        addRole(roles, spec, name);
      }
    }
    if (!roles.containsKey(Role.WORKER)) {
      throw spec.fault(
          "replicaSpecs",
          "this job has no workers; write them as 'spec.replicaSpecs.worker' or as"
              + " 'spec.worker'.");
    }
    return roles;
  }

  private void addRole(Map<Role, ReplicaSpec> roles, Section section, String name) {
    Role role = Role.of(name).orElseThrow();
    ReplicaSpec spec = replicaSpec(role, section.name(name), section.required(name));
    if (roles.putIfAbsent(role, spec) != null) {
      throw section.fault(
          name,
          "the role '%s' stands in this file for the second time; its spellings are %s."
              .formatted(name, String.join(", ", role.spellings())));
    }
  }

  private static OptimizeMode optimizeMode(Section spec) {
    String text = spec.text("optimizeMode");
    if (text == null) {
      return OptimizeMode.MANUAL;
    }
    for (OptimizeMode mode : OptimizeMode.values()) {
      if (mode.spelling().equals(text)) {
        return mode;
      }
    }
    List<String> known = Stream.of(OptimizeMode.values()).map(OptimizeMode::spelling).toList();
    throw spec.fault(
        "optimizeMode", "unknown mode '%s'%s".formatted(text, Nearest.hint(text, known)));
  }

  private @Nullable Storage storage(Section spec) {
    YamlNode value = spec.value("storage");
    if (value == null) {
      return null;
    }
    Section section = Section.strict(file, spec.name("storage"), value, List.of("claim", "path"));
    return new Storage(section.requiredText("claim"), section.text("path"));
  }

  private @Nullable Checkpoint checkpoint(Section spec) {
    YamlNode value = spec.value("checkpoint");
    if (value == null) {
      return null;
    }
    Section section =
        Section.strict(
            file, spec.name("checkpoint"), value, List.of("claim", "path", "every", "keep"));
    String claim = section.text("claim");
    String path = section.text("path");
    if (claim == null && path == null) {
      throw spec.fault(
          "checkpoint", "'spec.checkpoint' needs a 'path', or a 'claim' on a cluster, or both.");
    }
    Integer every = section.whole("every", 1, 1_000_000_000);
    Integer keep = section.whole("keep", 1, 1_000);
    return new Checkpoint(
        claim,
        path,
        every == null ? Checkpoint.DEFAULT_EVERY : every,
        keep == null ? Checkpoint.DEFAULT_KEEP : keep);
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

  private ReplicaSpec replicaSpec(Role role, String path, YamlNode node) {
    Section section = Section.strict(file, path, node, ROLE_KEYS);
    int least = role == Role.WORKER ? 1 : 0; // Other roles may wait for a plan that brings them.
    Integer replicas = section.whole("replicas", least, ReplicaSpec.MAX_REPLICAS);
    Integer min = section.whole("minReplicas", least, ReplicaSpec.MAX_REPLICAS);
    Integer max = section.whole("maxReplicas", 1, ReplicaSpec.MAX_REPLICAS);
    checkOrder(section, "minReplicas", min, "maxReplicas", max);
    checkOrder(section, "replicas", replicas, "maxReplicas", max);
    checkOrder(section, "minReplicas", min, "replicas", replicas);
    String policy = section.text("restartPolicy");
    if (policy != null && !RESTART_POLICIES.contains(policy)) {
      throw section.fault(
          "restartPolicy",
          "unknown policy '%s'%s".formatted(policy, Nearest.hint(policy, RESTART_POLICIES)));
    }
    return new ReplicaSpec(
        replicas,
        min,
        max,
        section.whole("restartCount", 0, 1_000),
        section.truth("autoScale"),
        section.whole("restartTimeout", 0, 1_000_000_000),
        section.textOrNumber("priority"),
        section.whole("nprocPerNode", 1, ReplicaSpec.MAX_PROCESSES),
        template(section));
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
