package dev.pliant.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/// Bounds every wait that names no bound of its own. Awaitility's own ten seconds pass on a busy
/// machine before a process has started; a wait that is met costs nothing, however long its bound.
/// JUnit finds this by itself in each module that has it on its path.
public final class PatientAwaits implements LauncherSessionListener {
  private static final Duration BOUND = Duration.ofSeconds(60);

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    Awaitility.setDefaultTimeout(BOUND);
  }
}
