package dev.pliant.master.platform;

import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A platform without a world behind it: nodes run at once and end when they are told to. It passes
/// the same contract tests as those that have one.
public final class FakePlatform implements ScalerContract.World {
  private final Map<NodeId, NodeNews> nodes = new LinkedHashMap<>();
  private final List<NodeId> started = new ArrayList<>();
  private @Nullable Consumer<NodeNews> news;

  @Override
  public synchronized Platform.Opened open(BooleanSupplier current) {
    return new Platform.Opened(new FakeScaler(current), new FakeWatcher());
  }

  @Override
  public synchronized List<NodeId> alive() {
    return nodes.values().stream()
        .filter(state -> !(state instanceof NodeNews.Ended))
        .map(NodeNews::node)
        .toList();
  }

  @Override
  public synchronized long starts(NodeId node) {
    return started.stream().filter(node::equals).count();
  }

  @Override
  public synchronized void crash(NodeId node) {
    end(node, 137);
  }

  @Override
  public void close() {}

  private synchronized void scale(DesiredNodes desired) {
    if (!desired.defined()) {
      return;
    }
    for (NodeId node : alive()) {
      DesiredNode wanted =
          desired.nodes().stream().filter(d -> d.id().equals(node)).findFirst().orElse(null);
      if (wanted == null) {
        end(node, 137);
      } else if (wanted.leaving()) {
        end(node, 143);
      }
    }
    for (DesiredNode wanted : desired.nodes()) {
      if (nodes.containsKey(wanted.id())) {
        continue;
      }
      if (wanted.leaving()) {
        end(wanted.id(), 143);
      } else {
        started.add(wanted.id());
        become(new NodeNews.Pending(wanted.id(), ""));
        become(new NodeNews.Running(wanted.id()));
      }
    }
  }

  private void end(NodeId node, int code) {
    become(new NodeNews.Ended(node, code, false, null, "exit code " + code));
  }

  private void become(NodeNews state) {
    nodes.put(state.node(), state);
    if (news != null) {
      news.accept(state);
    }
  }

  private final class FakeScaler implements Scaler {
    private final BooleanSupplier current;

    FakeScaler(BooleanSupplier current) {
      this.current = current;
    }

    @Override
    public void scale(DesiredNodes desired) {
      if (current.getAsBoolean()) {
        FakePlatform.this.scale(desired);
      }
    }

    @Override
    public void close() {}
  }

  private final class FakeWatcher implements NodeWatcher {
    @Override
    public List<NodeNews> list() {
      synchronized (FakePlatform.this) {
        return List.copyOf(nodes.values());
      }
    }

    @Override
    public void watch(Consumer<NodeNews> listener) {
      synchronized (FakePlatform.this) {
        news = listener;
      }
    }

    @Override
    public void close() {}
  }
}
