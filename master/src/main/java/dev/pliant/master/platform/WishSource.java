package dev.pliant.master.platform;

import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.model.JobPlan;
import java.io.IOException;

/// Where users of a platform say what they wish of a job.
public interface WishSource extends AutoCloseable {
  /// Nobody wishes anything.
  WishSource NONE =
      new WishSource() {
        @Override
        public void watch(Taker taker) {}

        @Override
        public void close() {}
      };

  /// Takes wishes up. May block; what fails is to be told again.
  interface Taker {
    /// The job's own plan is this, or has become this.
    void define(JobPlan plan) throws IOException;

    /// The job is to rest, or to go on.
    void rest(Rest rest) throws IOException;

    /// Takes a wish up, or gives the answer that it got before.
    Wish.Taken take(Wish wish) throws IOException;

    /// Notes a wish that was done once, where the journal that knew of it is lost.
    void recall(Wish wish) throws IOException;
  }

  /// Has `taker` hear of every wish from now on, those included that nobody has taken up yet. Where
  /// that fails it is asked again.
  void watch(Taker taker);

  /// Whether the job is to rest now. Asked before anything is done about nodes that are gone.
  default Rest rest() throws IOException {
    return Rest.NONE;
  }

  /// Tells nothing more.
  @Override
  void close();
}
