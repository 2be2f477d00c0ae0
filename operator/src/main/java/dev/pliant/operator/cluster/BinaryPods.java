package dev.pliant.operator.cluster;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ListMeta;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A list of pods in Kubernetes' binary form, of which is read what [Slim] keeps. The API server
/// writes it in a fraction of the time that JSON takes it, and whatever nobody asks for is skipped
/// by its length. The numbers are those of the fields in Kubernetes' own definitions, where a
/// number never changes its meaning.
final class BinaryPods {
  static final String MEDIA_TYPE = "application/vnd.kubernetes.protobuf";

  /// What an answer in this form begins with; no JSON does.
  private static final byte[] BEGINNING = {'k', '8', 's', 0};

  private static final String KIND = "PodList";

  private final CodedInputStream in;

  private BinaryPods(CodedInputStream in) {
    this.in = in;
  }

  static boolean begins(int first) {
    return first == BEGINNING[0];
  }

  /// @throws IOException also where the answer is something else, or ends too early
  static PodList list(InputStream answer) throws IOException {
    if (!Arrays.equals(answer.readNBytes(BEGINNING.length), BEGINNING)) {
      throw new InvalidProtocolBufferException("an answer in binary form does not begin so");
    }
    return new BinaryPods(CodedInputStream.newInstance(answer)).envelope();
  }

  /// Reads the field of that number, or skips it.
  private interface Fields {
    void read(int number) throws IOException;
  }

  private void each(Fields fields) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      fields.read(WireFormat.getTagFieldNumber(tag));
    }
  }

  /// The fields of the message that stands here.
  private void within(Fields fields) throws IOException {
    int before = in.pushLimit(in.readRawVarint32());
    each(fields);
    if (in.getBytesUntilLimit() != 0) {
      throw new InvalidProtocolBufferException("the answer ends in the middle of a message");
    }
    in.popLimit(before);
  }

  private void skip() throws IOException {
    in.skipField(in.getLastTag());
  }

  /// What kind of object it is stands before the object.
  private PodList envelope() throws IOException {
    PodList list = new PodList();
    list.setMetadata(new ListMeta());
    StringBuilder kind = new StringBuilder();
    each(number -> {
      switch (number) {
        case 1 -> within(type -> kind(type, kind));
        case 2 -> within(field -> list(field, list));
        default -> skip();
      }
    });
    if (!KIND.contentEquals(kind)) {
      throw new InvalidProtocolBufferException("the answer is no %s: %s".formatted(KIND, kind));
    }
    if (list.getMetadata().getResourceVersion() == null) {
      throw new InvalidProtocolBufferException("the answer ends before its list");
    }
    return list;
  }

  private void kind(int number, StringBuilder kind) throws IOException {
    switch (number) {
      case 2 -> kind.append(in.readString());
      default -> skip();
    }
  }

  private void list(int number, PodList list) throws IOException {
    switch (number) {
      case 1 -> within(field -> metadata(field, list.getMetadata()));
      case 2 -> list.getItems().add(pod());
      default -> skip();
    }
  }

  private void metadata(int number, ListMeta metadata) throws IOException {
    switch (number) {
      case 2 -> metadata.setResourceVersion(text());
      case 3 -> metadata.setContinue(text());
      case 4 -> metadata.setRemainingItemCount(in.readInt64());
      default -> skip();
    }
  }

  private Pod pod() throws IOException {
    Pod pod = new Pod();
    pod.setMetadata(new ObjectMeta());
    pod.setStatus(new PodStatus());
    within(number -> {
      switch (number) {
        case 1 -> within(field -> metadata(field, pod.getMetadata()));
        case 3 -> within(field -> status(field, pod.getStatus()));
        default -> skip(); // Its spec is the longest part of a pod.
      }
    });
    return pod;
  }

  private void metadata(int number, ObjectMeta metadata) throws IOException {
    switch (number) {
      case 1 -> metadata.setName(text());
      case 3 -> metadata.setNamespace(text());
      case 5 -> metadata.setUid(text());
      case 6 -> metadata.setResourceVersion(text());
      case 8 -> metadata.setCreationTimestamp(time());
      case 9 -> metadata.setDeletionTimestamp(time());
      case 10 -> metadata.setDeletionGracePeriodSeconds(in.readInt64());
      case 11 -> entry(metadata.getLabels());
      case 12 -> entry(metadata.getAnnotations());
      case 13 -> metadata.getOwnerReferences().add(owner());
      default -> skip();
    }
  }

  private void entry(Map<String, String> map) throws IOException {
    String[] pair = {"", ""};
    within(number -> {
      switch (number) {
        case 1, 2 -> pair[number - 1] = in.readString();
        default -> skip();
      }
    });
    map.put(pair[0], pair[1]);
  }

  private OwnerReference owner() throws IOException {
    OwnerReference owner = new OwnerReference();
    within(number -> {
      switch (number) {
        case 1 -> owner.setKind(text());
        case 3 -> owner.setName(text());
        case 4 -> owner.setUid(text());
        case 5 -> owner.setApiVersion(text());
        case 6 -> owner.setController(in.readBool());
        case 7 -> owner.setBlockOwnerDeletion(in.readBool());
        default -> skip();
      }
    });
    return owner;
  }

  private void status(int number, PodStatus status) throws IOException {
    switch (number) {
      case 1 -> status.setPhase(text());
      case 2 -> status.getConditions().add(condition());
      case 8 -> status.getContainerStatuses().add(container());
      case 10 -> status.getInitContainerStatuses().add(container());
      default -> skip();
    }
  }

  private PodCondition condition() throws IOException {
    PodCondition condition = new PodCondition();
    within(number -> {
      switch (number) {
        case 1 -> condition.setType(text());
        case 2 -> condition.setStatus(text());
        case 5 -> condition.setReason(text());
        case 6 -> condition.setMessage(text());
        default -> skip();
      }
    });
    return condition;
  }

  private ContainerStatus container() throws IOException {
    ContainerStatus container = new ContainerStatus();
    container.setState(new ContainerState());
    within(number -> {
      switch (number) {
        case 1 -> container.setName(text());
        case 2 -> within(field -> state(field, container.getState()));
        default -> skip();
      }
    });
    return container;
  }

  private void state(int number, ContainerState state) throws IOException {
    switch (number) {
      case 1 -> state.setWaiting(waiting());
      case 3 -> state.setTerminated(terminated());
      default -> skip();
    }
  }

  private ContainerStateWaiting waiting() throws IOException {
    ContainerStateWaiting waiting = new ContainerStateWaiting();
    within(number -> {
      switch (number) {
        case 1 -> waiting.setReason(text());
        case 2 -> waiting.setMessage(text());
        default -> skip();
      }
    });
    return waiting;
  }

  private ContainerStateTerminated terminated() throws IOException {
    ContainerStateTerminated terminated = new ContainerStateTerminated();
    within(number -> {
      switch (number) {
        case 1 -> terminated.setExitCode(in.readInt32());
        case 3 -> terminated.setReason(text());
        case 6 -> terminated.setFinishedAt(time());
        default -> skip();
      }
    });
    return terminated;
  }

  /// As in JSON, what is empty is not there.
  private @Nullable String text() throws IOException {
    String text = in.readString();
    return text.isEmpty() ? null : text;
  }

  private @Nullable String time() throws IOException {
    long[] seconds = {0};
    within(number -> {
      switch (number) {
        case 1 -> seconds[0] = in.readInt64();
        default -> skip();
      }
    });
    return seconds[0] == 0 ? null : Instant.ofEpochSecond(seconds[0]).toString();
  }
}
