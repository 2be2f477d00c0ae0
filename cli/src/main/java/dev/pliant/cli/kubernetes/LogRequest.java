package dev.pliant.cli.kubernetes;

import dev.pliant.kubernetes.MainContainer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.kubernetes.client.utils.URLUtils;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// A request for the log of a pod's main container, with times, as it grows. The client's own watch
/// passes a refusal on as if the container had printed it; this one throws it.
///
/// @param since from when on; null for the beginning
/// @param tail the last lines alone; negative for all
record LogRequest(Pod pod, @Nullable String since, int tail) {
  private static final int MAX_REFUSAL_BYTES = 64 << 10;

  /// Waits for an answer, which comes once there is something to read.
  ///
  /// @throws KubernetesClientException what the server refuses, or what kept it from answering
  InputStream open(KubernetesClient client) throws IOException {
    HttpClient http = client.getHttpClient();
    String uri = URLUtils.join(client.getMasterUrl().toString(), path());
    HttpResponse<InputStream> answer =
        await(http.sendAsync(http.newHttpRequestBuilder().uri(uri).build(), InputStream.class));
    if (answer.isSuccessful()) {
      return answer.body();
    }
    try (InputStream body = answer.body()) {
      String said = new String(body.readNBytes(MAX_REFUSAL_BYTES), StandardCharsets.UTF_8);
      throw new KubernetesClientException(refusal(answer.code(), said));
    }
  }

  private String path() {
    return "api/v1/namespaces/%s/pods/%s/log?container=%s&timestamps=true&follow=true%s%s"
        .formatted(
            pod.getMetadata().getNamespace(),
            pod.getMetadata().getName(),
            MainContainer.of(pod).orElseThrow(),
            since == null ? "" : "&sinceTime=" + URLEncoder.encode(since, StandardCharsets.UTF_8),
            tail < 0 ? "" : "&tailLines=" + tail);
  }

  private static <T> T await(CompletableFuture<T> answer) {
    try {
      return answer.get();
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new KubernetesClientException("nobody waits for it any more", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KubernetesClientException fault
          ? fault
          : new KubernetesClientException("it was not answered", e.getCause());
    }
  }

  /// In the server's own form, or, where it has too much to do for that, in a few plain words.
  static Status refusal(int code, String said) {
    if (said.startsWith("{")) {
      try {
        Status status = Serialization.unmarshal(said, Status.class);
        if (status.getMessage() != null) {
          return new StatusBuilder(status).withCode(code).build();
        }
      } catch (KubernetesClientException e) {
        // Somebody else's form, that of a proxy for instance: its words as they are.
      }
    }
    String words = said.isBlank() ? "it answers with code %d".formatted(code) : said.strip();
    return new StatusBuilder().withCode(code).withMessage(words).build();
  }
}
