package dev.pliant.cli.architecture.wrong.model;

import dev.pliant.cli.architecture.wrong.machine.shards.RollsDice;

/// Wrong: what everybody shares knows one of its users.
public record KnowsTheMaster(RollsDice dice) {}
