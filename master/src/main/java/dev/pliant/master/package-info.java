/// One job's training master.
@NullMarked
package dev.pliant.master;

import org.jspecify.annotations.NullMarked;
