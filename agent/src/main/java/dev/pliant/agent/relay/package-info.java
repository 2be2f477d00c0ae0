/// What stands between a training process and the master: leases taken ahead, reports delivered
/// behind, workers that come and go.
@NullMarked
package dev.pliant.agent.relay;

import org.jspecify.annotations.NullMarked;
