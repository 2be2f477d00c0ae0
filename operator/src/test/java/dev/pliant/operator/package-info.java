@NullMarked
package dev.pliant.operator;

import org.jspecify.annotations.NullMarked;
