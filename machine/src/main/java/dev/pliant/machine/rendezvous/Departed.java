package dev.pliant.machine.rendezvous;

/// A life that is over: its words change nothing any more.
///
/// @param world the version of the world it was in when it went; 0 where it waited
public record Departed(long incarnation, Departure how, long world, String why) {}
