package dev.pliant.crds;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Pattern;

/// How much the pods of a role matter beside others of their cluster, by its PriorityClasses.
public sealed interface Priority {
  /// The class of those that matter most, where only some of a role's pods do.
  String HIGH = "high";

  /// The class of the others.
  String LOW = "low";

  /// All of the role are of one class.
  record Named(String priorityClass) implements Priority {
    public Named {
      if (!NAME.matcher(priorityClass).matches()) {
        throw new IllegalArgumentException("no name of a class: " + priorityClass);
      }
    }

    @Override
    public String classOf(int rank) {
      return priorityClass;
    }
  }

  /// Some of the role are [#HIGH], the others [#LOW]: of the first n places as many as n times the
  /// share, rounded up, whatever n is. So a role that grows or shrinks keeps its share, no pod
  /// changes its class, and the first, which holds the state of the training, is among the high.
  ///
  /// @param high from 0 to 1
  record Share(BigDecimal high) implements Priority {
    public Share {
      if (high.signum() < 0 || high.compareTo(BigDecimal.ONE) > 0) {
        throw new IllegalArgumentException("no share: " + high);
      }
    }

    @Override
    public String classOf(int rank) {
      return among(rank + 1).compareTo(among(rank)) > 0 ? HIGH : LOW;
    }

    private BigDecimal among(int places) {
      return high.multiply(BigDecimal.valueOf(places)).setScale(0, RoundingMode.CEILING);
    }
  }

  /// Names have a letter: what has none is meant as a number.
  Pattern NAME = Pattern.compile("(?=.*[a-z])[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

  /// The PriorityClass of the pod at that place in its role.
  String classOf(int rank);

  /// As users write it.
  ///
  /// @throws IllegalArgumentException where it is neither
  static Priority of(String written) {
    return NAME.matcher(written).matches()
        ? new Named(written)
        : new Share(new BigDecimal(written)); // Its exception is of this kind, too.
  }
}
