package dev.pliant.cli.replay;

import dev.pliant.cli.Json;
import dev.pliant.master.replay.Replayed;
import dev.pliant.master.replay.Replayed.Difference;

/// The result of a replay, for programs.
public final class ReplayJson {
  private ReplayJson() {}

  public static String of(Replayed replayed) {
    return Json.object(json -> {
      json.writeStringField("job", replayed.job().toString());
      json.writeBooleanField("same", replayed.same());
      json.writeNumberField("commands", replayed.commands());
      json.writeNumberField("events", replayed.events());
      json.writeNumberField("decisions", replayed.decisions());
      json.writeNumberField("applied", replayed.applied());
      if (replayed.from().isPresent() && replayed.to().isPresent()) {
        json.writeStringField("from", replayed.from().get().toString());
        json.writeStringField("to", replayed.to().get().toString());
      }
      if (replayed.difference().isPresent()) {
        Difference difference = replayed.difference().get();
        json.writeObjectFieldStart("difference");
        json.writeStringField("segment", difference.segment());
        json.writeNumberField("offset", difference.offset());
        json.writeNumberField("event", difference.sequence());
        json.writeStringField("at", difference.at().toString());
        json.writeStringField("command", difference.command());
        json.writeStringField("recorded", difference.recorded());
        json.writeStringField("decided", difference.decided());
        json.writeEndObject();
      }
    });
  }
}
