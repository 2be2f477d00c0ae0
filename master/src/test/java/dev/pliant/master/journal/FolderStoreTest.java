package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderStoreTest extends JournalStoreContract {
  /// The magic and the version, before the first frame.
  private static final int PREFIX = 8;

  @TempDir Path folder;

  @Override
  Harness harness() {
    return new Harness() {
      @Override
      public JournalLocation location() {
        return JournalLocation.folder(folder);
      }

      @Override
      public void cutTail() throws IOException {
        byte[] bytes = Files.readAllBytes(segment());
        Files.write(segment(), java.util.Arrays.copyOf(bytes, bytes.length - 3));
      }

      @Override
      public void flipByteOfBatch(int batch) throws IOException {
        List<Integer> frames = frames(Files.readAllBytes(segment()));
        // The first frame is the segment's header.
        flip(segment(), frames.get(batch + 1) + Frames.HEADER);
      }

      @Override
      public void flipByteOfSnapshot(long sequence) throws IOException {
        flip(folder.resolve("%016d.snapshot".formatted(sequence)), PREFIX + Frames.HEADER);
      }
    };
  }

  private Path segment() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".journal")).findFirst().orElseThrow();
    }
  }

  private static List<Integer> frames(byte[] segment) {
    ByteBuffer bytes = ByteBuffer.wrap(segment);
    List<Integer> frames = new ArrayList<>();
    int at = PREFIX;
    while (at < segment.length && bytes.getInt(at) > 0) {
      frames.add(at);
      at += Frames.HEADER + bytes.getInt(at);
    }
    return frames;
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 0x10;
    Files.write(file, bytes);
  }

  @Test
  void onlyTheNewestEpochFileIsKept() throws IOException {
    Disk disk = FolderDisk.of(folder);
    for (int i = 0; i < 2; i++) {
      try (JournalStore store = JournalStores.open(new JournalLocation.Folder(disk), JOB)) {
        assertThat(store.claim()).isEqualTo(i + 1);
      }
    }
    assertThat(disk.list()).containsExactly("epoch-00000002");
  }

  @Test
  void aSnapshotOfAnotherVersionIsRefusedByName() throws IOException {
    try (JournalStore store = JournalStores.open(JournalLocation.folder(folder), JOB)) {
      assertThat(store.claim()).isEqualTo(1);
      store.begin(1);
      store.saveSnapshot(4, new byte[] {1});
      Path snapshot = folder.resolve("0000000000000004.snapshot");
      byte[] bytes = Files.readAllBytes(snapshot);
      bytes[PREFIX - 1] = 2;
      Files.write(snapshot, bytes);

      assertThatThrownBy(store::newestSnapshot)
          .hasMessageContaining("0000000000000004.snapshot")
          .hasMessageContaining("has format version 2, and this Pliant reads only version 3");
    }
  }
}
