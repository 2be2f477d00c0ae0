package dev.pliant.master.owner;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.Outlook;
import dev.pliant.model.PliantException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Wakes the machine when a deadline is due: the machine itself knows no clock.
public final class Deadlines implements OutlookListener {
  private static final Logger log = LoggerFactory.getLogger(Deadlines.class);

  /// How soon a deadline is looked at again that has been due before.
  private static final long AGAIN_MILLIS = 20;

  /// No longer than this at once: the clock may be set meanwhile.
  private static final long LONGEST_MILLIS = 60_000;

  private final JobOwner owner;
  private final InstantSource clock;
  private final ScheduledExecutorService timers;

  private long deadlineMillis = Long.MAX_VALUE;
  private @Nullable ScheduledFuture<?> due;

  public Deadlines(JobOwner owner, InstantSource clock, ScheduledExecutorService timers) {
    this.owner = owner;
    this.clock = clock;
    this.timers = timers;
  }

  @Override
  public synchronized void changed(Outlook outlook) {
    if (outlook.nextDeadlineMillis() != deadlineMillis) {
      deadlineMillis = outlook.nextDeadlineMillis();
      arm(0);
    }
  }

  private synchronized void arm(long notBeforeMillis) {
    if (due != null) {
      due.cancel(false);
      due = null;
    }
    if (deadlineMillis == Long.MAX_VALUE) {
      return;
    }
    long delay = Math.max(notBeforeMillis, deadlineMillis - clock.millis());
    try {
      due =
          timers.schedule(this::look, Math.clamp(delay, 0, LONGEST_MILLIS), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("no more deadlines: the master is stopping");
    }
  }

  private void look() {
    owner.submit(
        new Request(
            List.of(new Command.CheckDeadlines()),
            new Request.Reply() {
              @Override
              public void answer(List<Answer> answers) {
                arm(AGAIN_MILLIS);
              }

              @Override
              public void fail(PliantException why) {
                log.debug("a deadline waits: {}", why.getMessage());
                arm(AGAIN_MILLIS);
              }
            }));
  }
}
