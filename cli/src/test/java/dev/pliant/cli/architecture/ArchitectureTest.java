package dev.pliant.cli.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ArchitectureTest {
  private static final String WRONG = "dev.pliant.cli.architecture.wrong";

  /// Of every module there is: this one depends on them all.
  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.pliant");

  private static final JavaClasses WRONG_HOUSE = new ClassFileImporter().importPackages(WRONG);

  static Stream<ArchRule> rules() {
    return Architecture.rules("dev.pliant").stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rules")
  void theHouseKeepsItsRules(ArchRule rule) {
    rule.check(HOUSE);
  }

  static Stream<Arguments> breaches() {
    return Stream.of(
        breach("model depends on nothing only", "model.KnowsTheMaster"),
        breach("agent depends on [model, protocol, rpc] only", "agent.util.KnowsTheMaster"),
        breach("model is records over the JDK alone", "model.LogsWhatItDoes"),
        breach("what decides sees no network", "model.LogsWhatItDoes"),
        breach("what decides sees no network", "machine.StartsAThread"),
        breach("what decides sees no network", "machine.ReadsAFile"),
        breach("what decides sees no network", "machine.shards.CallsTheNetwork"),
        breach("what decides sees no network", "machine.AsksTheClock"),
        breach("what decides sees no network", "agent.relay.LeaseBook"),
        breach("what decides takes time", "machine.AsksTheClock"),
        breach("what decides takes time", "agent.relay.LeaseBook"),
        breach("machine needs model and the JDK alone", "machine.KnowsTheWire"),
        breach("what decides takes time", "machine.shards.RollsDice"),
        breach("of the master, only its platform", "master.service.AsksTheCluster"),
        breach("packages are by feature", "agent.util.KnowsTheMaster"));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("breaches")
  void aBreachIsFound(String rule, String breaker) {
    EvaluationResult result =
        Architecture.rules(WRONG).stream()
            .filter(r -> r.getDescription().startsWith(rule))
            .findFirst()
            .orElseThrow()
            .evaluate(WRONG_HOUSE);

    assertThat(result.getFailureReport().getDetails())
        .anyMatch(detail -> detail.contains(WRONG + "." + breaker));
  }

  /// A class with another name would not be guarded, and nobody would notice.
  @ParameterizedTest
  @MethodSource("decidingClasses")
  void everyGuardedClassExists(String name) {
    assertThat(HOUSE.contain("dev.pliant." + name)).isTrue();
  }

  static Stream<String> decidingClasses() {
    return Architecture.DECIDING_CLASSES.stream();
  }

  @ParameterizedTest
  @MethodSource("everyCall")
  void everyClockAndEveryDieIsFound(String call) {
    List<String> details =
        Architecture.rules(WRONG).stream()
            .filter(r -> r.getDescription().startsWith("what decides takes time"))
            .findFirst()
            .orElseThrow()
            .evaluate(WRONG_HOUSE)
            .getFailureReport()
            .getDetails();

    assertThat(details).anyMatch(detail -> detail.contains(call));
  }

  static Stream<String> everyCall() {
    return Stream.of(
        "java.lang.System.currentTimeMillis()",
        "java.lang.System.nanoTime()",
        "java.time.Instant.now()",
        "java.time.Clock.systemUTC()",
        "java.time.InstantSource.system()",
        "java.lang.Math.random()",
        "java.util.Random.<init>()",
        "java.util.UUID.randomUUID()");
  }

  private static Arguments breach(String rule, String breaker) {
    return arguments(rule, breaker);
  }
}
