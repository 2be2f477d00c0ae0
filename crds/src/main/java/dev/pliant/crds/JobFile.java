package dev.pliant.crds;

import static dev.pliant.model.ErrorCode.BAD_JOB_FILE;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pliant.crds.api.CleanPodPolicy;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.OnDelete;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.model.JobId;
import dev.pliant.model.Nearest;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
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
          "scaler",
          "cleanPodPolicy",
          "enableElasticScheduling",
          "enableDynamicSharding",
          "replicaSpecs");

  /// The first five are users'; a cluster adds the others to what it shows of an object.
  private static final List<String> METADATA_KEYS =
      List.of(
          "name",
          "generateName",
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

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final String file;

  private JobFile(String file) {
    this.file = file;
  }

  /// The job in `path`, named in errors as the path is written.
  public static ElasticJob read(Path path) {
    return parse(path.toString(), text(path));
  }

  /// The job in `yaml`; `file` names it in errors.
  public static ElasticJob parse(String file, String yaml) {
    return new JobFile(file).job(YamlReader.read(file, yaml));
  }

  /// A job file.
  ///
  /// @param job what it means
  /// @param object what is sent of it to an API server: maps, lists, text, numbers, booleans and
  ///   nulls
  public record Written(ElasticJob job, Map<String, Object> object) {
    public Written {
      object = Collections.unmodifiableMap(object);
    }
  }

  /// The job in `yaml`, with what a cluster is to be told of it; `file` names it in errors. Both
  /// come of one reading, so that what is sent is what was checked.
  public static Written written(String file, String yaml) {
    YamlNode root = YamlReader.read(file, yaml);
    ElasticJob job = new JobFile(file).job(root);
    return new Written(job, ApiObject.of(Section.open(file, "", root).node()));
  }

  /// What a job of a cluster means. Its errors name the job and the field: there is no line.
  public static ElasticJob of(ElasticJobResource resource) {
    ObjectNode object = MAPPER.createObjectNode();
    object.put("apiVersion", resource.getApiVersion()).put("kind", resource.getKind());
    ObjectMeta metadata = resource.getMetadata();
    object
        .putObject("metadata")
        .put("name", metadata.getName())
        .put("namespace", metadata.getNamespace())
        .putPOJO("labels", metadata.getLabels())
        .putPOJO("annotations", metadata.getAnnotations());
    object.putPOJO("spec", resource.getSpec());
    String name = "ElasticJob %s/%s".formatted(metadata.getNamespace(), metadata.getName());
    return new JobFile(name).job(YamlNode.of(MAPPER.valueToTree(object)));
  }

  /// The text of the file, which may be a pipe: it is read once.
  public static String text(Path path) {
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
    RoleReader roles = new RoleReader(file);
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
        word(section, "scaler", ScalerKind.class, ScalerKind.ElasticJobScaler),
        word(section, "cleanPodPolicy", CleanPodPolicy.class, CleanPodPolicy.Running),
        roles.roles(section),
        roles.unused(section));
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

  /// One of the words of `type`, or `otherwise` where there is none.
  private static <E extends Enum<E>> E word(Section spec, String key, Class<E> type, E otherwise) {
    String text = spec.text(key);
    if (text == null) {
      return otherwise;
    }
    List<String> known = Stream.of(type.getEnumConstants()).map(Enum::name).toList();
    if (!known.contains(text)) {
      throw spec.fault(key, "unknown %s '%s'%s".formatted(key, text, Nearest.hint(text, known)));
    }
    return Enum.valueOf(type, text);
  }

  private @Nullable Storage storage(Section spec) {
    YamlNode value = spec.value("storage");
    if (value == null) {
      return null;
    }
    Section section =
        Section.strict(file, spec.name("storage"), value, List.of("claim", "path", "onDelete"));
    return new Storage(
        section.requiredText("claim"),
        section.text("path"),
        word(section, "onDelete", OnDelete.class, OnDelete.Delete));
  }

  private @Nullable Checkpoint checkpoint(Section spec) {
    YamlNode value = spec.value("checkpoint");
    if (value == null) {
      return null;
    }
    Section section =
        Section.strict(
            file,
            spec.name("checkpoint"),
            value,
            List.of("claim", "path", "every", "keep", "from", "withDataPosition"));
    String claim = section.text("claim");
    String path = section.text("path");
    if (claim == null && path == null) {
      throw spec.fault(
          "checkpoint", "'spec.checkpoint' needs a 'path', or a 'claim' on a cluster, or both.");
    }
    Integer every = section.whole("every", 1, 1_000_000_000);
    Integer keep = section.whole("keep", 1, 1_000);
    String from = section.text("from");
    boolean withDataPosition = Boolean.TRUE.equals(section.truth("withDataPosition"));
    if (withDataPosition && from == null) {
      throw section.fault(
          "withDataPosition",
          "'spec.checkpoint.withDataPosition' needs 'from', the checkpoint to start from.");
    }
    return new Checkpoint(
        claim,
        path,
        every == null ? Checkpoint.DEFAULT_EVERY : every,
        keep == null ? Checkpoint.DEFAULT_KEEP : keep,
        from,
        withDataPosition);
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
        envs.add(RoleReader.env(section, name, name, fields));
      } else {
        envs.add(
            RoleReader.env(
                section, name, name, Objects.requireNonNullElse(section.text(name), "")));
      }
    }
    return envs;
  }
}
