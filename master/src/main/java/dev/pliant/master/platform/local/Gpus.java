package dev.pliant.master.platform.local;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Gives whole GPUs to nodes by `CUDA_VISIBLE_DEVICES`. Which devices there are is read from
/// `/dev/nvidia*`. Only the arithmetic was ever tried: no machine with a GPU was at hand.
final class Gpus {
  static final String VARIABLE = "CUDA_VISIBLE_DEVICES";

  private Gpus() {}

  /// The numbers of the devices of this machine.
  static List<Integer> devices() {
    List<Integer> devices = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/dev"), "nvidia*")) {
      for (Path file : files) {
        String number = file.getFileName().toString().substring("nvidia".length());
        if (number.matches("\\d{1,4}")) {
          devices.add(Integer.parseInt(number));
        }
      }
    } catch (IOException e) {
      return List.of();
    }
    return devices.stream().sorted().toList();
  }

  /// The first `count` that nobody has, as the variable spells them; nothing where too few are
  /// left.
  ///
  /// @param taken what the variable is for each node that lives
  static Optional<String> assign(int count, List<Integer> devices, List<String> taken) {
    Set<Integer> free = new TreeSet<>(devices);
    for (String list : taken) {
      Arrays.stream(list.split(","))
          .filter(number -> number.matches("\\d{1,4}"))
          .forEach(number -> free.remove(Integer.parseInt(number)));
    }
    return free.size() < count
        ? Optional.empty()
        : Optional.of(
            free.stream().limit(count).map(String::valueOf).collect(Collectors.joining(",")));
  }
}
