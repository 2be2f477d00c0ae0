package dev.pliant.cli.run;

import dev.pliant.agent.master.MasterLocation;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/// What a master has written down about itself.
final class MasterAddress {
  private MasterAddress() {}

  /// The epoch of the last master that was ready, if there was one.
  static OptionalLong epoch(Path jobFolder) {
    try {
      return OptionalLong.of(new MasterLocation.MasterFile(jobFolder).read().epoch());
    } catch (IOException | PliantException e) {
      return OptionalLong.empty(); // Not yet.
    }
  }
}
