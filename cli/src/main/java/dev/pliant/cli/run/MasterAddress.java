package dev.pliant.cli.run;

import dev.pliant.rpc.MasterRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/// What a master has written down about itself.
final class MasterAddress {
  private MasterAddress() {}

  /// The epoch of the last master that was ready, if there was one.
  static OptionalLong epoch(Path jobFolder) {
    try {
      return OptionalLong.of(MasterRecord.read(jobFolder).epoch());
    } catch (IOException e) {
      return OptionalLong.empty(); // Not yet.
    }
  }
}
