package dev.pliant.agent.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FramesTest {
  private static FrameReader over(byte[] bytes) {
    return new FrameReader(Channels.newChannel(new ByteArrayInputStream(bytes)));
  }

  private static byte[] framed(byte[]... frames) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FrameWriter writer = new FrameWriter(Channels.newChannel(out));
    for (byte[] frame : frames) {
      writer.write(frame);
    }
    return out.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 16_383, 16_384, 16_385, 65_536, 65_537, 1_000_000, 16 << 20})
  void whatIsWrittenIsRead(int size) throws IOException {
    byte[] frame = new byte[size];
    new SplittableRandom(size).nextBytes(frame);
    FrameReader reader = over(framed(frame, new byte[] {1}));
    assertThat(reader.read().orElseThrow()).isEqualTo(frame);
    assertThat(reader.read().orElseThrow()).containsExactly(1);
    assertThat(reader.read()).isEmpty();
  }

  @Test
  void lengthIsBigEndian() throws IOException {
    assertThat(framed(new byte[258])).startsWith(0, 0, 1, 2);
  }

  @Test
  void frameThatIsTooLongIsRefusedByItsLengthAlone() {
    for (int length : new int[] {(16 << 20) + 1, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> over(ByteBuffer.allocate(4).putInt(length).array()).read())
          .isInstanceOfSatisfying(
              PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_MANY));
    }
    assertThatThrownBy(() -> framed(new byte[(16 << 20) + 1])).isInstanceOf(PliantException.class);
  }

  @Test
  void endInsideAFrameIsSaid() throws IOException {
    byte[] whole = framed(new byte[100]);
    for (int end = 1; end < whole.length; end++) {
      byte[] cut = Arrays.copyOf(whole, end);
      assertThatThrownBy(() -> over(cut).read()).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void promiseOfALongFrameTakesNoMemory() {
    InputStream endless =
        new InputStream() {
          private int given;

          @Override
          public int read() {
            return given++ < 4 ? (given == 1 ? 0 : 0xFF) : -1;
          }
        };
    assertThatThrownBy(() -> new FrameReader(Channels.newChannel(endless)).read())
        .isInstanceOf(EOFException.class)
        .hasMessageContaining("after 0 of a frame's 16,777,215 bytes");
  }

  @Test
  void malformedBytesNeverDoMoreThanBeRefused() {
    long seed = new SplittableRandom().nextLong();
    System.out.println("FramesTest: seed " + seed);
    SplittableRandom chance = new SplittableRandom(seed);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = new byte[chance.nextInt(200)];
      chance.nextBytes(bytes);
      if (chance.nextBoolean() && bytes.length > 3) {
        bytes[0] = 0;
        bytes[1] = 0;
        bytes[2] = 0;
      }
      FrameReader reader = over(bytes);
      try {
        while (reader.read().isPresent()) {}
      } catch (IOException | PliantException _) {
        // Refused.
      }
    }
  }
}
