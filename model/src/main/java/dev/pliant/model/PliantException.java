package dev.pliant.model;

/// A fault with its code. The message says what is wrong, where, and what to do.
public final class PliantException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  public PliantException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  public PliantException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }
}
