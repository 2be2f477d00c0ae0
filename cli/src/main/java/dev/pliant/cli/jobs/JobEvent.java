package dev.pliant.cli.jobs;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.pliant.model.decision.Choice;
import dev.pliant.views.DecisionCodec;
import dev.pliant.views.DecisionText;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// Something that happened to a job, or was decided about it, as its journal tells it.
///
/// @param sequence its number in the journal
/// @param kind what kind of thing, in a word
/// @param message in a sentence, with its reason
/// @param inputs what it was decided from, where it was decided
public record JobEvent(
    long sequence, Instant at, String kind, String message, Map<String, String> inputs) {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

  public JobEvent {
    inputs = Collections.unmodifiableMap(new LinkedHashMap<>(inputs));
  }

  /// As a master or a journal has it.
  static JobEvent of(dev.pliant.protocol.v1.JobEvent event) {
    Map<String, String> inputs = Map.of();
    if (event.hasDecision()) {
      Choice choice = DecisionCodec.decode(event.getDecision()).choice();
      inputs = new LinkedHashMap<>();
      inputs.put("rule", choice.rule().word());
      inputs.put("subject", (choice.subject().kind() + " " + choice.subject().name()).strip());
      inputs.putAll(DecisionText.PLAIN.inputs(choice));
    }
    return new JobEvent(
        event.getSequence(),
        Instant.ofEpochMilli(event.getAtMs()),
        event.getKind(),
        event.getMessage(),
        inputs);
  }

  /// For people.
  public String line() {
    return "%s  %-10s  %s".formatted(TIME.format(at), kind, message);
  }

  /// For programs.
  public void fields(JsonGenerator json) throws IOException {
    json.writeNumberField("sequence", sequence);
    json.writeStringField("at", at.toString());
    json.writeStringField("kind", kind);
    json.writeStringField("message", message);
    json.writeObjectFieldStart("inputs");
    for (Map.Entry<String, String> input : inputs.entrySet()) {
      json.writeStringField(input.getKey(), input.getValue());
    }
    json.writeEndObject();
  }
}
