package dev.pliant.rpc;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;

/// A master as its location describes it at one moment.
///
/// @param caPem the only certificate to trust, or empty for plain text, on loopback alone
/// @param epoch the epoch that was written down with the address, or 0
public record MasterTarget(String host, int port, String caPem, String token, long epoch) {

  /// Reads `HOST:PORT`, `[HOST]:PORT` for IPv6.
  public static MasterTarget of(String address, String caPem, String token, long epoch) {
    int colon = address.lastIndexOf(':');
    String host = colon < 0 ? "" : address.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    int port;
    try {
      port = Integer.parseInt(address.substring(colon + 1));
    } catch (NumberFormatException _) {
      port = 0;
    }
    if (host.isEmpty() || port < 1 || port > 65_535) {
      throw new PliantException(
          ErrorCode.BAD_MESSAGE,
          "the master's address, '%s', is not of the form HOST:PORT.".formatted(address));
    }
    return new MasterTarget(host, port, caPem, token, epoch);
  }

  public MasterTarget {
    if (token.isEmpty()) {
      throw new PliantException(
          ErrorCode.NO_TOKEN, "the job's token is empty; the master writes it beside master.json.");
    }
    if (token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new PliantException(
          ErrorCode.NO_TOKEN, "the job's token has a character that no header can carry.");
    }
    if (caPem.isEmpty() && !isLoopback(host)) {
      throw new PliantException(
          ErrorCode.NO_TOKEN,
          "the master at %s:%d offers no TLS and is not on this machine; the token would go over the network in the open. Start it with TLS."
              .formatted(host, port));
    }
  }

  public boolean tls() {
    return !caPem.isEmpty();
  }

  /// By its text, not by asking a resolver, which might be told anything.
  private static boolean isLoopback(String host) {
    return host.equals("localhost")
        || host.equals("::1")
        || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
  }

  @Override
  public String toString() {
    return host + ":" + port + (tls() ? " with TLS" : " in plain text");
  }
}
