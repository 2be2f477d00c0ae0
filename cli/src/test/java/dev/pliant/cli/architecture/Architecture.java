package dev.pliant.cli.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/// The house rules about who may know whom, for packages below any root: the real one, and one that
/// breaks them all to show that they hold.
final class Architecture {
  /// What each module may depend on, as the design draws it.
  private static final Map<String, List<String>> MODULES = new LinkedHashMap<>();

  static {
    MODULES.put("model", List.of());
    MODULES.put("protocol", List.of());
    MODULES.put("machine", List.of("model"));
    MODULES.put("views", List.of("model", "protocol"));
    MODULES.put("crds", List.of("model"));
    MODULES.put("kubernetes", List.of("model", "crds"));
    MODULES.put("rpc", List.of("model", "protocol"));
    MODULES.put("autoscaling", List.of("model"));
    MODULES.put(
        "master",
        List.of(
            "model", "machine", "protocol", "views", "autoscaling", "crds", "kubernetes", "rpc"));
    MODULES.put("agent", List.of("model", "protocol", "rpc"));
    MODULES.put("brain", List.of("model", "protocol", "autoscaling", "rpc", "views"));
    MODULES.put("operator", List.of("model", "views", "crds", "kubernetes", "rpc", "autoscaling"));
    MODULES.put("web", List.of("model", "protocol", "rpc", "views"));
    MODULES.put("simulator", List.of("model", "machine", "autoscaling"));
  }

  /// Where things are decided: functions of their arguments, and of nothing else.
  private static final List<String> DECIDING =
      List.of("model", "autoscaling", "machine", "kubernetes", "operator.decision");

  /// The agent's classes that decide, in packages that do more than that.
  static final List<String> DECIDING_CLASSES =
      List.of(
          "agent.relay.LeaseBook",
          "agent.node.NodeMachine",
          "agent.world.WorldBook",
          "agent.steps.StepBook");

  private static final String[] WORLD = {
    "io.grpc..",
    "io.fabric8..",
    "java.sql..",
    "javax.sql..",
    "java.net..",
    "java.net.http..",
    "java.nio.channels..",
    "java.nio.file..",
    "java.util.concurrent..",
    "org.slf4j..",
  };

  /// A cluster's objects are data; it is asking for them that is not.
  private static final String DATA = "io.fabric8.kubernetes.api.model..";

  /// Of the client, what says how data is called and written.
  private static final Set<String> DATA_CLASSES =
      Set.of(
          "io.fabric8.kubernetes.client.CustomResource",
          "io.fabric8.kubernetes.client.utils.Serialization");

  private static final Set<String> WORLD_CLASSES =
      Set.of(
          "java.lang.Thread",
          "java.lang.ProcessBuilder",
          "java.lang.Runtime",
          "java.io.File",
          "java.io.FileInputStream",
          "java.io.FileOutputStream",
          "java.io.RandomAccessFile",
          "java.security.SecureRandom",
          "java.time.Clock",
          "java.time.InstantSource",
          "java.util.Timer");

  private Architecture() {}

  static List<ArchRule> rules(String root) {
    List<ArchRule> rules = new ArrayList<>();
    MODULES.forEach((module, allowed) -> rules.add(direction(root, module, allowed)));
    rules.add(ofTheJdkAlone(root, "model", "model is records over the JDK alone"));
    rules.add(ofTheJdkAlone(root, "machine", "machine needs model and the JDK alone"));
    rules.add(ofTheJdkAlone(root, "autoscaling", "autoscaling needs model and the JDK alone"));
    rules.add(decidingSeesNoWorld(root));
    rules.add(decidingAsksNoClockAndNoDice(root));
    rules.add(oneRoomKnowsTheCluster(root));
    rules.add(identityNeedsNoGrpc(root));
    rules.add(noDrawers(root));
    return rules;
  }

