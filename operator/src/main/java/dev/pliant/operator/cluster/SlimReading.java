package dev.pliant.operator.cluster;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.TokenFilter;
import com.fasterxml.jackson.core.filter.TokenFilter.Inclusion;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/// Reads of the API server's answers what the operator goes by. Four fifths of a pod are its
/// containers, its volumes and who wrote which field: they are skipped before anything is made of
/// them, in answers, in lists and in what a watch tells.
public final class SlimReading extends KubernetesSerialization {
  /// What a packed answer begins with.
  private static final int GZIP = 0x1f;

  private static final int PIECE = 1 << 14;

  private static final Set<String> OF_METADATA = Set.of("managedFields");

  /// Right below its spec only a pod has these.
  private static final Set<String> OF_SPEC =
      Set.of("containers", "initContainers", "volumes", "tolerations");

  private static final TokenFilter OBJECT =
      new Within(Map.of("metadata", new Without(OF_METADATA), "spec", new Without(OF_SPEC)));

  /// A watch's news has its object within, a list its items, an answer is the object.
  private static final TokenFilter ANSWER =
      new Within(
          Map.of(
              "metadata",
              new Without(OF_METADATA),
              "spec",
              new Without(OF_SPEC),
              "object",
              OBJECT,
              "items",
              OBJECT));

  private final ObjectMapper mapper;
  private final ObjectReader podReader;

  public SlimReading() {
    this(new ObjectMapper());
  }

  private SlimReading(ObjectMapper mapper) {
    super(mapper, true);
    this.mapper = mapper;
    this.podReader = mapper.readerFor(Pod.class);
  }

  /// A client that reads so. Lists of pods come in binary form, and of a pod that is made its
  /// metadata alone. Long lists come packed: to take them off the wire as they are costs more than
  /// to unpack them.
  public static KubernetesClient connect(Config cluster) {
    return new KubernetesClientBuilder()
        .withConfig(cluster)
        .withKubernetesSerialization(new SlimReading())
        .withHttpClientBuilderConsumer(http ->
            http.addOrReplaceInterceptor("packed", new PackedLists())
                .addOrReplaceInterceptor("binary", new BinaryLists())
                .addOrReplaceInterceptor("brief", new BriefAnswers()))
        .build();
  }

  /// Only what is longer than 128 KiB is packed by the API server, and no watch.
  private static final class PackedLists implements Interceptor {
    @Override
    public void before(BasicBuilder request, HttpRequest sent, RequestTags tags) {
      request.setHeader("Accept-Encoding", "gzip");
    }
  }

  /// Of a pod that is made the rest is what was sent, and a status that says nothing yet. Why one
  /// is not made is said as ever.
  private static final class BriefAnswers implements Interceptor {
    private static final String METADATA_ALONE =
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

    @Override
    public void before(BasicBuilder request, HttpRequest sent, RequestTags tags) {
      if (sent.method().equals("POST") && sent.uri().getPath().endsWith("/pods")) {
        request.setHeader("Accept", METADATA_ALONE);
      }
    }
  }

  /// What is wrong is said in JSON, which the client reads: a request that fails is sent again so.
  private static final class BinaryLists implements Interceptor {
    private static final String ACCEPT = "Accept";
    private static final String JSON = "application/json";

    @Override
    public void before(BasicBuilder request, HttpRequest sent, RequestTags tags) {
      if (listsPods(sent)) {
        request.setHeader(ACCEPT, BinaryPods.MEDIA_TYPE + "," + JSON);
      }
    }

    @Override
    public CompletableFuture<Boolean> afterFailure(
        BasicBuilder request, HttpResponse<?> response, RequestTags tags) {
      boolean again = listsPods(response.request()) && refused(response.code());
      if (again) {
        request.setHeader(ACCEPT, JSON);
      }
      return CompletableFuture.completedFuture(again);
    }

