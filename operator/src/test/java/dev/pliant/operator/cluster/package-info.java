@NullMarked
package dev.pliant.operator.cluster;

import org.jspecify.annotations.NullMarked;
