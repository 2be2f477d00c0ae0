package dev.pliant.machine.rendezvous;

import dev.pliant.model.WorkerId;

/// One life of a worker. A higher incarnation is a later life; of two, only the later one counts.
public record MemberId(WorkerId worker, long incarnation) {
  @Override
  public String toString() {
    return worker + "#" + Long.toUnsignedString(incarnation);
  }
}
