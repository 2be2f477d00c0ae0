package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.master.journal.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FramesTest {
  @TempDir Path folder;

  /// A short one has three bytes of zero before its length, a longer one fewer.
  @ParameterizedTest
  @ValueSource(ints = {1, 300, 70_000})
  void aFrameIsFoundWhereverItLiesAmongZeros(int length) throws IOException {
    byte[] payload = new byte[length];
    payload[length - 1] = 1;
    for (int place = 1; place <= 24; place++) {
      try (DiskFile file = FolderDisk.of(folder).open("frames" + place)) {
        ByteBuffer frame = ByteBuffer.allocate(Frames.HEADER + length);
        Frames.put(frame, place, payload);
        file.write(frame.flip(), place);
        file.write(ByteBuffer.allocate(40), place + Frames.HEADER + length);

        assertThat(new Frames(file).findAfter(0)).isEqualTo(place);
        assertThat(new Frames(file).findAfter(place)).isEqualTo(-1);
      }
    }
  }
}
