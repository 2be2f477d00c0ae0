package dev.pliant.model.decision;

import java.util.Locale;

/// How constants are spelled outside the code.
public final class Words {
  private Words() {}

  /// `GONE_FROM_OUTSIDE` as `gone-from-outside`.
  public static String kebab(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
