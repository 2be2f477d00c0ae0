package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What tests run does not outlive them.
class CommandsIT {
  @TempDir Path folder;

  private Path mark;

  @BeforeEach
  void mark() throws IOException {
    mark = Files.createFile(folder.resolve("mark"));
  }

  /// A program and another that it waits for, both of which name the mark and never end.
  private Commands.Result runForEver(Duration bound) {
    return Commands.run(
        folder, Map.of(), bound, "sh", "-c", "tail -f \"$0\"; exit 1", mark.toString());
  }

  private long running() {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").contains(mark.toString()))
        .count();
  }

  @Test
  void whatAnInterruptedTestHasStartedEnds() {
    FutureTask<Commands.Result> run = new FutureTask<>(() -> runForEver(Duration.ofMinutes(10)));
    Thread test = Thread.ofPlatform().start(run);
    Awaitility.await("both programs").until(() -> running() == 2);

    test.interrupt();

    Awaitility.await("the end of both programs").until(() -> running() == 0);
    Awaitility.await("the end of the test").until(run::isDone);
    assertThat(run.exceptionNow()).hasCauseInstanceOf(InterruptedException.class);
  }

  @Test
  void whatTakesTooLongEnds() {
    assertThatThrownBy(() -> runForEver(Duration.ofSeconds(1)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("did not end in 1 s");

    Awaitility.await("the end of both programs").until(() -> running() == 0);
  }
}
