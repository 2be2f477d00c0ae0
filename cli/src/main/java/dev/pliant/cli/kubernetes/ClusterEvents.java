package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.JobEvent;
import dev.pliant.crds.ElasticJob;
import dev.pliant.kubernetes.JobNames;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventSeries;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectReference;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a cluster keeps of what happened to a job: the events of the job itself, of its plans and
/// of its pods, which the cluster's events name but do not label.
final class ClusterEvents {
  private ClusterEvents() {}

  /// Those of the job, in the order of their time.
  ///
  /// @param plans the names of the job's ScalePlans and JobResources
  /// @param since when the job was made: what is older happened to another job of its name
  static List<JobEvent> of(List<Event> events, JobNames names, Set<String> plans, Instant since) {
    List<Event> ours =
        events.stream()
            .filter(event -> kind(event, names, plans).isPresent())
            .filter(event -> !at(event).isBefore(since))
            .sorted(
                Comparator.comparing(ClusterEvents::at)
                    .thenComparing(event -> String.valueOf(event.getMetadata().getName())))
            .toList();
    List<JobEvent> told = new ArrayList<>();
    for (Event event : ours) {
      String kind = kind(event, names, plans).orElseThrow();
      told.add(
          new JobEvent(
              told.size() + 1, at(event), kind, message(event, kind, names), inputs(event)));
    }
    return told;
  }

  /// An event that was repeated is another one each time.
  static String identity(JobEvent event) {
    return event.inputs().get("uid") + " " + event.inputs().get("count") + " " + event.at();
  }

  private static Optional<String> kind(Event event, JobNames names, Set<String> plans) {
    ObjectReference about = event.getInvolvedObject();
    if (about == null || about.getKind() == null || about.getName() == null) {
      return Optional.empty();
    }
    return switch (about.getKind()) {
      case ElasticJob.KIND ->
          about.getName().equals(names.job().name()) ? Optional.of("job") : Optional.empty();
      case "Pod" -> {
        if (names.node(about.getName()).isPresent()) {
          yield Optional.of("node");
        }
        boolean master = about.getName().matches("\\Q" + names.masterService() + "\\E-\\d+");
        yield master ? Optional.of("master") : Optional.empty();
      }
      case "ScalePlan", "JobResource" ->
          plans.contains(about.getName()) ? Optional.of("plan") : Optional.empty();
      default -> Optional.empty();
    };
  }

  private static String message(Event event, String kind, JobNames names) {
    String about = event.getInvolvedObject().getName();
    String subject =
        switch (kind) {
          case "job" -> "";
          case "node" -> names.node(about).map(Object::toString).orElse(about) + ": ";
          default -> about + ": ";
        };
    String text = orEmpty(event.getMessage()).lines().findFirst().orElse("");
    String times = count(event) > 1 ? " (%d times)".formatted(count(event)) : "";
    return "%s%s: %s%s".formatted(subject, orEmpty(event.getReason()), text, times);
  }

  private static Map<String, String> inputs(Event event) {
    Map<String, String> inputs = new LinkedHashMap<>();
    inputs.put("type", orEmpty(event.getType()));
    inputs.put("reason", orEmpty(event.getReason()));
    inputs.put(
        "object", event.getInvolvedObject().getKind() + "/" + event.getInvolvedObject().getName());
    inputs.put("count", Integer.toString(count(event)));
    inputs.put("uid", orEmpty(event.getMetadata().getUid()));
    if (event.getMetadata().getAnnotations() != null) {
      inputs.putAll(event.getMetadata().getAnnotations());
    }
    return inputs;
  }

  private static int count(Event event) {
    EventSeries series = event.getSeries();
    if (series != null && series.getCount() != null) {
      return series.getCount();
    }
    return event.getCount() == null ? 1 : event.getCount();
  }

  /// When it happened last; writers of events fill in different fields.
  static Instant at(Event event) {
    MicroTime series = event.getSeries() == null ? null : event.getSeries().getLastObservedTime();
    return time(series == null ? null : series.getTime())
        .or(() -> time(event.getLastTimestamp()))
        .or(() -> time(event.getEventTime() == null ? null : event.getEventTime().getTime()))
        .or(() -> time(event.getFirstTimestamp()))
        .or(() -> time(event.getMetadata().getCreationTimestamp()))
        .orElse(Instant.EPOCH);
  }

  private static Optional<Instant> time(@Nullable String text) {
    try {
      return text == null || text.isEmpty()
          ? Optional.empty()
          : Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
