package dev.pliant.cli.architecture.wrong.machine.shards;

import java.io.IOException;
import java.net.Socket;

/// Wrong: a decision that waits for somebody else.
public final class CallsTheNetwork {
  private CallsTheNetwork() {}

  public static Socket call() throws IOException {
    return new Socket("localhost", 1);
  }
}
