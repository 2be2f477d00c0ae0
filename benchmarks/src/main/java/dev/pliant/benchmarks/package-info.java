/// Measurements of Pliant beside its limits and its peers, all in one run on one machine. A measure
/// gives rows; a row keeps every raw figure behind what it says.
@NullMarked
package dev.pliant.benchmarks;

import org.jspecify.annotations.NullMarked;
