package dev.pliant.cli.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.cli.python.PythonCommand.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class PythonCommandTest {
  @TempDir Path folder;

  static Stream<Arguments> commands() {
    return Stream.of(
        arguments(
            List.of("python3", "train.py", "--lr", "1"), python(0, "python3", script("train.py"))),
        arguments(
            List.of("/opt/py/bin/python3.11", "-u", "-X", "dev", "a/b.py"),
            python(0, "/opt/py/bin/python3.11", script("a/b.py"))),
        arguments(
            List.of("python", "-m", "net.train", "-c", "x"),
            python(0, "python", new Program.Module("net.train"))),
        arguments(
            List.of("python3", "-c", "import torch"),
            python(0, "python3", new Program.Code("import torch"))),
        arguments(List.of("python3"), python(0, "python3", new Program.Unknown())),
        arguments(
            List.of("/usr/bin/env", "A=1", "python3", "x.py"),
            python(2, "python3", script("x.py"))),
        arguments(
            List.of("/bin/bash", "-c", "cd src && exec python -u train.py --fast"),
            python(-1, "python", script("train.py"))),
        arguments(List.of("bash", "train.sh"), null),
        arguments(List.of("train", "python3"), null),
        arguments(List.of("pythonista"), null));
  }

  private static PythonCommand python(int index, String interpreter, Program program) {
    return new PythonCommand(index, interpreter, program);
  }

  private static Program script(String file) {
    return new Program.Script(file);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void findsThePythonInACommand(List<String> command, @Nullable PythonCommand want) {
    assertThat(PythonCommand.in(command)).isEqualTo(Optional.ofNullable(want));
  }

  static Stream<Arguments> texts() {
    return Stream.of(
        arguments("import torch", new Imports(true, false, false)),
        arguments("import os, torch.nn as nn", new Imports(true, false, false)),
        arguments("  from torch import nn", new Imports(true, false, false)),
        arguments("import torchvision", Imports.NONE),
        arguments("# import torch", Imports.NONE),
        arguments("x = 'import torch'", Imports.NONE),
        arguments("import pliant", new Imports(false, true, false)),
        arguments("from pliant import torch", new Imports(true, true, false)),
        arguments("import pliant.torch\npliant.torch.Elastic(j)", new Imports(true, true, true)),
        arguments("class Elastic: pass", Imports.NONE));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void tellsWhatATextImports(String text, Imports want) {
    assertThat(Imports.of(python(0, "python3", new Program.Code(text)), folder)).isEqualTo(want);
  }

  @Test
  void looksIntoTheModulesOfAScript() throws IOException {
    Files.createDirectories(folder.resolve("net/layers"));
    Files.writeString(folder.resolve("train.py"), "from net import model\n");
    Files.writeString(folder.resolve("net/model.py"), "from .layers import conv\nimport model\n");
    Files.writeString(folder.resolve("net/layers/__init__.py"), "import torch\n");

    assertThat(Imports.of(python(0, "python3", script("train.py")), folder))
        .isEqualTo(new Imports(true, false, false));
  }
}
