/// The words every part of Pliant shares: ids, datasets, reasons and decisions. Records over the
/// JDK alone; nothing here reads a clock, a file or a network.
@NullMarked
package dev.pliant.model;

import org.jspecify.annotations.NullMarked;
