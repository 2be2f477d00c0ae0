package dev.pliant.agent.node;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.util.Optional;

/// What a node ended with.
///
/// @param code what the agent exits with: 0 where all is well, else as a shell counts it
/// @param message for people; empty where there is nothing to say
/// @param worker the worker that it ended for, where one failed
public record NodeEnd(int code, ExitReason reason, String message, Optional<WorkerId> worker) {
  /// What a program ends with that was told to by SIGTERM.
  static final int TERMINATED = 143;

  static NodeEnd succeeded() {
    return new NodeEnd(0, ExitReason.SUCCEEDED, "", Optional.empty());
  }

  /// It was told to go, and went: whether another comes in its place is the master's affair.
  static NodeEnd released(String why) {
    return new NodeEnd(0, ExitReason.KILLED, why, Optional.empty());
  }

  static NodeEnd givenUp(String why) {
    return new NodeEnd(TERMINATED, ExitReason.KILLED, why, Optional.empty());
  }

  /// It ends for something other than its processes.
  public static NodeEnd failed(int code, String why) {
    return new NodeEnd(code, ExitReason.FATAL_ERROR, why, Optional.empty());
  }

  public NodeEnd withMessage(String longer) {
    return new NodeEnd(code, reason, longer, worker);
  }

  /// The fields by which a master reads it.
  void write(JsonGenerator json) throws IOException {
    json.writeNumberField("code", code);
    json.writeStringField("reason", reason.name());
    json.writeStringField("message", message);
  }
}
