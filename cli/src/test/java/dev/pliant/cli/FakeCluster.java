package dev.pliant.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;

/// A server in the place of a cluster's API server that answers as it is told, and remembers what
/// it was asked. What it was told nothing about is not found.
public final class FakeCluster implements AutoCloseable {
  public record Call(String method, String path, String query, String body) {
    boolean is(String otherMethod, String end) {
      return method.equals(otherMethod) && path.endsWith(end);
    }
  }

  /// @param code 0 where the connection is cut before anything is said
  /// @param more what comes after the body, as it comes; then the connection ends
  public record Answer(int code, String body, Optional<InputStream> more) {
    public Answer(int code, String body) {
      this(code, body, Optional.empty());
    }
  }

  private record Rule(String method, String end, Function<Call, Answer> answer) {}

  private final HttpServer server;
  private final Path kubeconfig;
  private final List<Rule> rules = new CopyOnWriteArrayList<>();
  private final List<Call> calls = Collections.synchronizedList(new ArrayList<>());

  public FakeCluster(Path folder) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
    kubeconfig =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            apiVersion: v1
            kind: Config
            clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
            users: [{name: u, user: {token: t}}]
            contexts: [{name: there, context: {cluster: c, user: u, namespace: team}}]
            current-context: there
            """
                .formatted(server.getAddress().getPort()));
  }

  public Path kubeconfig() {
    return kubeconfig;
  }

  /// From now on, calls whose path ends so are answered so.
  public FakeCluster on(String method, String end, Function<Call, Answer> answer) {
    rules.addFirst(new Rule(method, end, answer));
    return this;
  }

  public FakeCluster on(String method, String end, Answer answer) {
    return on(method, end, _ -> answer);
  }

  public static Answer found(String json) {
    return new Answer(200, json);
  }

  public static Answer list(String kind, String version, String... items) {
    return found(
        "{\"kind\": \"%s\", \"apiVersion\": \"%s\", \"metadata\": {}, \"items\": [%s]}"
            .formatted(kind, version, String.join(",", items)));
  }

  public static Answer pods(String... items) {
    return list("PodList", "v1", items);
  }

  /// The connection is cut.
  public static Answer cut() {
    return new Answer(0, "");
  }

  /// What an API server refuses, in its own form.
  public static Answer refused(int code, String message) {
    return new Answer(
        code,
        """
        {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": %d, "message": "%s"}
        """
            .formatted(code, message.replace("\"", "\\\"")));
  }

  /// The calls of a method so far.
  public List<Call> calls(String method) {
    synchronized (calls) {
      return calls.stream().filter(call -> call.method().equals(method)).toList();
    }
  }

  /// Calls a command that acts on this cluster.
  Called pliant(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--kubeconfig", kubeconfig.toString()));
    return Called.with(all.toArray(String[]::new));
  }

  private void answer(HttpExchange exchange) throws IOException {
    String query = exchange.getRequestURI().getRawQuery();
    Call call =
        new Call(
            exchange.getRequestMethod(),
            exchange.getRequestURI().getPath(),
            query == null ? "" : query,
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    calls.add(call);
    Answer answer =
        rules.stream()
            .filter(rule -> call.is(rule.method(), rule.end()))
            .findFirst()
            .map(rule -> rule.answer().apply(call))
            .orElseGet(() -> refused(404, "it is not found"));
    if (answer.code() == 0) {
      exchange.close();
      return;
    }
    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    boolean open = answer.more().isPresent();
    exchange.sendResponseHeaders(answer.code(), open ? 0 : bytes.length == 0 ? -1 : bytes.length);
    try (exchange) {
      OutputStream out = exchange.getResponseBody();
      out.write(bytes);
      if (open) {
        out.flush();
        pass(answer.more().get(), out);
      }
    }
  }

  private static void pass(InputStream more, OutputStream out) throws IOException {
    byte[] buffer = new byte[1024];
    for (int length = more.read(buffer); length >= 0; length = more.read(buffer)) {
      out.write(buffer, 0, length);
      out.flush();
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
