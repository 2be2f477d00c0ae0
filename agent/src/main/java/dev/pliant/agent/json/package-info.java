/// JSON without binding: objects read strictly and within bounds, as they come over the socket or
/// from the master's file.
@NullMarked
package dev.pliant.agent.json;

import org.jspecify.annotations.NullMarked;
