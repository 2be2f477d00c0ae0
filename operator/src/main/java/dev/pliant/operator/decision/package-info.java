/// What is to be done about a job, as a function of what is seen of it and the time: no cluster, no
/// clock, no threads.
@NullMarked
package dev.pliant.operator.decision;

import org.jspecify.annotations.NullMarked;
