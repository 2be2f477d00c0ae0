package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.api.ScalePlan;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ObserverTest {
  static Stream<Arguments> plans() {
    return Stream.of(
        arguments("the master's", Map.of("scale-type", "auto"), List.of(owner("now")), true),
        arguments("the master's, relabelled", Map.of(), List.of(owner("now")), true),
        arguments("nobody's, a master's word", Map.of("scale-type", "auto"), List.of(), true),
        arguments("a user's of that name", Map.of("scale-type", "manual"), List.of(), false),
        arguments("nobody's", Map.of(), List.of(), false),
        arguments("an earlier job's", Map.of("scale-type", "auto"), List.of(owner("then")), false));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("plans")
  void takesAPlanForTheMastersByItsOwnerOrItsLabel(
      String what, Map<String, String> labels, List<OwnerReference> owners, boolean want) {
    ScalePlan plan = new ScalePlan();
    plan.setMetadata(
        new ObjectMetaBuilder()
            .withName("digits-auto")
            .withLabels(labels)
            .withOwnerReferences(owners)
            .build());

    assertThat(Observer.belongs(plan, "now")).as(what).isEqualTo(want);
  }

  private static OwnerReference owner(String uid) {
    return new OwnerReferenceBuilder()
        .withKind("ElasticJob")
        .withName("digits")
        .withUid(uid)
        .withController(true)
        .build();
  }
}
