package dev.pliant.machine.rendezvous;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;

/// What an agent says that a member does: it trains in a world, or waits for the next.
///
/// @param world the version of the world it trains in; 0 where it waits
/// @param after where it waits: the world it was in last; 0 for none
/// @param holdsState where it waits: whether it has the state of the training
/// @param address where it waits: HOST:PORT where the group meets should it become rank 0
public record Standing(MemberId id, long world, long after, boolean holdsState, String address) {
  private static final int MAX_ADDRESS = 300;

  public Standing {
    if (world < 0 || after < 0) {
      throw bad(id, "names a world that cannot be");
    }
    if (world == 0 && !isAddress(address)) {
      throw bad(
          id,
          "waits without an address to meet at; say HOST:PORT, not '%s'".formatted(shown(address)));
    }
  }

  public static Standing waits(MemberId id, long after, boolean holdsState, String address) {
    return new Standing(id, 0, after, holdsState, address);
  }

  public static Standing trains(MemberId id, long world) {
    return new Standing(id, world, 0, false, "");
  }

  public boolean waits() {
    return world == 0;
  }

  private static boolean isAddress(String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 1 || address.length() > MAX_ADDRESS) {
      return false;
    }
    String port = address.substring(colon + 1);
    return address.chars().allMatch(c -> c > ' ' && c < 0x7f)
        && !port.isEmpty()
        && port.length() <= 5
        && port.chars().allMatch(c -> c >= '0' && c <= '9')
        && Integer.parseInt(port) >= 1
        && Integer.parseInt(port) <= 65_535;
  }

  private static String shown(String address) {
    return address.substring(0, Math.min(address.length(), 64)).replaceAll("\\p{Cntrl}", "?");
  }

  private static PliantException bad(MemberId id, String what) {
    return new PliantException(ErrorCode.BAD_MESSAGE, "member %s %s.".formatted(id, what));
  }
}
