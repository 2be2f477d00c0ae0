@NullMarked
package dev.pliant.operator.decision;

import org.jspecify.annotations.NullMarked;
