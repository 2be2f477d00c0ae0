package dev.pliant.agent.node;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// What a training process spends its time with.
public enum Activity {
  /// It begins: imports, data, model.
  START,
  /// It waits for a world.
  WAIT,
  /// It builds the group and takes the state over.
  SYNC,
  /// It trains.
  TRAIN,
  /// It saves or loads a checkpoint.
  CHECKPOINT;

  /// As the socket and the wire spell it.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<Activity> named(String word) {
    return Arrays.stream(values()).filter(activity -> activity.word().equals(word)).findFirst();
  }

  /// All of them, for messages.
  public static String names() {
    return Arrays.stream(values()).map(Activity::word).collect(Collectors.joining(", "));
  }
}
