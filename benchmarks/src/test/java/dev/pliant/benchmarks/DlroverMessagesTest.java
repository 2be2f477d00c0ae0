package dev.pliant.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DlroverMessagesTest {
  /// `elastic.Message(data=pickle.dumps({'task_id': ID}))`, ID in place of the dots.
  private static final String BEFORE = "1a%02x80049500000000000000007d948c077461736b5f696494";

  private static byte[] answer(String id) {
    String pickle = BEFORE + id + "732e";
    int length = pickle.formatted(0).length() / 2 - 2;
    return HexFormat.of().parseHex(pickle.formatted(length));
  }

  @Test
  void readsATaskIdInEachOfItsForms() {
    assertThat(DlroverMessages.taskId(answer("4b07"))).isEqualTo(7);
    assertThat(DlroverMessages.taskId(answer("4bff"))).isEqualTo(255);
    assertThat(DlroverMessages.taskId(answer("4dffff"))).isEqualTo(65_535);
    assertThat(DlroverMessages.taskId(answer("4a40420f00"))).isEqualTo(1_000_000);
    assertThat(DlroverMessages.taskId(answer("4affffffff"))).isEqualTo(-1);
  }

  @Test
  void anAnswerWithoutATaskIsAFault() {
    assertThatIllegalStateException().isThrownBy(() -> DlroverMessages.taskId(new byte[0]));
  }

  @Test
  void putsATaskIdInPlaceOfThePlaceholder(@TempDir Path folder) throws IOException {
    byte[] recorded = HexFormat.of().parseHex("9494" + "4a" + "c2b3a451" + "7562");
    Files.write(folder.resolve("task-result.bin"), recorded);

    assertThat(new DlroverMessages(folder).taskResult(1_000_000))
        .isEqualTo(HexFormat.of().parseHex("9494" + "4a" + "40420f00" + "7562"));
  }

  @Test
  void tellsATakenReportFromARefusedOne() {
    assertThat(DlroverMessages.success(new byte[] {8, 1})).isTrue();
    assertThat(DlroverMessages.success(new byte[] {8, 0})).isFalse();
    assertThat(DlroverMessages.success(new byte[0])).isFalse();
  }
}
