package dev.pliant.cli.architecture.wrong.machine;

import com.google.protobuf.ByteString;

/// Wrong: the machine knows how its commands are sent.
public record KnowsTheWire(ByteString message) {}
