package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.JobId;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class CallingTest {
  private static final JobId OWN = new JobId("team", "digits");
  private static final JobId OTHER = new JobId("research", "digits");

  private static Calling calling(
      @Nullable String kubeconfig, @Nullable String context, Map<String, String> environment) {
    ClusterChoice choice =
        new ClusterChoice(kubeconfig == null ? null : Path.of(kubeconfig), context, null);
    return Calling.of(choice, "team", environment);
  }

  @Test
  void saysThatItIsTheClusterThatIsMeant() {
    Calling calling = calling(null, null, Map.of());
    assertThat(calling.verb("logs", OWN, " -f")).isEqualTo("pliant logs digits -f --on kubernetes");
    assertThat(calling.verb("stop", OTHER, ""))
        .isEqualTo("pliant stop research/digits --on kubernetes");
  }

  @Test
  void saysWhichCluster() {
    assertThat(calling("/a b/config", "there", Map.of()).command("get jobs -A"))
        .isEqualTo("pliant get jobs -A --kubeconfig '/a b/config' --context there");
  }

  @Test
  void leavesOutWhatTheEnvironmentSays() {
    assertThat(calling(null, "there", Map.of("PLIANT_ON", "kubernetes")).verb("get", OWN, ""))
        .isEqualTo("pliant get digits --context there");
    Map<String, String> plugin = Map.of("PLIANT_ON", "kubernetes", "PLIANT_PLUGIN", "kubectl");
    assertThat(calling(null, null, plugin).verb("get", OWN, ""))
        .isEqualTo("kubectl pliant get digits");
  }

  @Test
  void saysWhereAFileIsToBeSubmittedThatSaysNothingOfItsNamespace() {
    Calling calling = calling(null, null, Map.of());
    assertThat(calling.submit("FILE", OWN, " --resume"))
        .isEqualTo("pliant submit FILE --resume --on kubernetes");
    assertThat(calling.submit("FILE", OTHER, " --resume"))
        .isEqualTo("pliant submit FILE --resume --namespace research --on kubernetes");
  }

  @Test
  void namesAJobInFullWhereNoClusterSaysItsNamespace() {
    assertThat(calling(null, "there", Map.of()).onFolder("verify", OWN, "/mnt/a b/job"))
        .isEqualTo("pliant verify team/digits --folder '/mnt/a b/job'");
  }
}
