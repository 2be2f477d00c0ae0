package dev.pliant.benchmarks;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// DLRover's requests and answers as bytes. Its messages are pickled Python objects in a protobuf
/// envelope; DLRover's own classes made the ones in the folder (see `dlrover/messages.py`), and
/// only the id of a task is read from, or put into, such bytes here.
final class DlroverMessages {
  private static final byte[] TASK_ID = "task_id".getBytes(StandardCharsets.US_ASCII);
  private static final int PLACEHOLDER = 0x51A4B3C2;
  private static final int BININT = 'J';
  private static final int BININT1 = 'K';
  private static final int BININT2 = 'M';
  private static final int DATA_FIELD = 3;

  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  /// Asks for a task.
  static final MethodDescriptor<byte[], byte[]> GET = method("elastic.Master/get");

  /// Reports a task, or registers a dataset.
  static final MethodDescriptor<byte[], byte[]> REPORT = method("elastic.Master/report");

  private final Path folder;
  private final byte[] taskResult;
  private final int taskIdAt;

  DlroverMessages(Path folder) throws IOException {
    this.folder = folder;
    this.taskResult = Files.readAllBytes(folder.resolve("task-result.bin"));
    this.taskIdAt = placeOf(PLACEHOLDER, taskResult);
  }

  Path proto() {
    return folder.resolve("elastic_training.proto");
  }

  Path getTaskFile() {
    return folder.resolve("get-task.bin");
  }

  byte[] getTask() throws IOException {
    return Files.readAllBytes(getTaskFile());
  }

  byte[] dataset() throws IOException {
    return Files.readAllBytes(folder.resolve("dataset.bin"));
  }

  /// The report that a task is done.
  byte[] taskResult(int taskId) {
    byte[] message = taskResult.clone();
    ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).putInt(taskIdAt, taskId);
    return message;
  }

  /// The id in the answer to a `get`. The end of a dataset and an unknown one have ids too (-1, 0):
  /// callers check what they got against what they expect.
  static int taskId(byte[] answer) {
    ByteBuffer pickle = data(answer).order(ByteOrder.LITTLE_ENDIAN);
    int at = indexOf(TASK_ID, pickle);
    if (at < 0) {
      throw new IllegalStateException("DLRover's answer holds no task");
    }
    // The key, MEMOIZE, then the number in the shortest of three forms.
    int form = at + TASK_ID.length + 1;
    return switch (pickle.get(form)) {
      case BININT1 -> pickle.get(form + 1) & 0xff;
      case BININT2 -> pickle.getShort(form + 1) & 0xffff;
      case BININT -> pickle.getInt(form + 1);
      default ->
          throw new IllegalStateException("a task id in an unknown form: " + pickle.get(form));
    };
  }

  /// Whether a report was taken: `Response.success`, field 1.
  static boolean success(byte[] answer) {
    return answer.length >= 2 && answer[0] == 0x08 && answer[1] == 1;
  }

  private static ByteBuffer data(byte[] message) {
    try {
      CodedInputStream in = CodedInputStream.newInstance(message);
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag >>> 3 == DATA_FIELD) {
          ByteString data = in.readBytes();
          return ByteBuffer.wrap(data.toByteArray());
        }
        in.skipField(tag);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("DLRover's answer is no elastic.Message", e);
    }
    throw new IllegalStateException("DLRover's answer is empty");
  }

  private static int placeOf(int placeholder, byte[] message) {
    ByteBuffer bytes = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at + 4 <= message.length; at++) {
      if (bytes.getInt(at) == placeholder) {
        return at;
      }
    }
    throw new IllegalStateException("task-result.bin does not hold the placeholder of its task id");
  }

  private static int indexOf(byte[] needle, ByteBuffer haystack) {
    for (int at = 0; at + needle.length <= haystack.limit(); at++) {
      if (haystack.slice(at, needle.length).equals(ByteBuffer.wrap(needle))) {
        return at;
      }
    }
    return -1;
  }

  private static MethodDescriptor<byte[], byte[]> method(String name) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(name)
        .setRequestMarshaller(BYTES)
        .setResponseMarshaller(BYTES)
        .build();
  }
}
