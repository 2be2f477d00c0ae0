package dev.pliant.machine.shards;

import dev.pliant.model.DatasetSpec;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;

/// What became of the steps of one dataset: everything before (`epoch`, `step`) is committed, the
/// last of it by world `world`. Steps are committed in order, so this is all there is to know.
public final class StepLedger {
  /// What a commit comes to.
  public enum Verdict {
    TAKEN,
    REPEATED,
    OLD_WORLD,
    GAP
  }

  /// The ledger as a value.
  public record Image(long epoch, long step, long world) {
    /// Says why the ledger of a dataset cannot be this; nothing where it can.
    public String troubleWith(DatasetSpec spec) {
      boolean ended = epoch == spec.epochs() && step == 0;
      boolean under =
          epoch >= 0 && epoch < spec.epochs() && step >= 0 && step < spec.partsPerEpoch();
      return (ended || under) && world >= 0 ? "" : "there is no " + this;
    }
  }

  private final DatasetSpec spec;
  private Image image;

  public StepLedger(DatasetSpec spec, Image image) {
    this.spec = spec;
    this.image = image;
  }

  public DatasetSpec spec() {
    return spec;
  }

  public Image image() {
    return image;
  }

  public boolean isComplete() {
    return image.epoch == spec.epochs();
  }

  public long recordsDone() {
    return image.epoch * spec.size() + image.step * spec.partSize();
  }

  /// Judges a commit, changing nothing.
  ///
  /// @param through whether the steps before it are committed with it
  /// @param newest the newest world that was formed: what an older one says no longer counts
  public Verdict judge(long epoch, long step, long world, boolean through, long newest) {
    long perEpoch = spec.partsPerEpoch();
    if (epoch < 0 || epoch >= spec.epochs() || step < 0 || step >= perEpoch) {
      throw new PliantException(
          ErrorCode.OUT_OF_RANGE,
          "dataset '%s' has %,d epochs of %,d steps; there is no step %,d of epoch %,d (both count from 0)."
              .formatted(spec.name(), spec.epochs(), perEpoch, step, epoch));
    }
    if (epoch < image.epoch || (epoch == image.epoch && step < image.step)) {
      return Verdict.REPEATED;
    }
    if (world < image.world || world < newest) {
      return Verdict.OLD_WORLD;
    }
    return through || stepsThrough(epoch, step) == 1 ? Verdict.TAKEN : Verdict.GAP;
  }

  /// How many steps are committed once this one and all before it are.
  public long stepsThrough(long epoch, long step) {
    return (epoch - image.epoch) * spec.partsPerEpoch() + step - image.step + 1;
  }

  /// @param count how many steps, up to and with this one
  public void committed(long epoch, long step, long count, long world) {
    if (count < 1 || stepsThrough(epoch, step) != count) {
      throw new IllegalStateException(
          "dataset '%s': %d steps up to step %d of epoch %d committed, but the next is %s"
              .formatted(spec.name(), count, step, epoch, image));
    }
    image =
        step + 1 == spec.partsPerEpoch()
            ? new Image(epoch + 1, 0, world)
            : new Image(epoch, step + 1, world);
  }
}
