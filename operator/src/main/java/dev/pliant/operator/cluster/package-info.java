/// The operator's hands and eyes: what is seen of a job in caches, and what is done about it.
@NullMarked
package dev.pliant.operator.cluster;

import org.jspecify.annotations.NullMarked;
