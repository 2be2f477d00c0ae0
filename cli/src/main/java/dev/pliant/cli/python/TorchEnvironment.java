package dev.pliant.cli.python;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/// Virtual environments with PyTorch, one for each Python they were made from, in the cache folder.
/// One that was begun and not finished is gone on with.
final class TorchEnvironment {
  private static final String PREFIX = "python-torch-";
  private static final String READY = "ready";
  private static final Pattern RAW = Pattern.compile("Progress (\\d+) of (\\d+)");

  private TorchEnvironment() {}

  /// Those that are whole.
  static List<Path> ready(Path cache) {
    try (Stream<Path> entries = Files.list(cache)) {
      return entries
          .filter(entry -> entry.getFileName().toString().startsWith(PREFIX))
          .filter(entry -> Files.exists(entry.resolve(READY)))
          .map(entry -> entry.resolve("bin/python3"))
          .filter(Files::isExecutable)
          .sorted()
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /// An environment of `base` with PyTorch; returns its interpreter. Another process that makes the
  /// same one is waited for.
  ///
  /// @param environment what to tell pip besides what this process's own environment does
  static Path make(Path cache, Path base, Map<String, String> environment, Notices notices) {
    Path folder = folder(cache, base);
    try {
      Files.createDirectories(folder);
      try (FileChannel file =
              FileChannel.open(
                  cache.resolve(folder.getFileName() + ".lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock lock = file.lock()) {
        if (!lock.isValid() || !Files.exists(folder.resolve(READY))) {
          fill(folder, base, environment, notices);
        }
      }
    } catch (IOException e) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE, "cannot use the folder %s: %s.".formatted(folder, e), e);
    }
    return folder.resolve("bin/python3");
  }

  private static Path folder(Path cache, Path base) {
    CRC32C crc = new CRC32C();
    crc.update(base.toString().getBytes(StandardCharsets.UTF_8));
    return cache.resolve(PREFIX + "%08x".formatted(crc.getValue()));
  }

  private static void fill(Path folder, Path base, Map<String, String> environment, Notices notices)
      throws IOException {
    Installer installer = new Installer(notices);
    if (!Files.exists(folder.resolve("bin/pip"))) {
      installer.run(
          "making a virtual environment",
          Map.of(),
          line -> line,
          List.of(base.toString(), "-m", "venv", folder.toString()));
    }
    List<String> install =
        new ArrayList<>(List.of(folder.resolve("bin/python3").toString(), "-m", "pip", "install"));
    install.addAll(List.of("--disable-pip-version-check", "--no-input"));
    install.add("--progress-bar=" + (knowsRawProgress(folder) ? "raw" : "off"));
    install.addAll(List.of("torch", "numpy"));
    installer.run("installing PyTorch", environment, TorchEnvironment::wording, install);
    Files.writeString(folder.resolve(READY), base + "\n");
  }

  private static String wording(String line) {
    Matcher raw = RAW.matcher(line);
    return raw.matches()
        ? "%,d of %,d MB"
            .formatted(Long.parseLong(raw.group(1)) >> 20, Long.parseLong(raw.group(2)) >> 20)
        : line.strip();
  }

  /// Since pip 24.1.
  private static boolean knowsRawProgress(Path folder) throws IOException {
    try (Stream<Path> files = Files.find(folder.resolve("lib"), 4, (p, _) -> isPip(p))) {
      return files
          .map(path -> path.getFileName().toString().replaceAll("^pip-|\\.dist-info$", ""))
          .map(version -> version.split("\\.", 3))
          .anyMatch(v ->
              v.length >= 2
                  && (Integer.parseInt(v[0]) > 24
                      || (v[0].equals("24") && Integer.parseInt(v[1]) >= 1)));
    }
  }

  private static boolean isPip(Path path) {
    return path.getFileName().toString().matches("pip-\\d+\\.\\d+.*\\.dist-info");
  }
}
