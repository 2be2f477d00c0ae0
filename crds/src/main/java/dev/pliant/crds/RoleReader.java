package dev.pliant.crds;

import dev.pliant.crds.Container.Resources;
import dev.pliant.crds.YamlNode.Entry;
import dev.pliant.crds.YamlNode.Mapping;
import dev.pliant.crds.YamlNode.Position;
import dev.pliant.crds.YamlNode.Scalar;
import dev.pliant.model.Nearest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reads the roles of a job: how many, and what pod each of them is.
final class RoleReader {
  private static final String REPLICAS = "replicas";
  private static final String MIN_REPLICAS = "minReplicas";
  private static final String MAX_REPLICAS = "maxReplicas";
  private static final List<String> ROLE_KEYS =
      List.of(
          REPLICAS,
          MIN_REPLICAS,
          MAX_REPLICAS,
          "template",
          "restartCount",
          "autoScale",
          "restartTimeout",
          "priority",
          "nprocPerNode",
          "restartPolicy");

  private static final List<String> RESTART_POLICIES =
      List.of("Never", "Always", "OnFailure", "ExitCode");

  private final String file;

  RoleReader(String file) {
    this.file = file;
  }

  /// In both shapes: by name under `replicaSpecs`, or directly under `spec`. Where a role stands in
  /// both and has its template directly under `spec`, what `replicaSpecs` says of it wins: that is
  /// where `kubectl scale` writes its number.
  Map<Role, ReplicaSpec> roles(Section spec) {
    Map<Role, Found> found = new LinkedHashMap<>();
    YamlNode named = spec.value("replicaSpecs");
    if (named != null) {
      Section section = Section.strict(file, spec.name("replicaSpecs"), named, Role.allSpellings());
      section.node().entries().keySet().forEach(name -> add(found, section, name));
    }
    for (String name : Role.allSpellings()) {
      if (spec.value(name) != null) {
        add(found, spec, name);
      }
    }
    if (!found.containsKey(Role.WORKER)) {
      throw spec.fault(
          "replicaSpecs",
          "this job has no workers; write them as 'spec.replicaSpecs.worker' or as"
              + " 'spec.worker'.");
    }
    Map<Role, ReplicaSpec> roles = new LinkedHashMap<>();
    found.forEach((role, at) -> roles.put(role, replicaSpec(role, at.path(), at.node())));
    return roles;
  }

  /// Where a role stands.
  ///
  /// @param parent what it stands under
  private record Found(Section parent, String path, Mapping node) {}

  private void add(Map<Role, Found> found, Section section, String name) {
    Role role = Role.of(name).orElseThrow();
    String path = section.name(name);
    Mapping node = Section.open(file, path, section.required(name)).node();
    Found before = found.putIfAbsent(role, new Found(section, path, node));
    if (before == null) {
      return;
    }
    if (before.parent() == section || before.node().entries().containsKey("template")) {
      throw section.fault(
          name,
          "the role '%s' stands in this file for the second time; its spellings are %s."
              .formatted(name, String.join(", ", role.spellings())));
    }
    Map<String, Entry> merged = merge(role, node.entries(), before.node().entries());
    found.put(role, new Found(section, path, new Mapping(node.position(), merged)));
  }

  private static Map<String, Entry> merge(
      Role role, Map<String, Entry> direct, Map<String, Entry> named) {
    Map<String, Entry> merged = new LinkedHashMap<>(direct);
    named.forEach((key, entry) -> {
      if (!(entry.value() instanceof Scalar scalar && scalar.value() == null)) {
        merged.put(key, entry);
      }
    });
    Integer wish = number(direct, REPLICAS);
    Integer scaled = number(named, REPLICAS);
    if (role == Role.WORKER && wish != null && scaled != null) {
      merged.put(REPLICAS, within(merged, scaled == 0 ? wish : scaled));
    }
    return merged;
  }

  /// Number and bounds may have been changed directly under `spec`, and the number of the other
  /// place be yet to follow: until then it is as near to itself as the bounds have it.
  private static Entry within(Map<String, Entry> role, int wish) {
    int least = Objects.requireNonNullElse(number(role, MIN_REPLICAS), 0);
    int most = Objects.requireNonNullElse(number(role, MAX_REPLICAS), ReplicaSpec.MAX_REPLICAS);
    int within = Math.clamp(wish, least, Math.max(least, most));
    Position at = Objects.requireNonNull(role.get(REPLICAS)).position();
    return new Entry(at, new Scalar(at, Integer.toString(within), within));
  }

  private static @Nullable Integer number(Map<String, Entry> role, String key) {
    Entry entry = role.get(key);
    return entry != null && entry.value() instanceof Scalar(_, _, Integer number) ? number : null;
  }

  /// Pliant shards data by speed and scales within bounds wherever that can be done, and a master
  /// relaunches what ended: there is nothing to turn on.
  List<String> unused(Section spec) {
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

  private ReplicaSpec replicaSpec(Role role, String path, YamlNode node) {
    Section section = Section.strict(file, path, node, ROLE_KEYS);
    int least = role == Role.WORKER ? 1 : 0; // Other roles may wait for a plan that brings them.
    Integer replicas = section.whole(REPLICAS, 0, ReplicaSpec.MAX_REPLICAS);
    Integer min = section.whole(MIN_REPLICAS, least, ReplicaSpec.MAX_REPLICAS);
    Integer max = section.whole(MAX_REPLICAS, 1, ReplicaSpec.MAX_REPLICAS);
    checkOrder(section, MIN_REPLICAS, min, MAX_REPLICAS, max);
    checkOrder(section, REPLICAS, replicas, MAX_REPLICAS, max);
    checkOrder(section, MIN_REPLICAS, min, REPLICAS, replicas);
    String policy = section.text("restartPolicy");
    if (policy != null && !RESTART_POLICIES.contains(policy)) {
      throw section.fault(
          "restartPolicy",
          "unknown policy '%s'%s".formatted(policy, Nearest.hint(policy, RESTART_POLICIES)));
    }
    return new ReplicaSpec(
        replicas != null && replicas < least ? null : replicas, // Others write 0 for any number.
        min,
        max,
        section.whole("restartCount", 0, 1_000),
        section.truth("autoScale"),
        section.whole("restartTimeout", 0, 1_000_000_000),
        priority(section),
        section.whole("nprocPerNode", 1, ReplicaSpec.MAX_PROCESSES),
        template(section));
  }

  private static @Nullable Priority priority(Section section) {
    String written = section.textOrNumber("priority");
    try {
      return written == null ? null : Priority.of(written);
    } catch (IllegalArgumentException e) {
      throw section.fault(
          "priority",
          "'%s' is no priority; write the name of one of the cluster's PriorityClasses, or from 0 to 1 which share of the role is of the class '%s' while the rest is of '%s'."
              .formatted(written, Priority.HIGH, Priority.LOW));
    }
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

  static EnvVar env(Section where, String key, String name, Section fields) {
    String value = fields.text("value");
    YamlNode from = fields.value("valueFrom");
    if (from == null) {
      return env(where, key, name, Objects.requireNonNullElse(value, ""));
    }
    Section source = Section.open(fields.file(), fields.name("valueFrom"), from);
    EnvVar checked = env(where, key, name, "");
    return new EnvVar(checked.name(), null, source.node().plain());
  }

  static EnvVar env(Section where, String key, String name, String value) {
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
