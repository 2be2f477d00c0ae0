package dev.pliant.agent.processes;

/// What the processes of a node use.
///
/// @param cores in use, on average since the last look
/// @param memoryMib MiB resident
public record Usage(double cores, double memoryMib) {}
