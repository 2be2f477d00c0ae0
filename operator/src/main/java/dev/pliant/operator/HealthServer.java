package dev.pliant.operator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Answers `/healthz` and `/readyz` with 200 `ok`, or with 503 and what is wrong, and `/metrics`.
final class HealthServer implements AutoCloseable {
  private final HttpServer server;

  /// @param sick says what is wrong for good, or null
  /// @param unready says what is wrong for now, or null
  HealthServer(
      int port,
      Supplier<@Nullable String> sick,
      Supplier<@Nullable String> unready,
      Supplier<String> metrics)
      throws IOException {
    server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/healthz", exchange -> state(exchange, sick.get()));
    server.createContext("/readyz", exchange -> state(exchange, unready.get()));
    server.createContext("/metrics", exchange -> answer(exchange, 200, metrics.get()));
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  private static void state(HttpExchange exchange, @Nullable String wrong) throws IOException {
    answer(exchange, wrong == null ? 200 : 503, (wrong == null ? "ok" : wrong) + "\n");
  }

  private static void answer(HttpExchange exchange, int code, String text) throws IOException {
    try (exchange) {
      byte[] body = text.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
      exchange.sendResponseHeaders(code, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
