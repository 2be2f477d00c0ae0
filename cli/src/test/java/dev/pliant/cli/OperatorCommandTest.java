package dev.pliant.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.PliantException;
import dev.pliant.operator.OperatorConfig;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class OperatorCommandTest {
  private static OperatorConfig config(Map<String, String> environment, String... arguments) {
    OperatorCommand command = new OperatorCommand();
    new CommandLine(command).parseArgs(arguments);
    return OperatorConfig.of(command.environment(environment));
  }

  @Test
  void takesTheEnvironmentOfAPod() {
    OperatorConfig config =
        config(
            Map.of(
                "PLIANT_MASTER_IMAGE", "m:1",
                "PLIANT_AGENT_IMAGE", "a:1",
                "PLIANT_IMAGE_PULL_POLICY", "Never",
                "PLIANT_NAMESPACES", "team-a, team-b",
                "PLIANT_LEADER_ELECTION", "false",
                "PLIANT_HEALTH_PORT", "9000",
                "POD_NAMESPACE", "pliant-system",
                "POD_NAME", "operator-1"));

    assertThat(config.images().master()).isEqualTo("m:1");
    assertThat(config.images().pullPolicy()).isEqualTo("Never");
    assertThat(config.namespaces()).isEqualTo(Set.of("team-a", "team-b"));
    assertThat(config.leaderElection()).isFalse();
    assertThat(config.healthPort()).isEqualTo(9000);
    assertThat(config.home()).isEqualTo("pliant-system");
    assertThat(config.identity()).isEqualTo("operator-1");
  }

  @Test
  void whatIsGivenGoesBeforeTheEnvironment() {
    OperatorConfig config =
        config(
            Map.of("PLIANT_MASTER_IMAGE", "m:1", "PLIANT_AGENT_IMAGE", "a:1"),
            "--images=m:2,a:2",
            "--namespaces=",
            "--leader-election=false",
            "--health-port=-1");

    assertThat(config.images().agent()).isEqualTo("a:2");
    assertThat(config.namespaces()).isEmpty();
    assertThat(config.healthPort()).isEqualTo(-1);
  }

  @Test
  void saysWhatIsMissing() {
    assertThatThrownBy(() -> config(Map.of()))
        .isInstanceOf(PliantException.class)
        .hasMessageContaining("PLIANT_MASTER_IMAGE");
    assertThatThrownBy(() -> config(Map.of(), "--images=one"))
        .isInstanceOf(PliantException.class)
        .hasMessageContaining("the master's and the agent's");
  }
}
