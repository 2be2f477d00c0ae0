package dev.pliant.agent.processes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class EchoTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(printed, false, UTF_8);

  private void print(Echo echo, String... parts) {
    for (String part : parts) {
      byte[] bytes = part.getBytes(UTF_8);
      echo.print(bytes, bytes.length);
    }
  }

  @Test
  void aloneItPrintsBytesAsTheyCome() {
    print(new Echo(out, ""), "10 %\r", "20 %");
    assertThat(printed).hasToString("10 %\r20 %");
  }

  @Test
  void linesOfSeveralAreNamedAndNeverMixed() {
    Echo first = new Echo(out, "[a] ");
    Echo second = new Echo(out, "[b] ");
    print(first, "one ");
    print(second, "two\nth");
    print(first, "done\n");
    print(second, "ree");
    second.end();
    first.end();
    assertThat(printed).hasToString("[b] two\n[a] one done\n[b] three\n");
  }

  @Test
  void aLineWithoutEndIsPrintedInParts() {
    Echo echo = new Echo(out, "[a] ");
    print(echo, "x".repeat((64 << 10) + 1));
    assertThat(printed.toString(UTF_8)).startsWith("[a] xxx").endsWith("x\n");
    echo.end();
    assertThat(printed.toString(UTF_8)).endsWith("\n[a] x\n");
  }
}
