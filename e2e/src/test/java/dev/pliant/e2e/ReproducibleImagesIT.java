package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.testing.Needs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the images of operator and master hold is the same wherever and whenever it is laid out;
/// jib packs it by fixed times. The agent's holds a cache of the JVM's, of which no two are alike.
class ReproducibleImagesIT {
  private static final Duration BOUND = Duration.ofMinutes(5);

  @TempDir Path folder;

  @Test
  void operatorAndMasterAreTheSameBytesEachTime() throws IOException {
    Path root = Commands.root();
    List<Path> jars = pliantJars(root);
    Needs.that(jars.size() == 1, "the command as one jar: build the module cli, not only classes");

    Path one = layOut(root, "one", version(jars.getFirst()));
    Path built = root.resolve("images/target/layout/server");
    Path other =
        isOfSameInputs(one, built) ? built : layOut(root, "another", version(jars.getFirst()));

    Map<String, String> files = files(one);
    assertThat(files).containsKeys("pliant/server.jsa", "pliant/operator.args");
    assertThat(files(other)).isEqualTo(files);
  }

  private static List<Path> pliantJars(Path root) throws IOException {
    Path target = root.resolve("cli/target");
    if (!Files.isDirectory(target)) {
      return List.of();
    }
    try (Stream<Path> jars = Files.list(target)) {
      return jars.filter(jar -> jar.toString().matches(".*/pliant-cli-[0-9][^/]*\\.jar")).toList();
    }
  }

  private static String version(Path jar) {
    return jar.getFileName().toString().replaceAll("pliant-cli-(.*)\\.jar", "$1");
  }

  /// In a tree of its own, which has all but the images of this one.
  private Path layOut(Path root, String name, String version) throws IOException {
    Path tree = Files.createDirectory(folder.resolve(name));
    List<String> parts = List.of("cli", "python", ".mvn");
    for (String part : parts) {
      Files.createSymbolicLink(tree.resolve(part), root.resolve(part));
    }
    Path images = Files.createDirectory(tree.resolve("images"));
    for (String file : List.of("lay-out", "server.classes")) {
      Files.copy(root.resolve("images").resolve(file), images.resolve(file));
    }
    Commands.run(tree, Map.of(), BOUND, images.resolve("lay-out").toString(), version, "server")
        .orThrow("images/lay-out");
    for (String part : parts) {
      Files.delete(tree.resolve(part));
    }
    return images.resolve("target/layout/server");
  }

  private static boolean isOfSameInputs(Path one, Path other) throws IOException {
    Path inputs = other.resolveSibling("server.inputs");
    return Files.exists(inputs)
        && Files.readString(inputs).equals(Files.readString(one.resolveSibling("server.inputs")));
  }

  /// Permissions, age and contents of all files, by their paths.
  private static Map<String, String> files(Path layout) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(layout)) {
      for (Path file : all.filter(file -> !file.equals(layout)).toList()) {
        files.put(layout.relativize(file).toString(), describe(file));
      }
    }
    return files;
  }

  private static String describe(Path file) throws IOException {
    String permissions =
        PosixFilePermissions.toString(
            Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
    String age = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toString();
    return permissions + " " + age + " " + contents(file);
  }

  private static String contents(Path file) {
    try {
      if (Files.isSymbolicLink(file)) {
        return "-> " + Files.readSymbolicLink(file);
      }
      return Files.isDirectory(file)
          ? "folder"
          : HexFormat.of()
              .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
