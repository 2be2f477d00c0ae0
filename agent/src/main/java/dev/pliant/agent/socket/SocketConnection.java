package dev.pliant.agent.socket;

import dev.pliant.agent.json.JsonObject;
import dev.pliant.agent.json.JsonReader;
import dev.pliant.agent.socket.Conversation.Peer;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection. Its thread only reads, so that the end of the other side is seen at once, also
/// while an answer is being waited for; each answer is written by a thread of its own.
final class SocketConnection implements Peer, Runnable {
  private static final Logger log = LoggerFactory.getLogger(SocketConnection.class);

  /// How long a last answer may take to be written after the other side has ended.
  private static final long LAST_ANSWER_SECONDS = 2;

  private final long id;
  private final SocketChannel channel;
  private final Conversation conversation;
  private final FrameReader reader;
  private final FrameWriter writer;
  private CompletableFuture<Void> answered = CompletableFuture.completedFuture(null);

  SocketConnection(long id, SocketChannel channel, Conversation.Host host) {
    this.id = id;
    this.channel = channel;
    this.reader = new FrameReader(channel);
    this.writer = new FrameWriter(channel);
    this.conversation = host.begin(this);
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public void disconnect() {
    try {
      channel.close();
    } catch (IOException e) {
      log.debug("connection {}: closing it failed", id, e);
    }
  }

  @Override
  public void run() {
    try {
      converse();
    } catch (PliantException e) {
      complain(e);
    } catch (IOException e) {
      log.debug("connection {} broke: {}", id, e.toString());
    } catch (RuntimeException e) {
      log.error("connection {} is ended by a defect", id, e);
      complain(
          new PliantException(
              ErrorCode.INTERNAL, "the agent has a defect (" + e + "); see its log.", e));
    } finally {
      conversation.ended();
      awaitLastAnswer();
      disconnect();
    }
  }

  /// Reads until the other side ends or says bye. A frame that cannot be read throws: there is no
  /// knowing where the next begins.
  private void converse() throws IOException {
    while (true) {
      Optional<byte[]> bytes = reader.read();
      if (bytes.isEmpty()) {
        return;
      }
      JsonObject frame = JsonReader.read(bytes.get());
      long request = frame.number("id");
      answered.join();
      boolean last = false;
      CompletableFuture<Answer> answer;
      try {
        Request asked = RequestReader.read(frame);
        last = asked instanceof Request.Bye;
        answer = conversation.answer(asked);
      } catch (PliantException e) {
        answer = CompletableFuture.failedFuture(e);
      }
      answered =
          answer.handleAsync(
              (said, failure) -> write(request, failure == null ? said : wrong(failure)),
              Thread::startVirtualThread);
      if (last) {
        return;
      }
    }
  }

  private static Answer wrong(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof PliantException known) {
      return new Answer.Wrong(known.code(), String.valueOf(known.getMessage()));
    }
    log.error("a request failed by a defect", cause);
    return new Answer.Wrong(
        ErrorCode.INTERNAL, "the agent has a defect (" + cause + "); see its log.");
  }

  private @Nullable Void write(@Nullable Long request, Answer answer) {
    try {
      try {
        writer.write(AnswerWriter.write(request, answer));
      } catch (PliantException e) {
        writer.write(AnswerWriter.write(request, wrong(e)));
      }
    } catch (IOException e) {
      log.debug("connection {}: an answer could not be written: {}", id, e.toString());
      disconnect();
    }
    return null;
  }

  private void complain(PliantException e) {
    answered.join();
    write(null, wrong(e));
  }

  private void awaitLastAnswer() {
    try {
      answered.get(LAST_ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException e) {
      log.debug("connection {}: its last answer was not written: {}", id, e.toString());
    }
  }
}
