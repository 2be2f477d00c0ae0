package dev.pliant.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LineCutterTest {
  private final LineCutter cutter = new LineCutter();
  private final List<String> taken = new ArrayList<>();

  @Test
  void cutsAtTheEndsOfLinesAlone() {
    cut("10%\r20%\r\n\nan");
    assertThat(taken).containsExactly("10%\r20%", "");
    cut(" end\r\nno end");
    cutter.finish(this::take);
    assertThat(taken).containsExactly("10%\r20%", "", "an end", "no end");
  }

  @Test
  void aLineThatIsTooLongComesInPieces() {
    String piece = "x".repeat(LineCutter.MAX_LINE_BYTES);
    cut(piece + piece + "y\nnext\n");
    assertThat(taken).containsExactly(piece, "+" + piece, "+y", "next");
  }

  @Test
  void forgetsWhatHasBegun() {
    cut("half");
    cutter.reset();
    cut("whole\n");
    assertThat(taken).containsExactly("whole");
  }

  private void cut(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    cutter.cut(bytes, bytes.length, this::take);
  }

  private void take(String text, boolean begins) {
    taken.add(begins ? text : "+" + text);
  }
}
