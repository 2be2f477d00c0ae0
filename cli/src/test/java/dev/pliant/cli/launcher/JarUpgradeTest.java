package dev.pliant.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSigner;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipFile;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class JarUpgradeTest {

  @Test
  void upgradedClassesAreNewAndWork(@TempDir Path folder) throws Exception {
    URI location = CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    Path jar = Files.copy(Path.of(location), folder.resolve("picocli.jar"));
    assertThat(version(jar)).isEqualTo(49);

    JarUpgrade.upgrade(jar);

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

  @Test
  void upgradedJarsAreSignedNoMore(@TempDir Path folder) throws Exception {
    URI location = BCStyle.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    Path jar = Files.copy(Path.of(location), folder.resolve("signed.jar"));
    assertThat(signers(jar)).isNotNull();

    JarUpgrade.upgrade(jar);

    assertThat(signers(jar)).isNull();
  }

  private static CodeSigner @Nullable [] signers(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      JarEntry entry = file.getJarEntry(BCStyle.class.getName().replace('.', '/') + ".class");
      try (InputStream in = file.getInputStream(entry)) {
        in.readAllBytes(); // The signature is checked on the way.
      }
      return entry.getCodeSigners();
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
