package dev.pliant.master.service;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.Silence;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.Request;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// When each worker or node was last heard from. It only observes: the machine decides who is lost.
/// For all threads.
final class LastHeard<T> {
  private static final Logger log = LoggerFactory.getLogger(LastHeard.class);

  private final Silence.Limits limits;
  private final LongSupplier millis;
  private final Map<T, Long> heard = new ConcurrentHashMap<>();

  /// Those from which the first message is awaited, and since when.
  private final Map<T, Long> awaited = new ConcurrentHashMap<>();

  private final AtomicBoolean checking = new AtomicBoolean();

  /// One that is silent.
  ///
  /// @param since when it was last heard from, or since when it is awaited
  private record Silent<T>(T id, Silence silence, long since) {}

  /// @param millis a clock that is never set
  LastHeard(Silence.Limits limits, LongSupplier millis) {
    this.limits = limits;
    this.millis = millis;
  }

  Silence.Limits limits() {
    return limits;
  }

  void heardFrom(T id) {
    heard.put(id, millis.getAsLong());
  }

  /// From now on a first message is awaited, where there was none.
  void await(T id) {
    if (!heard.containsKey(id)) {
      awaited.putIfAbsent(id, millis.getAsLong());
    }
  }

  boolean follows(T id) {
    return heard.containsKey(id) || awaited.containsKey(id);
  }

  int size() {
    return heard.size() + awaited.size();
  }

  void forget(T id) {
    heard.remove(id);
    awaited.remove(id);
  }

  void retain(Set<T> ids) {
    heard.keySet().retainAll(ids);
    awaited.keySet().retainAll(ids);
  }

  /// Has the machine decide about everybody who may be silent for too long.
  ///
  /// @param lost called for everybody whom the machine has given up
  void check(JobOwner owner, BiFunction<T, Silence, Command> command, Consumer<T> lost) {
    List<Silent<T>> silent = silent();
    if (silent.isEmpty() || !checking.compareAndSet(false, true)) {
      return;
    }
    List<Command> commands = new ArrayList<>(silent.size());
    silent.forEach(one -> commands.add(command.apply(one.id(), one.silence())));
    owner.submit(
        new Request(
            commands,
            new Request.Reply() {
              @Override
              public void answer(List<Answer> answers) {
                for (int i = 0; i < answers.size(); i++) {
                  conclude(silent.get(i), ((Answer.SilenceChecked) answers.get(i)).verdict(), lost);
                }
                checking.set(false);
              }

              @Override
              public void fail(PliantException why) {
                log.debug("silence is checked again later: {}", why.getMessage());
                checking.set(false);
              }
            }));
  }

  /// The machine needs to know only of those whose silence lasts for half of what it may: it spares
  /// the owner the many from which something was just heard.
  private List<Silent<T>> silent() {
    awaited.keySet().removeIf(heard::containsKey);
    long now = millis.getAsLong();
    List<Silent<T>> silent = new ArrayList<>();
    heard.forEach((id, since) -> add(id, since, new Silence(now - since, true), silent));
    awaited.forEach((id, since) -> add(id, since, new Silence(now - since, false), silent));
    return silent;
  }

  private void add(T id, long since, Silence silence, List<Silent<T>> silent) {
    if (silence.millis() > limits.of(silence) / 2) {
      silent.add(new Silent<>(id, silence, since));
    }
  }

  private void conclude(Silent<T> silent, Silence.Verdict verdict, Consumer<T> lost) {
    if (verdict == Silence.Verdict.WAIT) {
      return;
    }
    // One that was heard from meanwhile is followed on.
    heard.remove(silent.id(), silent.since());
    awaited.remove(silent.id(), silent.since());
    if (verdict == Silence.Verdict.LOST) {
      lost.accept(silent.id());
    }
  }
}
