package dev.pliant.agent.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.agent.json.JsonObject;
import dev.pliant.agent.json.JsonReader;
import dev.pliant.model.ExitReason;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminationMessageTest {
  @TempDir Path folder;

  private static NodeEnd end(String message) {
    return new NodeEnd(3, ExitReason.FATAL_ERROR, message, Optional.empty());
  }

  @Test
  void saysAllThatFits() throws Exception {
    Path file = folder.resolve("termination-log");
    TerminationMessage.write(file, end("no data"));
    assertThat(file).hasContent("{\"code\":3,\"reason\":\"FATAL_ERROR\",\"message\":\"no data\"}");
  }

  @Test
  void ofALongMessageTheEndFitsHoweverItIsEncoded() throws Exception {
    for (String letter : new String[] {"x", "\n", "ü", "\u0001", "😀"}) {
      byte[] bytes = TerminationMessage.fitting(end(letter.repeat(9_000) + "the end"));
      assertThat(bytes).hasSizeLessThanOrEqualTo(TerminationMessage.MAX_BYTES);
      JsonObject read = JsonReader.read(bytes);
      assertThat(read.number("code", 0)).isEqualTo(3);
      assertThat(read.text("message"))
          .as(new String(bytes, UTF_8))
          .startsWith("…")
          .endsWith("the end");
    }
  }
}
