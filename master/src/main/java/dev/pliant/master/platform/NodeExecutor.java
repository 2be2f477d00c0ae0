package dev.pliant.master.platform;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.Outlook;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.LostJournal;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.OutlookListener;
import dev.pliant.master.owner.Request;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.rpc.Backoff;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out what a job's machine decides about nodes, and tells it what becomes of them. What
/// runs is listed and told before anything is started, so that a new master starts nothing twice;
/// and what is carried out is on disk before.
public final class NodeExecutor implements OutlookListener, WishSource.Taker, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(NodeExecutor.class);

  private static final long RETRY_MILLIS = 200;
  private static final long ANSWER_SECONDS = 30;

  private final JobOwner owner;
  private final JobPlan plan;
  private final Platform.Opened platform;
  private final Consumer<NodeId> running;
  private final ScheduledExecutorService timers;
  private final LostJournal lost;
  private volatile boolean closed;
  private boolean listens;
  private DesiredNodes told = DesiredNodes.UNDEFINED;

  /// @param lost what is known of the time before the journal began
  /// @param running hears of every node that is seen to run
  /// @param timers what is tried again later is tried there
  public NodeExecutor(
      JobOwner owner,
      JobPlan plan,
      LostJournal lost,
      Platform.Opened platform,
      Consumer<NodeId> running,
      ScheduledExecutorService timers) {
    this.owner = owner;
    this.plan = plan;
    this.lost = lost;
    this.platform = platform;
    this.running = running;
    this.timers = timers;
  }

  /// Begins, on a thread of its own: what cannot be done now, because the disk is full for
  /// instance, is tried again until it works.
  public void start() {
    Thread.ofVirtual().name("nodes-begin").start(this::begin);
  }

  private void begin() {
    for (int failures = 1; !closed; failures++) {
      try {
        takeOver();
        return;
      } catch (IOException | PliantException e) {
        log.warn("nodes cannot be looked after yet: {}", e.getMessage());
      } catch (RuntimeException e) {
        // Nothing may end this, or the job would stand still.
        log.error("looking after nodes met trouble; it is tried again", e);
      }
      pause(Backoff.API.after(failures));
    }
  }

  /// Takes the job's nodes over. Each step may be taken again.
  private void takeOver() throws IOException {
    ask(beginning());
    // Before anything is heard of nodes: those that are gone may have gone for a rest.
    ask(new Command.RestJob(platform.wishes().rest()));
    platform.watcher().watch(this::heard);
    List<NodeNews> listed = platform.watcher().list();
    ask(new Command.ListNodes(listed));
    listed.forEach(this::noteRunning);
    if (!listens) {
      owner.listen(this);
      listens = true;
    }
    platform.wishes().watch(this);
  }

  /// All of it is written at once: a master that dies meanwhile leaves all or nothing to the next.
  private List<Command> beginning() {
    List<Command> commands = new ArrayList<>();
    if (!lost.isNone()) {
      commands.add(new Command.ReserveNumbers(lost.reserved()));
    }
    commands.add(new Command.DefineJob(plan));
    if (lost.kept() != null) {
      commands.add(new Command.TakeWish(lost.kept()));
    }
    return commands;
  }

  private static void pause(Duration wait) {
    try {
      TimeUnit.MILLISECONDS.sleep(wait.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void define(JobPlan changed) throws IOException {
    ask(new Command.DefineJob(changed));
  }

  @Override
  public void rest(Rest rest) throws IOException {
    ask(new Command.RestJob(rest));
  }

  @Override
  public Wish.Taken take(Wish wish) throws IOException {
    return ((Answer.WishTaken) ask(new Command.TakeWish(wish))).taken();
  }

  @Override
  public void recall(Wish wish) throws IOException {
    ask(new Command.RecallWish(wish));
  }

  private Answer ask(Command command) throws IOException {
    return ask(List.of(command));
  }

  /// @return the answer to the last of them
  private Answer ask(List<Command> commands) throws IOException {
    CompletableFuture<Answer> asked = new CompletableFuture<>();
    owner.submit(
        new Request(
            commands,
            new Request.Reply() {
              @Override
              public void answer(List<Answer> answers) {
                asked.complete(answers.getLast());
              }

              @Override
              public void fail(PliantException why) {
                asked.completeExceptionally(why);
              }
            }));
    try {
      return asked.get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof PliantException why) {
        throw why;
      }
      throw new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("the machine has not answered for %d s".formatted(ANSWER_SECONDS), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void changed(Outlook outlook) {
    if (!closed && !outlook.nodes().equals(told)) {
      told = outlook.nodes();
      platform.scaler().scale(told);
    }
  }

  private void heard(NodeNews news) {
    noteRunning(news);
    tell(news);
  }

  private void noteRunning(NodeNews news) {
    if (news instanceof NodeNews.Running(NodeId node)) {
      running.accept(node);
    }
  }

  /// News is never lost: what the machine cannot take now is told again.
  private void tell(NodeNews news) {
    owner.submit(
        new Request(
            List.of(new Command.ObserveNode(news)),
            new Request.Reply() {
              @Override
              public void answer(List<Answer> answers) {}

              @Override
              public void fail(PliantException why) {
                log.debug("news of node {} waits: {}", news.node(), why.getMessage());
                tellLater(news);
              }
            }));
  }

  private void tellLater(NodeNews news) {
    if (closed) {
      return;
    }
    try {
      timers.schedule(() -> tell(news), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("news of node {} is left to the next master", news.node());
    }
  }

  /// Lets go of the platform; the next master finds its nodes as they are.
  @Override
  public void close() {
    closed = true;
    platform.close();
  }
}
