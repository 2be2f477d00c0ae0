package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What `deploy/` renders to, without a cluster.
class DeployFilesIT {
  private static final Duration BOUND = Duration.ofMinutes(1);
  private static final Path DEPLOY = Commands.root().resolve("deploy");

  private static String helm = "";

  @BeforeAll
  static void findHelm() {
    helm = Helm.built().program();
  }

  @Test
  void kustomizeBaseIsWhatTheChartRendersTo() {
    assertThat(
            Commands.run(
                    DEPLOY,
                    Map.of("HELM", helm),
                    BOUND,
                    DEPLOY.resolve("sync").toString(),
                    "--check")
                .output())
        .isEmpty();
  }

  @Test
  void refusesValuesThatMeanNothing() {
    assertThat(template("--set", "image.tag=1").output()).contains("'image' not allowed");
    assertThat(template("--set", "images.pullPolicy=Sometimes").exit()).isNotZero();
    assertThat(template("--set", "namespaces={Team_A}").exit()).isNotZero();
  }

  @Test
  void refusesTwoOperatorsThatDoNotElectALeader() {
    assertThat(template("--set", "leaderElection=false,replicas=2").exit()).isNotZero();
    assertThat(template("--set", "leaderElection=false").exit()).isZero();
  }

  @Test
  void keepsCustomResourcesAndWhatHoldsMastersUnlessToldNotTo() {
    String keep = "helm.sh/resource-policy: keep";

    assertThat(template("--show-only", "templates/crds.yaml").output().split(keep, -1)).hasSize(4);
    assertThat(template("--show-only", "templates/admission.yaml").output().split(keep, -1))
        .as("two policies and their bindings")
        .hasSize(5);
    assertThat(template("--set", "crds.keep=false").output()).doesNotContain(keep);
    assertThat(template("--set", "crds.install=false").output())
        .doesNotContain("kind: CustomResourceDefinition");
  }

  @Test
  void inNamedNamespacesHasRightsThereAlone() {
    String rules =
        template("--show-only", "templates/rbac.yaml", "--set", "namespaces={team-a,team-b}")
            .orThrow("helm template")
            .output();

    List<String> mayTouchPods = new ArrayList<>();
    for (String document : rules.split("\n---\n")) {
      if (document.contains("resources: [pods, secrets]")) {
        mayTouchPods.add(line(document, "kind: ") + " " + line(document, "  namespace: "));
      }
    }
    assertThat(mayTouchPods).containsExactly("Role team-a", "Role team-b");
  }

  @Test
  void takesImagesFromTheRegistryThatIsNamed() {
    String deployment =
        template(
                "--show-only",
                "templates/deployment.yaml",
                "--set",
                "images.registry=registry.example.com/ml,images.tag=v7")
            .orThrow("helm template")
            .output();

    assertThat(deployment)
        .contains("image: registry.example.com/ml/pliant/operator:v7")
        .contains("value: \"registry.example.com/ml/pliant/master:v7\"")
        .contains("value: \"registry.example.com/ml/pliant/agent:v7\"");
  }

  @Test
  void pullsFromAPrivateRegistryByTheSecretsThatAreNamed() {
    String deployment =
        template(
                "--show-only",
                "templates/deployment.yaml",
                "--set",
                "images.pullSecrets={pliant-pull,mirror}")
            .orThrow("helm template")
            .output();

    assertThat(deployment)
        .contains("imagePullSecrets:\n      - name: pliant-pull\n      - name: mirror\n")
        .contains("PLIANT_IMAGE_PULL_SECRETS\n          value: \"pliant-pull,mirror\"");
    assertThat(template("--set", "images.pullSecrets={Pliant_Pull}").exit()).isNotZero();
  }

  private static String line(String document, String start) {
    return document
        .lines()
        .filter(line -> line.startsWith(start))
        .findFirst()
        .map(line -> line.substring(start.length()))
        .orElse("");
  }

  private static Commands.Result template(String... arguments) {
    List<String> command =
        new ArrayList<>(List.of(helm, "template", "pliant", Helm.chart().toString()));
    command.addAll(List.of(arguments));
    return run(BOUND, command.toArray(String[]::new));
  }

  private static Commands.Result run(Duration bound, String... command) {
    return Commands.run(Commands.root(), Map.of(), bound, command);
  }
}
