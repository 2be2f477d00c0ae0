package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.master.journal.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the journal asks of a disk: the real one and the one that forgets alike.
class DiskContractTest {
  abstract static class Contract {
    abstract Disk disk() throws IOException;

    @Test
    void readsWhatWasWrittenAndStopsAtTheEnd() throws IOException {
      Disk disk = disk();
      try (DiskFile file = disk.open("a")) {
        file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 2);
        ByteBuffer read = ByteBuffer.allocate(9);
        file.read(read, 1);
        assertThat(read.position()).isEqualTo(4);
        assertThat(read.array()).startsWith(0, 1, 2, 3);
        assertThat(file.size()).isEqualTo(5);
        file.truncate(3);
        assertThat(file.size()).isEqualTo(3);
        file.truncate(30);
        assertThat(file.size()).isEqualTo(3);
      }
    }

    @Test
    void makesAFileOnce() throws IOException {
      Disk disk = disk();
      assertThat(disk.create("epoch")).isTrue();
      assertThat(disk.create("epoch")).isFalse();
      assertThat(disk.exists("epoch")).isTrue();
      disk.delete("epoch");
      assertThat(disk.exists("epoch")).isFalse();
    }

    @Test
    void renamesOverWhatIsThere() throws IOException {
      Disk disk = disk();
      for (String name : new String[] {"old", "new"}) {
        try (DiskFile file = disk.open(name)) {
          file.write(ByteBuffer.wrap(name.getBytes(java.nio.charset.StandardCharsets.UTF_8)), 0);
          file.force();
        }
      }
      disk.rename("new", "old");
      disk.force();
      assertThat(disk.list()).containsExactly("old");
      try (DiskFile file = disk.open("old")) {
        ByteBuffer read = ByteBuffer.allocate(3);
        file.read(read, 0);
        assertThat(read.array()).isEqualTo(new byte[] {'n', 'e', 'w'});
      }
    }
  }

  @Nested
  class OfFolder extends Contract {
    @TempDir Path folder;

    @Override
    Disk disk() throws IOException {
      return FolderDisk.make(folder.resolve("journal"));
    }
  }

  @Nested
  class OfForgetfulDisk extends Contract {
    @Override
    Disk disk() {
      return new ForgetfulDisk();
    }
  }
}
