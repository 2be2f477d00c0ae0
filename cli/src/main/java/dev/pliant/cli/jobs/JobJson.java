package dev.pliant.cli.jobs;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.pliant.cli.jobs.JobSnapshot.Dataset;
import dev.pliant.cli.jobs.JobSnapshot.Node;
import java.io.IOException;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Jobs, for programs. Fields are only ever added.
public final class JobJson {
  private JobJson() {}

  public static void list(JsonGenerator json, List<JobInfo> jobs) throws IOException {
    json.writeArrayFieldStart("jobs");
    for (JobInfo job : jobs) {
      json.writeStartObject();
      job(json, job);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /// The fields of a job; those of its last known moment are there only where a master answers.
  public static void job(JsonGenerator json, JobInfo info) throws IOException {
    json.writeStringField("job", info.job().toString());
    json.writeStringField("state", info.state().name().toLowerCase(Locale.ROOT));
    json.writeStringField("began", info.began().truncatedTo(ChronoUnit.SECONDS).toString());
    switch (info.place()) {
      case Place.Folder(Path folder, Optional<ProcessHandle> supervisor) -> {
        json.writeStringField("folder", folder.toString());
        if (supervisor.isPresent()) {
          json.writeNumberField("supervisor", supervisor.get().pid());
        }
      }
      case Place.Cluster cluster -> ClusterJson.fields(json, cluster, info.snapshot().isEmpty());
    }
    if (info.snapshot().isPresent()) {
      snapshot(json, info.snapshot().get());
    } else if (info.result().isPresent()) {
      json.writeNumberField("recordsDone", info.result().get().recordsDone());
      json.writeNumberField("recordsTotal", info.result().get().recordsTotal());
      json.writeNumberField("relaunches", info.result().get().relaunches());
      texts(json, "reasons", info.result().get().reasons());
    }
  }

  private static void snapshot(JsonGenerator json, JobSnapshot job) throws IOException {
    json.writeStringField("reason", job.phaseReason());
    json.writeNumberField("masterEpoch", job.epoch());
    json.writeStringField("journalTrouble", job.journalTrouble());
    json.writeObjectFieldStart("workers");
    json.writeNumberField("live", job.nodesLive());
    json.writeNumberField("wish", job.counts().wish());
    json.writeNumberField("min", job.counts().min());
    json.writeNumberField("max", job.counts().max());
    json.writeEndObject();
    json.writeNumberField("recordsDone", job.done());
    json.writeNumberField("recordsTotal", job.total());
    json.writeNumberField("relaunches", job.relaunches());
    json.writeObjectFieldStart("metrics");
    for (Map.Entry<String, Double> metric : job.metrics().entrySet()) {
      json.writeNumberField(metric.getKey(), metric.getValue());
    }
    json.writeEndObject();
    json.writeObjectFieldStart("world");
    json.writeNumberField("version", job.world().version());
    texts(json, "members", job.world().members());
    texts(json, "waiting", job.world().waiting());
    json.writeBooleanField("reforming", job.world().reforming());
    json.writeNumberField("formedMillis", job.world().formedMillis());
    json.writeNumberField("pausedMillis", job.world().pausedMillis());
    json.writeEndObject();
    json.writeArrayFieldStart("datasets");
    for (Dataset dataset : job.datasets()) {
      dataset(json, dataset);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("nodes");
    for (Node node : job.nodes()) {
      node(json, node);
    }
    json.writeEndArray();
  }

  private static void dataset(JsonGenerator json, Dataset dataset) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", dataset.name());
    json.writeStringField("state", dataset.state().name().toLowerCase(Locale.ROOT));
    json.writeNumberField("done", dataset.done());
    json.writeNumberField("out", dataset.out());
    json.writeNumberField("waiting", dataset.waiting());
    json.writeNumberField("epoch", dataset.epoch());
    json.writeNumberField("epochs", dataset.epochs());
    if (dataset.nextStep() >= 0) {
      json.writeNumberField("nextStep", dataset.nextStep());
      json.writeNumberField("steps", dataset.steps());
    }
    json.writeStringField("failure", dataset.failure());
    json.writeEndObject();
  }

  private static void node(JsonGenerator json, Node node) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", node.name());
    json.writeStringField("phase", node.phase().name().toLowerCase(Locale.ROOT));
    json.writeStringField("reason", node.reason());
    json.writeStringField("message", node.message());
    json.writeStringField("replaces", node.replaces());
    json.writeNumberField("restarts", node.restarts());
    json.writeBooleanField("released", node.released());
    json.writeNumberField("createdMillis", node.createdMillis());
    json.writeNumberField("startedMillis", node.startedMillis());
    json.writeNumberField("endedMillis", node.endedMillis());
    json.writeNumberField("cpu", node.cpu());
    json.writeNumberField("memoryMib", node.memoryMib());
    json.writeObjectFieldStart("activityMillis");
    for (Map.Entry<String, Long> activity : node.activityMillis().entrySet()) {
      json.writeNumberField(activity.getKey(), activity.getValue());
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void texts(JsonGenerator json, String field, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(field);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }
}
