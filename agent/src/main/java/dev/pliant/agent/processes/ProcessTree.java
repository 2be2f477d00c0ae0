package dev.pliant.agent.processes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/// A worker's process with all that it started, also what outlived its parent. Those are told by
/// the worker's own variables in their environment, which they inherit and nobody else has.
final class ProcessTree {
  private static final Path PROC = Path.of("/proc");

  private final ProcessHandle root;
  private final byte[] socketMark;
  private final byte[] workerMark;

  ProcessTree(ProcessHandle root, Path socket, String worker) {
    this.root = root;
    this.socketMark = mark(ProcessEnvironment.SOCKET, socket.toString());
    this.workerMark = mark(ProcessEnvironment.WORKER, worker);
  }

  /// Those that live, the first process aside.
  Set<ProcessHandle> descendants() {
    Set<ProcessHandle> found = new LinkedHashSet<>();
    root.descendants().forEach(found::add);
    if (Files.isDirectory(PROC)) {
      ProcessHandle self = ProcessHandle.current();
      ProcessHandle.allProcesses()
          .filter(process -> !process.equals(root) && !process.equals(self))
          .filter(this::isMarked)
          .forEach(found::add);
    }
    return found;
  }

  private boolean isMarked(ProcessHandle process) {
    try {
      byte[] environment =
          Files.readAllBytes(PROC.resolve(Long.toString(process.pid())).resolve("environ"));
      return holds(environment, socketMark) && holds(environment, workerMark);
    } catch (IOException | SecurityException _) {
      return false; // Gone, or another user's.
    }
  }

  /// As the kernel lists variables: each with its end, one after the other.
  private static byte[] mark(String name, String value) {
    return (name + "=" + value + "\0").getBytes(StandardCharsets.UTF_8);
  }

  private static boolean holds(byte[] environment, byte[] mark) {
    int start = 0;
    for (int i = 0; i < environment.length; i++) {
      if (environment[i] == 0) {
        if (i + 1 - start == mark.length && matches(environment, start, mark)) {
          return true;
        }
        start = i + 1;
      }
    }
    return false;
  }

  private static boolean matches(byte[] bytes, int start, byte[] mark) {
    for (int i = 0; i < mark.length; i++) {
      if (bytes[start + i] != mark[i]) {
        return false;
      }
    }
    return true;
  }
}
