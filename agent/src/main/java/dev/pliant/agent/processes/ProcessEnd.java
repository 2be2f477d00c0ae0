package dev.pliant.agent.processes;

/// How a training process ended.
///
/// @param code as a shell counts it: 128 + n for signal n; 247 where it was killed for memory
/// @param note what is known beside the code, for people; empty where nothing is
public record ProcessEnd(int code, String note) {
  /// What an end for lack of memory is counted as.
  public static final int OUT_OF_MEMORY = 247;

  static final int KILLED = 128 + 9;

  /// In a clause: `exit code 1`.
  public String text() {
    return "exit code " + code + (note.isEmpty() ? "" : " (" + note + ")");
  }
}
