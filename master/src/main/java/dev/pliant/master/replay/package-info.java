/// Decides a journal again and compares.
@NullMarked
package dev.pliant.master.replay;

import org.jspecify.annotations.NullMarked;
