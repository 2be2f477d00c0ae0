package dev.pliant.operator.decision;

import java.util.Locale;

/// An object that bears one of a job's names and is not the job's to use. It is left alone, and the
/// job waits until it is gone.
///
/// @param kind Kubernetes' word, as `Secret`
/// @param owner whose it is, in words that go on from "it"
/// @param going whether it goes by itself: it is being deleted, or a deleted job left it behind
public record Obstacle(String kind, String name, String owner, boolean going) {
  public static final String POD = "Pod";

  /// How it is named in sentences.
  String words() {
    return "%s '%s' (it %s)".formatted(kind, name, owner);
  }

  /// How people get rid of it.
  String remedy(String namespace) {
    return "kubectl -n %s delete %s %s".formatted(namespace, kind.toLowerCase(Locale.ROOT), name);
  }
}
