package dev.pliant.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class PiecePrinterTest {
  private final StringWriter out = new StringWriter();
  private final PiecePrinter printer = new PiecePrinter(new PrintWriter(out));

  @Test
  void putsALineTogether() {
    begin("a", "one");
    more("a", " two");
    end("a", " three");
    whole("a", "four");
    assertThat(out).hasToString("[a] one two three\n[a] four\n");
  }

  @Test
  void whatOthersPrintInBetweenStandsOnItsOwnLine() {
    begin("a", "one");
    whole("b", "other");
    more("a", "two");
    begin("b", "another");
    end("a", "three");
    end("b", "end");
    assertThat(out).hasToString("[a] one\n[b] other\n[a] two\n[b] another\n[a] three\n[b] end\n");
  }

  @Test
  void aLineThatWasGivenUpIsEndedByTheNext() {
    begin("a", "one");
    whole("a", "two");
    begin("a", "three");
    printer.endLine();
    printer.endLine();
    end("a", "four");
    assertThat(out).hasToString("[a] one\n[a] two\n[a] three\n[a] four\n");
  }

  private void begin(String log, String text) {
    print(log, new LinePiece(text, true, false));
  }

  private void more(String log, String text) {
    print(log, new LinePiece(text, false, false));
  }

  private void end(String log, String text) {
    print(log, new LinePiece(text, false, true));
  }

  private void whole(String log, String text) {
    print(log, LinePiece.whole(text));
  }

  private void print(String log, LinePiece piece) {
    printer.print(log, "[" + log + "] ", piece);
  }
}
