package dev.pliant.cli.jobs;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.pliant.cli.jobs.Place.Cluster;
import dev.pliant.cli.jobs.Place.Condition;
import dev.pliant.cli.jobs.Place.PodView;
import java.io.IOException;

/// What only a cluster knows of a job, for programs. Fields are only ever added.
final class ClusterJson {
  private ClusterJson() {}

  /// @param alone whether no master has said more: then what it would say comes from the cluster
  static void fields(JsonGenerator json, Cluster cluster, boolean alone) throws IOException {
    if (cluster.ended().isPresent()) {
      json.writeStringField("ended", cluster.ended().get().toString());
    }
    json.writeStringField("strategy", cluster.strategy());
    json.writeStringField("mode", cluster.mode());
    json.writeStringField("master", cluster.master());
    if (alone) {
      json.writeStringField("reason", cluster.reason());
      json.writeObjectFieldStart("workers");
      json.writeNumberField("live", cluster.workers().live());
      json.writeNumberField("wish", cluster.workers().wish());
      json.writeNumberField("min", cluster.workers().min());
      json.writeNumberField("max", cluster.workers().max());
      json.writeEndObject();
      json.writeNumberField("relaunches", cluster.relaunches());
    }
    json.writeStringField("silence", cluster.silence());
    json.writeArrayFieldStart("conditions");
    for (Condition condition : cluster.conditions()) {
      json.writeStartObject();
      json.writeStringField("type", condition.type());
      json.writeStringField("status", condition.status());
      json.writeStringField("reason", condition.reason());
      json.writeStringField("message", condition.message());
      json.writeStringField("since", condition.since().toString());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("pods");
    for (PodView pod : cluster.pods()) {
      json.writeStartObject();
      json.writeStringField("name", pod.name());
      json.writeStringField("node", pod.node());
      json.writeStringField("phase", pod.phase());
      json.writeStringField("reason", pod.reason());
      json.writeStringField("message", pod.message());
      json.writeNumberField("restarts", pod.restarts());
      json.writeStringField("machine", pod.machine());
      json.writeStringField("created", pod.created().toString());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
