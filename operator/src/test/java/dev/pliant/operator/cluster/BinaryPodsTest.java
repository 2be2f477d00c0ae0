package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.google.protobuf.CodedOutputStream;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BinaryPodsTest {
  /// The bytes of two empty texts, of which nothing is read.
  private static final int AFTER_THE_LIST = 4;

  private final SlimReading reading = new SlimReading();

  /// Writes the fields of a message.
  private interface Fields {
    void write(CodedOutputStream out) throws IOException;
  }

  @Test
  void aPodIsReadUpToWhatIsGoneBy() throws IOException {
    byte[] pod =
        message(out -> {
          out.writeByteArray(1, metadata());
          out.writeByteArray(2, message(spec -> spec.writeString(10, "node-1")));
          out.writeByteArray(3, status());
          out.writeString(900, "what a newer Kubernetes may say");
        });

    PodList list = read(answer("PodList", list(pod, pod)));

    assertThat(list.getMetadata().getContinue()).isEqualTo("more");
    assertThat(list.getItems()).hasSize(2);
    Pod first = list.getItems().getFirst();
    assertThat(first.getMetadata().getName()).isEqualTo("digits-worker-0");
    assertThat(first.getMetadata().getUid()).isNull();
    assertThat(first.getMetadata().getCreationTimestamp()).isEqualTo("2026-11-18T00:00:00Z");
    assertThat(first.getMetadata().getDeletionTimestamp()).isNull();
    assertThat(first.getMetadata().getLabels()).containsEntry("pliant.dev/job", "digits");
    assertThat(first.getMetadata().getLabels()).containsEntry("empty", "");
    assertThat(first.getMetadata().getOwnerReferences().getFirst().getUid()).isEqualTo("u0");
    assertThat(first.getStatus().getPhase()).isEqualTo("Failed");
    assertThat(first.getStatus().getConditions().getFirst().getType()).isEqualTo("Ready");
    assertThat(first.getStatus().getConditions().getFirst().getReason()).isNull();
    var terminated = first.getStatus().getContainerStatuses().getFirst().getState().getTerminated();
    assertThat(terminated.getExitCode()).isEqualTo(137);
    assertThat(terminated.getFinishedAt()).isNull();
    var waiting = first.getStatus().getInitContainerStatuses().getFirst().getState().getWaiting();
    assertThat(waiting.getReason()).isEqualTo("ImagePullBackOff");
    assertThat(waiting.getMessage()).isEqualTo("no such image");
  }

  @Test
  void aListMayBeEmpty() throws IOException {
    PodList list = read(answer("PodList", list()));

    assertThat(list.getItems()).isEmpty();
    assertThat(list.getMetadata().getResourceVersion()).isEqualTo("42");
  }

  @Test
  void anAnswerThatEndsAnywhereButAtItsEndIsRefused() throws IOException {
    byte[] pod = message(out -> out.writeByteArray(1, metadata()));
    byte[] whole = answer("PodList", list(pod));

    for (int length = 1; length < whole.length - AFTER_THE_LIST; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> read(cut))
          .as("%d bytes of %d", length, whole.length)
          .isInstanceOf(KubernetesClientException.class);
    }
  }

  @Test
  void whatIsNoListOfPodsIsRefused() throws IOException {
    byte[] status = answer("Status", message(out -> out.writeString(3, "no")));

    assertThatThrownBy(() -> read(status))
        .isInstanceOf(KubernetesClientException.class)
        .hasStackTraceContaining("the answer is no PodList: Status");
  }

  private PodList read(byte[] answer) {
    return reading.unmarshal(new ByteArrayInputStream(answer), new TypeReference<PodList>() {});
  }

  /// In its envelope, as the API server sends it; the kind stands first.
  private static byte[] answer(String kind, byte[] object) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    answer.write(new byte[] {'k', '8', 's', 0});
    answer.write(
        message(out -> {
          out.writeByteArray(
              1,
              message(type -> {
                type.writeString(1, "v1");
                type.writeString(2, kind);
              }));
          out.writeByteArray(2, object);
          out.writeString(3, "");
          out.writeString(4, "");
        }));
    return answer.toByteArray();
  }

  private static byte[] list(byte[]... pods) throws IOException {
    return message(out -> {
      out.writeByteArray(
          1,
          message(metadata -> {
            metadata.writeString(1, "");
            metadata.writeString(2, "42");
            metadata.writeString(3, "more");
          }));
      for (byte[] pod : pods) {
        out.writeByteArray(2, pod);
      }
    });
  }

  private static byte[] metadata() throws IOException {
    return message(out -> {
      out.writeString(1, "digits-worker-0");
      out.writeString(5, "");
      out.writeByteArray(8, message(time -> time.writeInt64(1, 1_794_960_000L)));
      out.writeByteArray(11, entry("pliant.dev/job", "digits"));
      out.writeByteArray(11, entry("empty", ""));
      out.writeByteArray(13, message(owner -> owner.writeString(4, "u0")));
    });
  }

  private static byte[] status() throws IOException {
    return message(out -> {
      out.writeString(1, "Failed");
      out.writeByteArray(
          2,
          message(condition -> {
            condition.writeString(1, "Ready");
            condition.writeString(2, "False");
            condition.writeString(5, "");
          }));
      out.writeByteArray(8, container(3, message(ended -> ended.writeInt32(1, 137))));
      out.writeByteArray(
          10,
          container(
              1,
              message(waiting -> {
                waiting.writeString(1, "ImagePullBackOff");
                waiting.writeString(2, "no such image");
              })));
    });
  }

  private static byte[] container(int state, byte[] what) throws IOException {
    return message(out -> {
      out.writeString(1, "main");
      out.writeByteArray(2, message(states -> states.writeByteArray(state, what)));
    });
  }

  private static byte[] entry(String key, String value) throws IOException {
    return message(out -> {
      out.writeString(1, key);
      out.writeString(2, value);
    });
  }

  private static byte[] message(Fields fields) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    fields.write(out);
    out.flush();
    return bytes.toByteArray();
  }
}
