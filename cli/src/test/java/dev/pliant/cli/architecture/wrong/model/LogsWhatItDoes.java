package dev.pliant.cli.architecture.wrong.model;

import org.slf4j.Logger;

/// Wrong: a record that needs a library, and talks.
public record LogsWhatItDoes(Logger log) {}
