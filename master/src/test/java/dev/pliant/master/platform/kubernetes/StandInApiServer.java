package dev.pliant.master.platform.kubernetes;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/// An API server that answers as a test has it: for what no cluster can be made to do.
final class StandInApiServer implements AutoCloseable {
  /// @param method or `WATCH`
  /// @param query as it was asked, or empty
  record Call(String method, String path, String query) {}

  /// @param open whether more may follow, as with a watch: then the connection stays
  record Reply(int code, String body, boolean open) {
    static Reply ok(String body) {
      return new Reply(200, body, false);
    }

    static Reply refused(int code, String reason) {
      return new Reply(
          code,
          "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":%d,\"reason\":\"%s\"}"
              .formatted(code, reason),
          false);
    }

    /// @param events one a line; more never come
    static Reply watched(String events) {
      return new Reply(200, events, true);
    }

    /// The watch cannot go on: who watches must list again.
    static Reply gone() {
      return ok(
          "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":410,\"reason\":\"Gone\"}}\n");
    }

    static Reply list(String kind, String items) {
      return ok(
          "{\"kind\":\"%s\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[%s]}"
              .formatted(kind, items));
    }
  }

  private final HttpServer server =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<Call> calls = new CopyOnWriteArrayList<>();

  StandInApiServer(Function<Call, Reply> answers) throws IOException {
    server.setExecutor(threads);
    server.createContext("/", exchange -> answer(exchange, answers));
    server.start();
  }

  private void answer(HttpExchange exchange, Function<Call, Reply> answers) throws IOException {
    String query = exchange.getRequestURI().getQuery();
    boolean watch = query != null && query.contains("watch=true");
    Call call =
        new Call(
            watch ? "WATCH" : exchange.getRequestMethod(),
            exchange.getRequestURI().getPath(),
            query == null ? "" : query);
    calls.add(call);
    Reply reply = answers.apply(call);
    exchange.getRequestBody().readAllBytes();
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(reply.code(), 0);
    try (exchange) {
      exchange.getResponseBody().write(reply.body().getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      if (reply.open()) {
        closed.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  KubernetesClient client() {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder()
                .withAutoConfigure(false)
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .withOnlyHttpWatches(true)
                .withRequestRetryBackoffLimit(0)
                .withWatchReconnectInterval(50)
                .build())
        .withHttpClientFactory(new JdkHttpClientFactory())
        .build();
  }

  /// How often that was asked for.
  long calls(String method, String pathEnd) {
    return asked(method, pathEnd).size();
  }

  /// All that was asked for by that method of that path.
  List<Call> asked(String method, String pathEnd) {
    return calls.stream()
        .filter(call -> call.method().equals(method) && call.path().endsWith(pathEnd))
        .toList();
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
