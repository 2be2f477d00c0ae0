@NullMarked
package dev.pliant.benchmarks;

import org.jspecify.annotations.NullMarked;