  private static ArchRule direction(String root, String module, List<String> allowed) {
    String[] forbidden =
        Stream.concat(MODULES.keySet().stream(), Stream.of("cli"))
            .filter(other -> !other.equals(module) && !allowed.contains(other))
            .map(other -> below(root, other))
            .toArray(String[]::new);
    return noClasses()
        .that()
        .resideInAPackage(below(root, module))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden)
        .as("%s depends on %s only".formatted(module, allowed.isEmpty() ? "nothing" : allowed))
        .allowEmptyShould(true);
  }

  private static ArchRule ofTheJdkAlone(String root, String module, String description) {
    return noClasses()
        .that()
        .resideInAPackage(below(root, module))
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages(
            below(root, module), below(root, "model"), "java..", "org.jspecify..")
        .as(description)
        .allowEmptyShould(true);
  }

  private static ArchRule decidingSeesNoWorld(String root) {
    return noClasses()
        .that(decide(root))
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.resideInAnyPackage(WORLD)
                .and(DescribedPredicate.not(resideInAPackage(DATA)))
                .and(describe("ask a cluster", c -> !DATA_CLASSES.contains(c.getName())))
                .or(describe("touch the world", c -> WORLD_CLASSES.contains(c.getName()))))
        .as("what decides sees no network, disk, database, cluster, thread or log")
        .allowEmptyShould(true);
  }

  private static ArchRule decidingAsksNoClockAndNoDice(String root) {
    return noClasses()
        .that(decide(root))
        .should()
        .accessTargetWhere(asksClockOrDice())
        .as("what decides takes time and chance as parameters")
        .allowEmptyShould(true);
  }

  private static DescribedPredicate<JavaAccess<?>> asksClockOrDice() {
    return describe(
        "asks a clock or rolls dice",
        access -> {
          JavaClass owner = access.getTargetOwner();
          String name = access.getTarget().getName();
          if (owner.isEquivalentTo(System.class)) {
            return name.equals("currentTimeMillis") || name.equals("nanoTime");
          }
          if (owner.isEquivalentTo(Math.class) || owner.isEquivalentTo(StrictMath.class)) {
            return name.equals("random");
          }
          if (owner.isEquivalentTo(Random.class)) {
            return name.equals("<init>") && parameters(access) == 0;
          }
          if (owner.isEquivalentTo(Clock.class) || owner.isEquivalentTo(InstantSource.class)) {
            return name.startsWith("system") || name.startsWith("tick");
          }
          if (owner.getPackageName().equals(Instant.class.getPackageName())) {
            return name.equals("now");
          }
          return owner.isEquivalentTo(ThreadLocalRandom.class) || name.equals("randomUUID");
        });
  }

  private static int parameters(JavaAccess<?> access) {
    return access.getTarget() instanceof AccessTarget.CodeUnitAccessTarget target
        ? target.getRawParameterTypes().size()
        : 0;
  }

  /// A master of this machine alone carries a client of clusters with it, and must not load it.
  private static ArchRule oneRoomKnowsTheCluster(String root) {
    return noClasses()
        .that()
        .resideInAPackage(below(root, "master"))
        .and()
        .resideOutsideOfPackage(below(root, "master.platform.kubernetes"))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.fabric8..")
        .as("of the master, only its platform kubernetes knows a cluster")
        .allowEmptyShould(true);
  }

  /// The operator makes tokens and certificates, and has no other use for gRPC.
  private static ArchRule identityNeedsNoGrpc(String root) {
    return noClasses()
        .that()
        .resideInAnyPackage(below(root, "rpc.identity"), below(root, "operator"))
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.resideInAPackage("io.grpc..")
                .or(JavaClass.Predicates.resideInAPackage(root + ".rpc")))
        .as("tokens and certificates are made without gRPC")
        .allowEmptyShould(true);
  }

  private static ArchRule noDrawers(String root) {
    return noClasses()
        .that()
        .resideInAPackage(root + "..")
        .should()
        .resideInAnyPackage(
            "..util..", "..utils..", "..common..", "..impl..", "..helper..", "..helpers..")
        .as("packages are by feature, never drawers")
        .allowEmptyShould(true);
  }

  private static DescribedPredicate<JavaClass> decide(String root) {
    String[] packages = DECIDING.stream().map(name -> below(root, name)).toArray(String[]::new);
    return JavaClass.Predicates.resideInAnyPackage(packages)
        .or(
            describe(
                "are one of " + DECIDING_CLASSES,
                c -> DECIDING_CLASSES.stream().anyMatch(name -> isOrIsIn(c, root + "." + name))));
  }

  private static boolean isOrIsIn(JavaClass c, String name) {
    return c.getName().equals(name) || c.getName().startsWith(name + "$");
  }

  private static String below(String root, String module) {
    return root + "." + module + "..";
  }
}
