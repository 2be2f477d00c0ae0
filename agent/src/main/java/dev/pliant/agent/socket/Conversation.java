package dev.pliant.agent.socket;

import java.util.concurrent.CompletableFuture;

/// One connection's side of the agent: what stands behind the socket.
public interface Conversation {
  /// Answers a request. One is under way at a time. The answer always comes; a
  /// [dev.pliant.model.PliantException] becomes an error frame.
  CompletableFuture<Answer> answer(Request request);

  /// The connection is over: called once, and nothing is asked after it. What is still being
  /// answered may be given up.
  void ended();

  /// Begins conversations, one for each connection.
  interface Host {
    Conversation begin(Peer peer);
  }

  /// The other end of a connection.
  interface Peer {
    /// Its number, unique while the agent lives.
    long id();

    /// Ends the connection from this side.
    void disconnect();
  }
}
