package dev.pliant.cli.architecture.wrong.agent.util;

import dev.pliant.cli.architecture.wrong.machine.shards.RollsDice;

/// Wrong twice: sideways, and in a drawer.
public record KnowsTheMaster(RollsDice dice) {}
