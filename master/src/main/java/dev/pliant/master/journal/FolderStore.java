package dev.pliant.master.journal;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.pliant.master.journal.Disk.DiskFile;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.journal.v1.Batch;
import dev.pliant.protocol.journal.v1.SegmentHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A journal in a folder: segments of frames, snapshots, and an empty file for the newest epoch.
///
/// A master fences the others by making the file of the next epoch, then reads, then writes a
/// segment of its own. The master before it looks for that file after each forced write and before
/// it answers: what it answered was therefore on disk before the new master read. What it writes
/// later lies behind the first event of the new segment, and nobody reads it.
final class FolderStore implements JournalStore {
  /// What a segment and a snapshot begin with; one byte for the format version follows.
  private static final byte[] SEGMENT_MAGIC = "PLIANTJ".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] SNAPSHOT_MAGIC = "PLIANTS".getBytes(StandardCharsets.US_ASCII);
  private static final int PREFIX = SEGMENT_MAGIC.length + 1;

  private static final Pattern SEGMENT = Pattern.compile("(\\d{16})-(\\d{8})\\.journal");
  private static final Pattern SNAPSHOT = Pattern.compile("(\\d{16})\\.snapshot");
  private static final Pattern EPOCH = Pattern.compile("epoch-(\\d{8})");

  /// Room is made this far ahead, in zeros: forcing a write inside a file is quicker than forcing
  /// one that makes it longer.
  private static final int AHEAD = 1 << 20;

  private final Disk disk;
  private final JobId job;
  private final long epochAbove;
  private long epoch;

  // Asked for after each append: the names of this epoch's file and the next one's.
  private volatile String claimed = epochName(0);
  private volatile String next = epochName(1);

  private @Nullable DiskFile file;
  private String segment = "";

  /// The segment whose last append failed, to be cut at `position`.
  private @Nullable String torn;

  private long position;
  private long allocated;
  private long bytesSinceSnapshot;
  private ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);

  FolderStore(Disk disk, JobId job, long epochAbove) {
    this.disk = disk;
    this.job = job;
    this.epochAbove = epochAbove;
  }

  /// A segment by its name: the first event it holds, and whose it is.
  private record Segment(String name, long firstSequence, long epoch) {}

  @Override
  public void checkVersion() throws IOException {
    for (Segment segment : segments()) {
      try (DiskFile in = disk.open(segment.name)) {
        checkVersion(segment.name, version(in, SEGMENT_MAGIC));
      }
    }
  }

  private void checkVersion(String name, OptionalInt version) {
    if (version.isPresent() && version.getAsInt() != JournalVersion.CURRENT) {
      throw JournalVersion.unsupported(job, name, version.getAsInt());
    }
  }

  /// The format version of a file; empty where the file does not begin with `magic`.
  private static OptionalInt version(DiskFile in, byte[] magic) throws IOException {
    ByteBuffer prefix = ByteBuffer.allocate(PREFIX);
    in.read(prefix, 0);
    return !prefix.hasRemaining()
            && Arrays.equals(prefix.array(), 0, magic.length, magic, 0, magic.length)
        ? OptionalInt.of(prefix.get(PREFIX - 1))
        : OptionalInt.empty();
  }

  private static ByteBuffer putPrefix(ByteBuffer bytes, byte[] magic) {
    return bytes.put(magic).put((byte) JournalVersion.CURRENT);
  }

  @Override
  public long claim() throws IOException {
    checkVersion();
    long taken = take();
    while (newestEpoch() > taken) {
      // Others came and went between the looking and the taking: theirs is the newer word.
      disk.delete(epochName(taken));
      taken = take();
    }
    disk.force();
    epoch = taken;
    claimed = epochName(epoch);
    next = epochName(epoch + 1);
    for (String name : disk.list()) {
      Matcher matcher = EPOCH.matcher(name);
      if (matcher.matches() && Long.parseLong(matcher.group(1)) < epoch) {
        disk.delete(name);
      }
    }
    return epoch;
  }

  /// Takes the first epoch after the newest that nobody else takes.
  private long take() throws IOException {
    long next = newestEpoch() + 1;
    while (!disk.create(epochName(next))) {
      next++;
    }
    return next;
  }

  @Override
  public boolean isFenced() {
    return disk.exists(next) || !disk.exists(claimed);
  }

  private long newestEpoch() throws IOException {
    long newest = epochAbove;
    for (String name : disk.list()) {
      Matcher matcher = EPOCH.matcher(name);
      if (matcher.matches()) {
        newest = Math.max(newest, Long.parseLong(matcher.group(1)));
      }
    }
    for (Segment segment : segments()) {
      newest = Math.max(newest, segment.epoch);
    }
    return newest;
  }

  @Override
  public Optional<StoredSnapshot> newestSnapshot() throws IOException {
    List<String> names = disk.list().reversed();
    for (String name : names) {
      Matcher matcher = SNAPSHOT.matcher(name);
      if (!matcher.matches()) {
        continue;
      }
      try (DiskFile snapshot = disk.open(name)) {
        OptionalInt version = version(snapshot, SNAPSHOT_MAGIC);
        checkVersion(name, version);
        ByteBuffer payload = new Frames(snapshot).read(PREFIX);
        if (version.isPresent() && payload != null) {
          byte[] bytes = new byte[payload.remaining()];
          payload.get(bytes);
          return Optional.of(new StoredSnapshot(Long.parseLong(matcher.group(1)), bytes));
        }
      }
    }
    return Optional.empty();
  }

  @Override
  public void replay(long sequence, BatchVisitor visitor) throws IOException {
    cutTorn();
    List<Segment> segments = segments();
    bytesSinceSnapshot = 0;
    long due = sequence + 1;
    for (int i = 0; i < segments.size(); i++) {
      Segment from = segments.get(i);
      long end = endOf(i, segments);
      if (from.firstSequence >= end || end <= due) {
        continue;
      }
      if (from.firstSequence > due) {
        throw damaged(
            from,
            0,
            "events %d to %d are missing before it".formatted(due, from.firstSequence - 1));
      }
      replay(from, sequence, end, visitor);
      due = end;
    }
  }

  /// The first event that a later segment has, by a newer master or by the same one: what an older
  /// master wrote from there on was never answered, and nobody reads it.
  private static long endOf(int place, List<Segment> segments) {
    return segments.stream()
        .skip(place + 1L)
        .mapToLong(Segment::firstSequence)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /// Cuts what a failed append may have left behind.
  private void cutTorn() throws IOException {
    if (torn != null) {
      try (DiskFile cut = disk.open(torn)) {
        cut.truncate(position);
        cut.force();
      }
      torn = null;
    }
  }

  /// Visits the batches of a segment that hold events after `sequence` and before `end`.
  private void replay(Segment segment, long sequence, long end, BatchVisitor visitor)
      throws IOException {
    try (DiskFile in = disk.open(segment.name)) {
      Frames frames = new Frames(in);
      long at = checkHeader(segment, in, frames, end);
      long next = segment.firstSequence;
      while (next < end) {
        ByteBuffer payload = frames.read(at);
        if (payload == null) {
          // A reader beside a living master may have looked while the frame was being written.
          frames = new Frames(in);
          payload = frames.read(at);
        }
        if (payload == null) {
          checkTorn(segment, frames, at, next, end);
          return;
        }
        int length = payload.remaining();
        Batch batch = parse(segment, at, payload);
        if (batch.getFirstSequence() != next) {
          throw damaged(
              segment,
              at,
              "it holds event %d where %d is due".formatted(batch.getFirstSequence(), next));
        }
        next += batch.getEventsCount();
        if (next > sequence + 1) {
          visitor.visit(batch, new Position(segment.name, at));
          bytesSinceSnapshot += length;
        }
        at += Frames.HEADER + length;
      }
    }
  }

  private Batch parse(Segment segment, long at, ByteBuffer payload) {
    try {
      return Batch.parseFrom(payload);
    } catch (InvalidProtocolBufferException e) {
      throw damaged(segment, at, "its checksum is right, but it cannot be read: " + e.getMessage());
    }
  }

  /// Returns the position after the header. A header that is not whole is that of a master that
  /// died while it made the file: there is nothing behind it.
  private long checkHeader(Segment segment, DiskFile in, Frames frames, long end)
      throws IOException {
    ByteBuffer prefix = ByteBuffer.allocate(PREFIX);
    in.read(prefix, 0);
    if (prefix.hasRemaining() || isZero(prefix.array())) {
      checkTorn(segment, frames, 0, segment.firstSequence, end);
      return frames.size();
    }
    OptionalInt version = version(in, SEGMENT_MAGIC);
    if (version.isEmpty()) {
      throw damaged(segment, 0, "it does not begin as a journal of Pliant's");
    }
    checkVersion(segment.name, version);
    ByteBuffer header = frames.read(PREFIX);
    if (header == null) {
      checkTorn(segment, frames, 0, segment.firstSequence, end);
      return frames.size();
    }
    int length = header.remaining();
    checkJob(segment, header);
    return PREFIX + Frames.HEADER + length;
  }

  private static boolean isZero(byte[] bytes) {
    for (byte b : bytes) {
      if (b != 0) {
        return false;
      }
    }
    return true;
  }

  private void checkJob(Segment segment, ByteBuffer header) {
    try {
      SegmentHeader parsed = SegmentHeader.parseFrom(header);
      if (!parsed.getJob().equals(job.toString())) {
        throw new PliantException(
            ErrorCode.FOREIGN_JOURNAL,
            "the journal in this folder belongs to job %s, not to %s (%s says so). Nothing was changed; name that job, or the folder of this one."
                .formatted(parsed.getJob(), job, segment.name));
      }
    } catch (InvalidProtocolBufferException e) {
      throw damaged(segment, PREFIX, "its header cannot be read: " + e.getMessage());
    }
  }

  /// A bad frame is a torn tail only where no event is due behind it and no whole frame follows.
  private void checkTorn(Segment segment, Frames frames, long at, long next, long end)
      throws IOException {
    if (end != Long.MAX_VALUE && next < end) {
      throw damaged(segment, at, "event %d is missing, and later ones exist".formatted(next));
    }
    long whole = frames.findAfter(at);
    if (whole >= 0) {
      throw damaged(segment, at, "a whole record follows it at byte %d".formatted(whole));
    }
  }

  private PliantException damaged(Segment segment, long at, String what) {
    return new PliantException(
        ErrorCode.DAMAGED_JOURNAL,
        "the journal of job %s is damaged at byte %d of %s: %s. Nothing was changed; restore the file from a copy, or run the job anew."
            .formatted(job, at, segment.name, what));
  }

  @Override
  public void begin(long nextSequence) throws IOException {
    closeFile();
    openSegment(nextSequence);
  }

  @Override
  public void roll(long nextSequence) throws IOException {
    DiskFile full = Objects.requireNonNull(file);
    full.truncate(position);
    closeFile();
    openSegment(nextSequence);
    bytesSinceSnapshot = 0;
  }

  private void openSegment(long nextSequence) throws IOException {
    checkFence();
    String name = "%016d-%08d.journal".formatted(nextSequence, epoch);
    byte[] header =
        SegmentHeader.newBuilder()
            .setJob(job.toString())
            .setEpoch(epoch)
            .setFirstSequence(nextSequence)
            .build()
            .toByteArray();
    DiskFile opened = disk.open(name);
    try {
      opened.truncate(0);
      ByteBuffer bytes = ByteBuffer.allocate(PREFIX + Frames.HEADER + header.length);
      Frames.put(putPrefix(bytes, SEGMENT_MAGIC), PREFIX, header);
      opened.write(bytes.flip(), 0);
      opened.force();
      disk.force();
      position = bytes.limit();
      allocated = position;
      makeRoom(opened, AHEAD);
      file = opened;
      segment = name;
    } catch (IOException e) {
      opened.close();
      throw e;
    }
  }

  @Override
  public void append(Batch batch) throws IOException {
    DiskFile out = file;
    if (out == null) {
      throw new IOException("the journal is not open for writing");
    }
    byte[] payload = batch.toByteArray();
    if (payload.length > Frames.MAX_PAYLOAD) {
      throw new IllegalArgumentException("a batch of " + payload.length + " bytes");
    }
    try {
      int length = Frames.HEADER + payload.length;
      makeRoom(out, length);
      if (buffer.capacity() < length) {
        buffer = ByteBuffer.allocateDirect(Integer.highestOneBit(length) * 2);
      }
      buffer.clear();
      Frames.put(buffer, position, payload);
      out.write(buffer.flip(), position);
      out.force();
      position += length;
      bytesSinceSnapshot += payload.length;
    } catch (IOException e) {
      // What reached the disk is not known, and nobody was answered: it must not be read again.
      torn = segment;
      closeFile();
      throw e;
    }
    checkFence();
  }

  private void checkFence() {
    if (isFenced()) {
      throw FencedMaster.of(epoch, job);
    }
  }

  private void makeRoom(DiskFile out, int length) throws IOException {
    if (position + length <= allocated) {
      return;
    }
    long until = position + Math.max(AHEAD, length);
    ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 16);
    for (long at = allocated; at < until; at += zeros.capacity()) {
      out.write(zeros.clear().limit((int) Math.min(zeros.capacity(), until - at)), at);
    }
    allocated = until;
  }

  @Override
  public long bytesSinceSnapshot() {
    return bytesSinceSnapshot;
  }

  @Override
  public void saveSnapshot(long sequence, byte[] bytes) throws IOException {
    if (bytes.length > Frames.MAX_PAYLOAD) {
      throw new IOException("it has %,d bytes, more than can be read".formatted(bytes.length));
    }
    String name = "%016d.snapshot".formatted(sequence);
    String beside = name + ".tmp";
    try (DiskFile out = disk.open(beside)) {
      out.truncate(0);
      ByteBuffer frame = ByteBuffer.allocate(PREFIX + Frames.HEADER + bytes.length);
      Frames.put(putPrefix(frame, SNAPSHOT_MAGIC), PREFIX, bytes);
      out.write(frame.flip(), 0);
      out.force();
    }
    disk.rename(beside, name);
    disk.force();
    deleteOldSnapshots();
  }

  /// Segments stay, all of them.
  private void deleteOldSnapshots() throws IOException {
    List<String> snapshots =
        disk.list().stream().filter(name -> SNAPSHOT.matcher(name).matches()).toList();
    for (String name : snapshots.subList(0, Math.max(0, snapshots.size() - KEPT_SNAPSHOTS))) {
      disk.delete(name);
    }
  }

  /// Every segment: by epoch, then by first event.
  private List<Segment> segments() throws IOException {
    List<Segment> segments = new ArrayList<>();
    for (String name : disk.list()) {
      Matcher matcher = SEGMENT.matcher(name);
      if (matcher.matches()) {
        segments.add(
            new Segment(name, Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))));
      }
    }
    segments.sort(
        Comparator.comparingLong(Segment::epoch).thenComparingLong(Segment::firstSequence));
    return segments;
  }

  private static String epochName(long number) {
    return "epoch-%08d".formatted(number);
  }

  private void closeFile() throws IOException {
    if (file != null) {
      DiskFile open = file;
      file = null;
      open.close();
    }
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.truncate(position);
    }
    closeFile();
  }
}
