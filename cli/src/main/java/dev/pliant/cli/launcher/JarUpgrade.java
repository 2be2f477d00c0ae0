package dev.pliant.cli.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/// Rewrites jars so that the JVM's AOT cache takes their classes. It takes none that is older than
/// Java 6, as picocli's are, and none of a signed jar, as Bouncy Castle's are; loading those the
/// slow way is a third of the time that a command, or a master, takes to start.
///
/// What a signature promises, the checksums of the download have promised already.
public final class JarUpgrade {
  private static final Pattern SIGNATURE = Pattern.compile("META-INF/[^/]+\\.(SF|RSA|DSA|EC)");
  private static final int OLDEST_THAT_IS_CACHED = ClassFile.JAVA_6_VERSION;

  private JarUpgrade() {}

  public static void main(String[] jars) throws IOException {
    for (String jar : jars) {
      upgrade(Path.of(jar));
    }
  }

  /// Replaces `jar` by one that has the same classes.
  static void upgrade(Path jar) throws IOException {
    Path upgraded = jar.resolveSibling(jar.getFileName() + ".upgraded");
    try (ZipFile from = new ZipFile(jar.toFile());
        OutputStream file = Files.newOutputStream(upgraded);
        ZipOutputStream to = new ZipOutputStream(file)) {
      ClassFile classFile =
          ClassFile.of(
              ClassFile.ClassHierarchyResolverOption.of(
                  hierarchyOf(from).orElse(ClassHierarchyResolver.defaultResolver())));
      for (ZipEntry entry : from.stream().map(ZipEntry.class::cast).toList()) {
        if (SIGNATURE.matcher(entry.getName()).matches()) {
          continue;
        }
        byte[] bytes;
        try (InputStream in = from.getInputStream(entry)) {
          bytes = in.readAllBytes();
        }
        ZipEntry copy = new ZipEntry(entry.getName());
        copy.setTime(entry.getTime());
        to.putNextEntry(copy);
        to.write(entry.getName().endsWith(".class") ? upgrade(classFile, bytes) : bytes);
        to.closeEntry();
      }
    }
    Files.move(upgraded, jar, StandardCopyOption.REPLACE_EXISTING);
  }

  private static byte[] upgrade(ClassFile classFile, byte[] bytes) {
    var model = classFile.parse(bytes);
    if (model.majorVersion() >= OLDEST_THAT_IS_CACHED) {
      return bytes;
    }
    // Method bodies go through the builder, which makes the stack maps that newer versions need.
    return classFile.transformClass(
        model,
        ClassTransform.transformingMethodBodies(CodeBuilder::with)
            .andThen(ClassTransform.dropping(ClassFileVersion.class::isInstance))
            .andThen(
                ClassTransform.endHandler(
                    builder -> builder.withVersion(ClassFile.JAVA_8_VERSION, 0))));
  }

  private static ClassHierarchyResolver hierarchyOf(ZipFile jar) {
    return ClassHierarchyResolver.ofResourceParsing(type -> {
      String descriptor = type.descriptorString();
      ZipEntry entry = jar.getEntry(descriptor.substring(1, descriptor.length() - 1) + ".class");
      try {
        return entry == null ? null : jar.getInputStream(entry);
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    });
  }
}
