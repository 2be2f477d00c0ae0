package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ProtocolMessageEnum;
import dev.pliant.machine.rendezvous.Departure;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodePhase;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// The number of every constant on disk and on the wire. A constant that is added needs a new
/// number here; a number that is in use never changes.
class ProtoEnumsTest {
  @Test
  void everyConstantHasItsNumber() {
    assertNumbers(
        ExitReason.values(),
        ProtoEnums.EXIT_REASON,
        Map.of(
            "SUCCEEDED", 0,
            "KILLED", 1,
            "OOM", 2,
            "FATAL_ERROR", 3,
            "HARDWARE_ERROR", 4,
            "NO_HEARTBEAT", 5,
            "UNKNOWN", 6));
    assertNumbers(
        NodePhase.values(),
        ProtoEnums.NODE_PHASE,
        Map.of(
            "INITIAL", 1, "PENDING", 2, "RUNNING", 3, "SUCCEEDED", 4, "FAILED", 5, "DELETED", 6));
    assertNumbers(
        JobPhase.values(),
        ProtoEnums.JOB_PHASE,
        Map.of(
            "PENDING", 1,
            "RUNNING", 2,
            "STOPPING", 3,
            "SUCCEEDED", 4,
            "FAILED", 5,
            "STOPPED", 6,
            "SUSPENDED", 7));
    assertNumbers(
        Shuffle.values(), ProtoEnums.SHUFFLE, Map.of("NONE", 0, "SHARDS", 1, "RECORDS", 2));
    assertNumbers(
        Departure.values(),
        ProtoEnums.DEPARTURE,
        Map.of("ENDED", 0, "MISSING", 1, "RELEASED", 2, "LEFT_OUT", 3, "REPLACED", 4));
  }

  private static <M extends Enum<M>, P extends Enum<P> & ProtocolMessageEnum> void assertNumbers(
      M[] constants, EnumMapping<M, P> mapping, Map<String, Integer> want) {
    Map<String, Integer> numbers = new TreeMap<>();
    for (M constant : constants) {
      P form = mapping.encode(constant);
      numbers.put(constant.name(), form.getNumber());
      assertThat(mapping.decode(form)).isEqualTo(constant);
    }
    assertThat(numbers).isEqualTo(want);
  }

  @Test
  void everyNumberOfAMessageIsAConstant() {
    assertAllKnown(
        dev.pliant.protocol.v1.ExitReason.values(), ProtoEnums.EXIT_REASON::find, "UNRECOGNIZED");
    assertAllKnown(
        dev.pliant.protocol.v1.NodePhase.values(),
        ProtoEnums.NODE_PHASE::find,
        "UNRECOGNIZED",
        "NODE_PHASE_UNSPECIFIED");
    assertAllKnown(
        dev.pliant.protocol.v1.JobPhase.values(),
        ProtoEnums.JOB_PHASE::find,
        "UNRECOGNIZED",
        "JOB_PHASE_UNSPECIFIED");
    assertAllKnown(
        dev.pliant.protocol.v1.Shuffle.values(), ProtoEnums.SHUFFLE::find, "UNRECOGNIZED");
    assertAllKnown(
        dev.pliant.protocol.journal.v1.DepartureKind.values(),
        ProtoEnums.DEPARTURE::find,
        "UNRECOGNIZED");
  }

  private static <P extends Enum<P>> void assertAllKnown(
      P[] forms, Function<P, ? extends java.util.Optional<?>> find, String... unknown) {
    assertThat(Arrays.stream(forms).filter(form -> find.apply(form).isEmpty()).map(Enum::name))
        .containsExactlyInAnyOrder(unknown);
  }
}
