package dev.pliant.views;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import dev.pliant.model.DatasetName;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Decision;
import dev.pliant.model.decision.DecisionSettled;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Value;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

final class DecisionCodecTest {
  private static final long SEED = Long.getLong("pliant.seed", 20_261);

  /// Every kind of subject, value and plan, every rule and every input occurs in some of these.
  @Test
  void everyDecisionSurvivesTheWay() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(SEED);
    for (int round = 0; round < 2_000; round++) {
      Decision decision = (Decision) any(Decision.class, Decision.class, random);
      assertThat(DecisionCodec.decode(DecisionCodec.encode(decision)))
          .as("seed %d, round %d", SEED, round)
          .isEqualTo(decision);
    }
  }

  /// A number that is read and has no constant would make a whole journal unreadable.
  @Test
  void everyConstantHasItsNumber() {
    var message = dev.pliant.protocol.v1.Decision.getDescriptor();
    assertSame(Rule.values(), message.findEnumTypeByName("Rule"), "RULE_");
    assertSame(InputName.values(), message.findEnumTypeByName("InputName"), "INPUT_NAME_");
    assertSame(Alternative.values(), message.findEnumTypeByName("Alternative"), "ALTERNATIVE_");
    assertSame(Objection.values(), message.findEnumTypeByName("Objection"), "OBJECTION_");
  }

  private static void assertSame(Enum<?>[] ours, EnumDescriptor theirs, String prefix) {
    assertThat(theirs.getValues().stream().skip(1).map(EnumValueDescriptor::getName))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(ours).map(constant -> prefix + constant.name()).toList());
  }

  @Test
  void anOutcomeSurvivesTheWay() {
    DecisionSettled settled =
        new DecisionSettled(7, 100, 180.5, 1_000, 61_000, DecisionSettled.Verdict.HELD);

    assertThat(DecisionCodec.decode(DecisionCodec.encode(settled))).isEqualTo(settled);
  }

  @Test
  void aMessageWithoutASubjectIsDamaged() {
    var message =
        dev.pliant.protocol.v1.Decision.newBuilder()
            .setChoice(dev.pliant.protocol.v1.Decision.Choice.getDefaultInstance())
            .build();

    assertThatThrownBy(() -> DecisionCodec.decode(message))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("subject is missing");
  }

  // A value of any type that decisions are made of.

  private static Object any(Class<?> type, Type generic, RandomGenerator random) {
    if (type == Input.class) {
      InputName name = InputName.values()[random.nextInt(InputName.values().length)];
      return new Input(name, (Value) any(name.kind(), name.kind(), random));
    }
    if (type == List.class) {
      Class<?> of = (Class<?>) ((ParameterizedType) generic).getActualTypeArguments()[0];
      List<Object> list = new ArrayList<>();
      int size = of == Long.class ? 0 : random.nextInt(1, of.isSealed() ? 2 : 4);
      for (int i = 0; i < size; i++) {
        list.add(any(of, of, random));
      }
      return list;
    }
    if (type.isSealed()) {
      Class<?>[] kinds = type.getPermittedSubclasses();
      Class<?> kind = kinds[random.nextInt(kinds.length)];
      return any(kind, kind, random);
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[random.nextInt(type.getEnumConstants().length)];
    }
    return switch (type.getSimpleName()) {
      case "long" -> random.nextLong(1_000_000);
      case "int" -> random.nextInt(4, 1_000);
      case "double" -> random.nextInt(1_000) / 8.0;
      case "boolean" -> random.nextBoolean();
      case "String" -> "text " + random.nextInt(100);
      case "NodeId" -> new NodeId("worker", random.nextInt(100));
      case "WorkerId" -> new WorkerId("worker-" + random.nextInt(100));
      case "DatasetName" -> new DatasetName("train-" + random.nextInt(100));
      default -> record(type, random);
    };
  }

  private static Object record(Class<?> type, RandomGenerator random) {
    RecordComponent[] components = type.getRecordComponents();
    Object[] values = new Object[components.length];
    Class<?>[] types = new Class<?>[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = any(types[i], components[i].getGenericType(), random);
    }
    try {
      Constructor<?> constructor = type.getDeclaredConstructor(types);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(type + " " + List.of(values), e);
    }
  }
}
