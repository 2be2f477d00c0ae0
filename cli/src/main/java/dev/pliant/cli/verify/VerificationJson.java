package dev.pliant.cli.verify;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.pliant.cli.Json;
import dev.pliant.master.verify.Verification;
import dev.pliant.master.verify.Verification.Dataset;
import dev.pliant.master.verify.Verification.Fault;
import dev.pliant.master.verify.Verification.Happening;
import dev.pliant.master.verify.Verification.RecordHistory;
import java.io.IOException;
import java.util.List;

/// What was found, for programs.
public final class VerificationJson {
  private VerificationJson() {}

  public static String of(Verification found) {
    return Json.object(json -> {
      json.writeStringField("job", found.job().toString());
      json.writeNumberField("events", found.events());
      json.writeNumberField("lineage", found.lineage());
      json.writeBooleanField("holds", found.holds());
      json.writeBooleanField("complete", found.complete());
      json.writeArrayFieldStart("datasets");
      for (Dataset dataset : found.datasets()) {
        write(dataset, json);
      }
      json.writeEndArray();
    });
  }

  private static void write(Dataset dataset, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", dataset.spec().name().value());
    json.writeNumberField("epochs", dataset.spec().epochs());
    json.writeNumberField("recordsPerEpoch", dataset.spec().size());
    json.writeNumberField("done", dataset.done() - dataset.before());
    json.writeNumberField("takenOver", dataset.before());
    json.writeNumberField("out", dataset.out());
    json.writeNumberField("waiting", dataset.waiting());
    json.writeNumberField("epoch", dataset.epoch());
    json.writeBooleanField("complete", dataset.complete());
    json.writeStringField("failure", dataset.failure());
    json.writeNumberField("faultCount", dataset.faultCount());
    json.writeArrayFieldStart("faults");
    for (Fault fault : dataset.faults()) {
      json.writeStartObject();
      json.writeStringField("records", fault.records());
      json.writeNumberField("epoch", fault.epoch());
      json.writeNumberField("completions", fault.completions());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  public static String of(List<RecordHistory> histories) {
    return Json.object(json -> {
      json.writeArrayFieldStart("records");
      for (RecordHistory history : histories) {
        json.writeStartObject();
        json.writeNumberField("record", history.record());
        json.writeArrayFieldStart("history");
        for (Happening happening : history.happenings()) {
          json.writeStartObject();
          json.writeStringField("at", happening.at().toString());
          json.writeNumberField("event", happening.sequence());
          json.writeNumberField("epoch", happening.epoch());
          json.writeStringField("what", happening.what());
          json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
      }
      json.writeEndArray();
    });
  }
}
