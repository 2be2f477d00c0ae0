/// A job's token and certificate. Making and checking them needs no gRPC.
@NullMarked
package dev.pliant.rpc.identity;

import org.jspecify.annotations.NullMarked;
