package dev.pliant.operator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Answers `/healthz` and `/readyz` with 200 `ok`, or with 503 and what is wrong.
final class HealthServer implements AutoCloseable {
  private final HttpServer server;

  /// @param sick says what is wrong for good, or null
  /// @param unready says what is wrong for now, or null
  HealthServer(int port, Supplier<@Nullable String> sick, Supplier<@Nullable String> unready)
      throws IOException {
    server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/healthz", exchange -> answer(exchange, sick.get()));
    server.createContext("/readyz", exchange -> answer(exchange, unready.get()));
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  private static void answer(HttpExchange exchange, @Nullable String wrong) throws IOException {
    try (exchange) {
      byte[] body = ((wrong == null ? "ok" : wrong) + "\n").getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(wrong == null ? 200 : 503, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
