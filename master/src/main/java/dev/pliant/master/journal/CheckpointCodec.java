package dev.pliant.master.journal;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.pliant.machine.LedgerImage;
import dev.pliant.machine.shards.ShardLedgerImage;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.journal.v1.Ledgers;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/// The ledgers of a checkpoint that is kept outside the master, small enough to come back in one
/// message: without what restoring drops anyway, and packed.
///
/// They begin with two bytes for their form; ledgers of another form are refused.
public final class CheckpointCodec {
  /// What a checkpoint's ledgers may take: less than the longest message by what is around them. Of
  /// shards that are out of order there are a million or more in it; see the test.
  public static final int MAX_BYTES = (4 << 20) - (64 << 10);

  /// What packed ledgers may become, so that damaged ones do not take all of a master's memory.
  private static final int MAX_UNPACKED = 64 << 20;

  private static final int PACKED = 0;
  private static final int FORM = 2;

  private CheckpointCodec() {}

  /// @throws PliantException [ErrorCode#TOO_MANY] where no master would take them back
  public static ByteString encode(long number, List<LedgerImage> ledgers) {
    Ledgers small = small(ledgers);
    if (waitsTooMuch(ledgers) || small.getSerializedSize() > MAX_UNPACKED) {
      throw tooLarge(number);
    }
    ByteString packed = pack(small);
    if (packed.size() > MAX_BYTES) {
      throw tooLarge(number);
    }
    return packed;
  }

  private static boolean waitsTooMuch(List<LedgerImage> ledgers) {
    return ledgers.stream()
        .anyMatch(image ->
            image instanceof LedgerImage.Shards(DatasetSpec _, ShardLedgerImage ledger)
                && ledger.requeued().length + ledger.out().size() > ShardLedgerImage.MAX_WAITING);
  }

  private static PliantException tooLarge(long number) {
    return new PliantException(
        ErrorCode.TOO_MANY,
        "checkpoint %d is taken, but its ledger does not fit into a message: too many shards are out, or done out of order. Restore it by its number, or choose larger shards."
            .formatted(number));
  }

  /// @throws InvalidProtocolBufferException, or a [RuntimeException], where they are no ledgers
  public static List<LedgerImage> decode(ByteString bytes) throws InvalidProtocolBufferException {
    return whole(unpack(bytes));
  }

  /// Without what restoring drops, and without what follows from the rest.
  static Ledgers small(List<LedgerImage> ledgers) {
    return SnapshotCodec.encode(ledgers.stream().map(CheckpointCodec::withoutWaiting).toList());
  }

  /// The ledgers that [#small] made short.
  static List<LedgerImage> whole(Ledgers small) {
    return SnapshotCodec.decode(small).stream().map(CheckpointCodec::withWaiting).toList();
  }

  private static ByteString pack(Ledgers ledgers) {
    ByteString.Output bytes = ByteString.newOutput();
    bytes.write(PACKED);
    bytes.write(FORM);
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    try (DeflaterOutputStream packer = new DeflaterOutputStream(bytes, deflater)) {
      ledgers.writeTo(packer);
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot be written to", e);
    } finally {
      deflater.end();
    }
    return bytes.toByteString();
  }

  private static Ledgers unpack(ByteString bytes) throws InvalidProtocolBufferException {
    if (bytes.size() < 2 || bytes.byteAt(0) != PACKED || bytes.byteAt(1) != FORM) {
      throw new IllegalArgumentException("another version of Pliant wrote its ledger");
    }
    try (InputStream unpacked = new InflaterInputStream(bytes.substring(2).newInput())) {
      byte[] plain = unpacked.readNBytes(MAX_UNPACKED);
      if (unpacked.read() >= 0) {
        throw new IllegalArgumentException(
            "its ledger is larger than %,d bytes".formatted(MAX_UNPACKED));
      }
      return Ledgers.parseFrom(plain);
    } catch (InvalidProtocolBufferException e) {
      throw e;
    } catch (IOException e) {
      throw new IllegalArgumentException("its ledger cannot be unpacked: " + e.getMessage(), e);
    }
  }

  private static LedgerImage withoutWaiting(LedgerImage image) {
    return switch (image) {
      case LedgerImage.Shards(DatasetSpec spec, ShardLedgerImage ledger) ->
          new LedgerImage.Shards(spec, ledger.withoutWaiting());
      case LedgerImage.Steps steps -> steps;
    };
  }

  private static LedgerImage withWaiting(LedgerImage image) {
    return switch (image) {
      case LedgerImage.Shards(DatasetSpec spec, ShardLedgerImage ledger) ->
          new LedgerImage.Shards(spec, ledger.withWaiting());
      case LedgerImage.Steps steps -> steps;
    };
  }
}
