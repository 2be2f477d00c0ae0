package dev.pliant.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.api.JobResourceSpec;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceChange;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ResourceAmountsTest {

  static Stream<Arguments> amounts() {
    return Stream.of(
        arguments("cpu", new IntOrString(4), "cpu", "4"),
        arguments("cpu", new IntOrString("0.5"), "cpu", "0.5"),
        arguments("cpu", new IntOrString("500m"), "cpu", "500m"),
        arguments("memory", new IntOrString(4096), "memory", "4096Mi"),
        arguments("memory", new IntOrString("256Mi"), "memory", "256Mi"),
        arguments("memory", new IntOrString("1048576"), "memory", "1048576"),
        arguments("disk", new IntOrString(8192), "ephemeral-storage", "8192Mi"),
        arguments("ephemeral-storage", new IntOrString(1), "ephemeral-storage", "1Mi"),
        arguments("gpu", new IntOrString(1), "nvidia.com/gpu", "1"),
        arguments("example.com/fpga", new IntOrString(2), "example.com/fpga", "2"));
  }

  @ParameterizedTest
  @MethodSource("amounts")
  void plainNumbersAreCoresMebibytesAndDevices(
      String name, IntOrString amount, String wantName, String wantQuantity) {
    assertThat(ResourceAmounts.of(Map.of(name, amount)).quantities())
        .isEqualTo(Map.of(wantName, wantQuantity));
  }

  @Test
  void changesOfANodeOnlyWhatIsNamed() {
    NodeResources node = new NodeResources(2, 1024, 1);

    assertThat(amounts("memory", new IntOrString("1Gi")).over(node)).isEqualTo(node);
    assertThat(amounts("cpu", new IntOrString("1500m")).over(node))
        .isEqualTo(new NodeResources(1.5, 1024, 1));
    assertThat(amounts("memory", new IntOrString(8192)).over(node))
        .isEqualTo(new NodeResources(2, 8192, 1));
    assertThat(amounts("gpu", new IntOrString(2)).over(node))
        .isEqualTo(new NodeResources(2, 1024, 2));
    assertThat(amounts("disk", new IntOrString("1Gi")).over(node))
        .isEqualTo(new NodeResources(2, 1024, 1, 1024));
    assertThat(amounts("example.com/fpga", new IntOrString(2)).change())
        .isEqualTo(ResourceChange.NONE);
    assertThat(ResourceAmounts.NONE.over(node)).isEqualTo(node);
  }

  @Test
  void whatAMasterDecidedComesBackFromItsPlan() {
    NodeResources node = new NodeResources(0.25, 3000, 2, 8192);

    ResourceAmounts written = ResourceAmounts.of(node);

    assertThat(ResourceAmounts.of(written.ofPlan()).over(NodeResources.UNBOUNDED)).isEqualTo(node);
    assertThat(ResourceAmounts.of(NodeResources.UNBOUNDED).isEmpty()).isTrue();
  }

  @Test
  void aContainerSeesTheSameAmount() {
    var quantities = amounts("memory", new IntOrString(4096)).ofContainer();

    assertThat(quantities).containsOnlyKeys("memory");
    assertThat(quantities.values())
        .first()
        .extracting(Quantity::getNumericalAmount)
        .isEqualTo(BigDecimal.valueOf(4096L << 20));
  }

  @Test
  void refusesWhatIsNoAmount() {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> amounts("memory", new IntOrString("much")))
        .withMessageContaining("'memory' is 'much'")
        .withMessageContaining("3Gi");
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> amounts("cpu", new IntOrString(-1)))
        .withMessageContaining("'cpu' is '-1'");
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() ->
            ResourceAmounts.of(
                Map.of("gpu", new IntOrString(1), "nvidia.com/gpu", new IntOrString(1))))
        .withMessageContaining("stands twice");
  }

  @Test
  void aSelectorsRemarkIsNoPartOfTheJobsName() {
    assertThat(new JobResourceSpec.Selector("elastic-deepctr-job  // Job Name").job())
        .isEqualTo("elastic-deepctr-job");
    assertThat(new JobResourceSpec.Selector("plain").job()).isEqualTo("plain");
  }

  private static ResourceAmounts amounts(String name, IntOrString amount) {
    return ResourceAmounts.of(Map.of(name, amount));
  }
}
