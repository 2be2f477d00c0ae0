package dev.pliant.machine.nodes;

import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import org.jspecify.annotations.Nullable;

/// What a platform sees of a node. News may come late, twice or not at all; only a list of all
/// nodes is complete.
public sealed interface NodeNews {
  /// The longest message that is kept; of a longer one the end counts.
  int MAX_MESSAGE = 4_096;

  NodeId node();

  /// It was asked for and does not run yet.
  ///
  /// @param message why not, for people; may be empty
  /// @param lacksRoom whether nothing has room for one of its size: a smaller one may find some
  record Pending(NodeId node, String message, boolean lacksRoom) implements NodeNews {
    public Pending {
      message = bounded(message);
    }

    /// For whatever else it waits.
    public Pending(NodeId node, String message) {
      this(node, message, false);
    }
  }

  /// Its agent runs.
  record Running(NodeId node) implements NodeNews {}

  /// It has ended.
  ///
  /// @param code its exit code, as a shell counts it
  /// @param outOfMemory whether the platform saw it die for want of memory
  /// @param said the reason that the node itself gave, where it could
  /// @param message for people: what went wrong, and the last lines it printed
  record Ended(
      NodeId node, int code, boolean outOfMemory, @Nullable ExitReason said, String message)
      implements NodeNews {
    public Ended {
      message = bounded(message);
    }

    /// Why it ended: what the platform saw counts before what the node said, and that before what
    /// its code means.
    public ExitReason reason() {
      if (outOfMemory) {
        return ExitReason.OOM;
      }
      return said == null ? ExitReason.ofExitCode(code) : said;
    }
  }

  private static String bounded(String message) {
    return message.length() <= MAX_MESSAGE
        ? message
        : "…" + message.substring(message.length() - MAX_MESSAGE + 1);
  }
}
