package dev.pliant.cli.python;

/// Tells the user what is found and done.
public interface Notices {
  /// A line that stays.
  void say(String line);

  /// A line that is drawn over, while something takes long.
  void progress(String line);
}
