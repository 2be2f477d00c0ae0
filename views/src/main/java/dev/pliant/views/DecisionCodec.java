package dev.pliant.views;

import dev.pliant.model.decision.Decision;
import dev.pliant.model.decision.DecisionSettled;

/// Decisions as protobuf messages: in the journal and on the wire alike.
public final class DecisionCodec {
  private DecisionCodec() {}

  public static dev.pliant.protocol.v1.Decision encode(Decision decision) {
    var message = dev.pliant.protocol.v1.Decision.newBuilder();
    RecordCodec.encode(decision, message);
    return message.build();
  }

  /// @throws IllegalArgumentException where the message is not that of a decision
  public static Decision decode(dev.pliant.protocol.v1.Decision message) {
    return RecordCodec.decode(message, Decision.class);
  }

  public static dev.pliant.protocol.v1.DecisionSettled encode(DecisionSettled settled) {
    var message = dev.pliant.protocol.v1.DecisionSettled.newBuilder();
    RecordCodec.encode(settled, message);
    return message.build();
  }

  /// @throws IllegalArgumentException where the message is not that of an outcome
  public static DecisionSettled decode(dev.pliant.protocol.v1.DecisionSettled message) {
    return RecordCodec.decode(message, DecisionSettled.class);
  }
}
