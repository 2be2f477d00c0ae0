package dev.pliant.model;

/// What a name may look like, for every id in this package.
final class Names {
  static final int MAX_LENGTH = 253;

  private Names() {}

  /// Returns `name` if it is one, and otherwise says which character or length is wrong.
  static String check(String what, String name) {
    if (name.isEmpty()) {
      throw new PliantException(ErrorCode.BAD_NAME, what + " has no name; give it one.");
    }
    if (name.length() > MAX_LENGTH) {
      throw new PliantException(
          ErrorCode.BAD_NAME,
          "the name of %s has %,d characters, at most %d are allowed: it begins '%s…'."
              .formatted(what, name.length(), MAX_LENGTH, printable(name.substring(0, 32))));
    }
    for (int i = 0; i < name.length(); i++) {
      if (!allowed(name.charAt(i))) {
        throw new PliantException(
            ErrorCode.BAD_NAME,
            "the name of %s, '%s', has '%s' at position %d; letters, digits, '-', '_', '.' and '/' are allowed."
                .formatted(what, printable(name), printable(name.substring(i, i + 1)), i));
      }
    }
    return name;
  }

  /// The same for a name that becomes a folder or a Kubernetes object: no '/', not '.' or '..'.
  static String checkSegment(String what, String name) {
    check(what, name);
    if (name.indexOf('/') >= 0 || name.startsWith(".")) {
      throw new PliantException(
          ErrorCode.BAD_NAME,
          "the name of %s, '%s', may not hold '/' or begin with '.'.".formatted(what, name));
    }
    return name;
  }

  private static boolean allowed(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_'
        || c == '.'
        || c == '/';
  }

  private static String printable(String text) {
    return text.replaceAll("\\p{Cntrl}", "?");
  }
}
