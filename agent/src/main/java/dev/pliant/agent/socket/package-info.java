/// The socket of the node: frames, requests and answers as docs/socket-protocol.md has them.
@NullMarked
package dev.pliant.agent.socket;

import org.jspecify.annotations.NullMarked;
