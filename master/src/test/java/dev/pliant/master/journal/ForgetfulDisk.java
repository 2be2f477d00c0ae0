package dev.pliant.master.journal;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// A disk that loses its power: what was not forced is gone, or there in parts and out of order, as
/// a real one may leave it. It can also run full. Passes the same contract as [FolderDisk].
public final class ForgetfulDisk implements Disk {
  private static final int SECTOR = 512;

  /// A write that was not forced yet.
  private record Write(long position, byte[] bytes) {}

  private static final class File {
    byte[] forced = {};
    byte[] seen = {};
    final List<Write> unforced = new ArrayList<>();
    boolean truncated;
  }

  private final TreeMap<String, File> seen = new TreeMap<>();
  private final TreeMap<String, File> forcedNames = new TreeMap<>();
  private long capacity = Long.MAX_VALUE;
  private long operationsLeft = Long.MAX_VALUE;
  private boolean dead;

  /// Lets the power fail in the middle of an operation to come.
  public synchronized void failAfter(long operations) {
    operationsLeft = operations;
  }

  /// Sets how many bytes the files may have together.
  public synchronized void limit(long bytes) {
    capacity = bytes;
  }

  public synchronized long used() {
    return seen.values().stream().mapToLong(f -> f.seen.length).sum();
  }

  /// What is found when the power is back.
  public synchronized ForgetfulDisk afterPowerCut(SplittableRandom random) {
    dead = true;
    ForgetfulDisk found = new ForgetfulDisk();
    TreeMap<String, File> names = random.nextBoolean() ? forcedNames : seen;
    names.forEach((name, file) -> {
      File left = new File();
      left.forced = partOf(file, random);
      left.seen = left.forced.clone();
      found.seen.put(name, left);
      found.forcedNames.put(name, left);
    });
    return found;
  }

  /// The forced bytes, and of the others any sectors or none.
  private static byte[] partOf(File file, SplittableRandom random) {
    byte[] bytes = file.truncated && random.nextBoolean() ? file.seen.clone() : file.forced.clone();
    int mode = random.nextInt(3);
    for (Write write : mode == 0 ? List.<Write>of() : file.unforced) {
      for (int from = 0; from < write.bytes.length; ) {
        int to =
            (int) Math.min(write.bytes.length, from + SECTOR - (write.position + from) % SECTOR);
        if (mode == 1 || random.nextBoolean()) {
          bytes = put(bytes, write.position + from, Arrays.copyOfRange(write.bytes, from, to));
        }
        from = to;
      }
    }
    return bytes;
  }

  private static byte[] put(byte[] into, long position, byte[] bytes) {
    byte[] grown = Arrays.copyOf(into, (int) Math.max(into.length, position + bytes.length));
    System.arraycopy(bytes, 0, grown, (int) position, bytes.length);
    return grown;
  }

  /// The bytes of a file, to be looked at or damaged.
  public synchronized byte[] bytes(String name) {
    return java.util.Objects.requireNonNull(seen.get(name)).seen.clone();
  }

  public synchronized void setBytes(String name, byte[] bytes) {
    File file = new File();
    file.forced = bytes.clone();
    file.seen = bytes.clone();
    seen.put(name, file);
    forcedNames.put(name, file);
  }

  /// A disk with the same files.
  public synchronized ForgetfulDisk copy() {
    ForgetfulDisk copy = new ForgetfulDisk();
    seen.forEach((name, file) -> copy.setBytes(name, file.seen));
    return copy;
  }

  private void operate() throws IOException {
    if (dead || operationsLeft-- <= 0) {
      dead = true;
      throw new IOException("the power is gone");
    }
  }

  @Override
  public synchronized List<String> list() throws IOException {
    operate();
    return List.copyOf(seen.keySet());
  }

  @Override
  public synchronized DiskFile open(String name) throws IOException {
    operate();
    return new OpenFile(seen.computeIfAbsent(name, _ -> new File()));
  }

  @Override
  public synchronized boolean create(String name) throws IOException {
    operate();
    return seen.putIfAbsent(name, new File()) == null;
  }

  @Override
  public synchronized boolean exists(String name) {
    return seen.containsKey(name);
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    operate();
    File file = seen.remove(from);
    if (file == null) {
      throw new FileNotFoundException(from);
    }
    seen.put(to, file);
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    operate();
    seen.remove(name);
  }

  @Override
  public synchronized void force() throws IOException {
    operate();
    forcedNames.clear();
    forcedNames.putAll(seen);
  }

  private final class OpenFile implements DiskFile {
    private final File file;

    OpenFile(File file) {
      this.file = file;
    }

    @Override
    public long size() {
      synchronized (ForgetfulDisk.this) {
        return file.seen.length;
      }
    }

    @Override
    public void read(ByteBuffer buffer, long position) throws IOException {
      synchronized (ForgetfulDisk.this) {
        operate();
        int count = (int) Math.min(buffer.remaining(), Math.max(0, file.seen.length - position));
        if (count > 0) {
          buffer.put(file.seen, (int) position, count);
        }
      }
    }

    @Override
    public void write(ByteBuffer buffer, long position) throws IOException {
      synchronized (ForgetfulDisk.this) {
        operate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        long grows = Math.max(0, position + bytes.length - file.seen.length);
        long room = Math.max(0, capacity - used());
        boolean full = grows > room;
        if (full) {
          bytes = Arrays.copyOf(bytes, (int) Math.max(0, bytes.length - (grows - room)));
        }
        file.seen = put(file.seen, position, bytes);
        file.unforced.add(new Write(position, bytes));
        if (full) {
          throw new IOException("No space left on device");
        }
      }
    }

    @Override
    public void truncate(long size) throws IOException {
      synchronized (ForgetfulDisk.this) {
        operate();
        if (size < file.seen.length) {
          file.seen = Arrays.copyOf(file.seen, (int) size);
          file.truncated = true;
        }
      }
    }

    @Override
    public void force() throws IOException {
      synchronized (ForgetfulDisk.this) {
        operate();
        file.forced = file.seen.clone();
        file.unforced.clear();
        file.truncated = false;
      }
    }

    @Override
    public void close() {}
  }
}