    private static boolean listsPods(HttpRequest request) {
      String query = request.uri().getQuery();
      return request.method().equals("GET")
          && request.uri().getPath().endsWith("/pods")
          && (query == null || !query.contains("watch=true"));
    }

    /// Not where the server is just too busy: that is tried again later.
    private static boolean refused(int code) {
      return code >= 400 && code < 500 && code != 429;
    }
  }

  @Override
  public <T> T unmarshal(InputStream in, TypeReference<T> type) {
    try (BufferedInputStream answer = unpacked(new BufferedInputStream(in))) {
      if (BinaryPods.begins(first(answer))) {
        @SuppressWarnings("unchecked") // Nothing else is asked for in this form.
        T pods = (T) BinaryPods.list(answer);
        return pods;
      }
      if (first(answer) != '{') {
        return super.unmarshal(answer, type);
      }
      try (JsonParser parser = slim(mapper.createParser(answer))) {
        return mapper.readerFor(type).readValue(parser);
      }
    } catch (IOException e) {
      throw KubernetesClientException.launderThrowable(e);
    }
  }

  @Override
  public <T> T unmarshal(String text, Class<T> type) {
    if (type == WatchEvent.class) {
      try {
        WatchEvent news = newsOfPod(text);
        if (news != null) {
          return type.cast(news);
        }
      } catch (IOException e) {
        throw KubernetesClientException.launderThrowable(e);
      }
    }
    return super.unmarshal(text, type);
  }

  /// A watch's news of a pod. News of any object are read into a tree first, which takes as long
  /// again: its kind may stand anywhere. The API server writes it first.
  ///
  /// @return null where it is of something else
  private @Nullable WatchEvent newsOfPod(String text) throws IOException {
    try (JsonParser parser = slim(mapper.createParser(text))) {
      if (parser.nextToken() != JsonToken.START_OBJECT || !"type".equals(field(parser))) {
        return null;
      }
      parser.nextToken();
      String type = parser.getValueAsString();
      if (!"object".equals(field(parser))
          || parser.nextToken() != JsonToken.START_OBJECT
          || !"kind".equals(field(parser))
          || parser.nextToken() != JsonToken.VALUE_STRING
          || !"Pod".equals(parser.getText())
          || field(parser) == null) {
        return null;
      }
      return new WatchEvent(podReader.readValue(parser), type);
    }
  }

  private static @Nullable String field(JsonParser parser) throws IOException {
    return parser.nextToken() == JsonToken.FIELD_NAME ? parser.currentName() : null;
  }

  private static JsonParser slim(JsonParser whole) {
    return new FilteringParserDelegate(whole, ANSWER, Inclusion.INCLUDE_ALL_AND_PATH, true);
  }

  private static BufferedInputStream unpacked(BufferedInputStream answer) throws IOException {
    return first(answer) == GZIP
        ? new BufferedInputStream(new GZIPInputStream(answer, PIECE), PIECE)
        : answer;
  }

  private static int first(BufferedInputStream answer) throws IOException {
    answer.mark(1);
    int first = answer.read();
    answer.reset();
    return first;
  }

  /// What is empty is not absent.
  private abstract static class Keeping extends TokenFilter {
    @Override
    public boolean includeEmptyArray(boolean filtered) {
      return !filtered;
    }

    @Override
    public boolean includeEmptyObject(boolean filtered) {
      return !filtered;
    }
  }

  /// All but some fields, and all that is in them.
  private static final class Without extends Keeping {
    private final Set<String> left;

    private Without(Set<String> left) {
      this.left = left;
    }

    @Override
    public @Nullable TokenFilter includeProperty(String name) {
      return left.contains(name) ? null : INCLUDE_ALL;
    }
  }

  /// All, but some fields by filters of their own.
  private static final class Within extends Keeping {
    private final Map<String, TokenFilter> inner;

    private Within(Map<String, TokenFilter> inner) {
      this.inner = inner;
    }

    @Override
    public TokenFilter includeProperty(String name) {
      return inner.getOrDefault(name, INCLUDE_ALL);
    }
  }
}
