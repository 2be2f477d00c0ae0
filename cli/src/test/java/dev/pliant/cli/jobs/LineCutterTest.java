package dev.pliant.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LineCutterTest {
  private final LineCutter cutter = new LineCutter();
  private final List<LinePiece> taken = new ArrayList<>();

  @Test
  void cutsAtTheEndsOfLinesAlone() {
    cut("10%\r20%\r\n\nan");
    assertThat(taken).containsExactly(LinePiece.whole("10%\r20%"), LinePiece.whole(""));
    assertThat(cutter.unfinished()).asString(StandardCharsets.UTF_8).isEqualTo("an");
    cut(" end\r\nno end");
    cutter.finish(taken::add);
    assertThat(taken.subList(2, 4))
        .containsExactly(LinePiece.whole("an end"), LinePiece.whole("no end"));
    assertThat(cutter.unfinished()).isEmpty();
  }

  @Test
  void aLineThatIsTooLongComesInPieces() {
    String piece = "x".repeat(LineCutter.MAX_PIECE_BYTES);
    cut(piece + piece + "y\nnext\n");
    assertThat(taken)
        .containsExactly(
            new LinePiece(piece, true, false),
            new LinePiece(piece, false, false),
            new LinePiece("y", false, true),
            LinePiece.whole("next"));
  }

  /// Each of them lies across the place where a piece would be full, a byte further each time.
  @ParameterizedTest
  @ValueSource(strings = {"é", "€", "𝄞", "\r", "\r\r"})
  void noPieceEndsInsideACharacter(String character) {
    for (int before = 0; before < 6; before++) {
      taken.clear();
      String line = "x".repeat(LineCutter.MAX_PIECE_BYTES - before) + character + "y".repeat(10);
      cut(line + "\n");
      assertThat(taken).as("%d bytes before", before).hasSizeGreaterThan(1);
      assertThat(joined()).isEqualTo(line);
    }
  }

  @Test
  void aCarriageReturnIsLeftOutAtTheEndOfALineAlone() {
    for (int before = 0; before < 3; before++) {
      taken.clear();
      String line = "x".repeat(LineCutter.MAX_PIECE_BYTES - before);
      cut(line + "\r\n");
      assertThat(joined()).as("%d bytes before", before).isEqualTo(line);
    }
  }

  @Test
  void whatIsNoTextComesToo() {
    byte[] bytes = new byte[2 * LineCutter.MAX_PIECE_BYTES];
    Arrays.fill(bytes, (byte) 0x80);
    cutter.cut(bytes, bytes.length, taken::add);
    cutter.finish(taken::add);
    assertThat(joined()).isEqualTo("\uFFFD".repeat(bytes.length));
  }

  @Test
  void forgetsWhatHasBegun() {
    cut("half");
    cutter.reset();
    cut("whole\n");
    assertThat(taken).containsExactly(LinePiece.whole("whole"));
  }

  private void cut(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    cutter.cut(bytes, bytes.length, taken::add);
  }

  private String joined() {
    return taken.stream().map(LinePiece::text).collect(Collectors.joining());
  }
}
