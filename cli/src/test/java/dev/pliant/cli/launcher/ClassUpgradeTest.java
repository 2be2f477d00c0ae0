package dev.pliant.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class ClassUpgradeTest {

  @Test
  void upgradedClassesAreNewAndWork(@TempDir Path folder) throws Exception {
    URI location = CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    Path jar = Files.copy(Path.of(location), folder.resolve("picocli.jar"));
    assertThat(version(jar)).isEqualTo(49);

    ClassUpgrade.upgrade(jar);

    assertThat(version(jar)).isEqualTo(52);
    URL[] urls = {jar.toUri().toURL()};
    try (var loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
      Class<?> commandLine = loader.loadClass("picocli.CommandLine");
      Class<?> spec = loader.loadClass("picocli.CommandLine$Model$CommandSpec");
      Object line =
          commandLine
              .getConstructor(Object.class)
              .newInstance(spec.getMethod("create").invoke(null));
      Method usage = commandLine.getMethod("getUsageMessage");
      assertThat(usage.invoke(line)).asString().startsWith("Usage: ");
    }
  }

  private static int version(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile());
        var in =
            new DataInputStream(zip.getInputStream(zip.getEntry("picocli/CommandLine.class")))) {
      in.readInt();
      in.readUnsignedShort();
      return in.readUnsignedShort();
    }
  }
}
