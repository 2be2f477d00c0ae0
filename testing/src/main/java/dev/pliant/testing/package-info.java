/// What the tests of all modules share. Nothing that is shipped depends on it.
@NullMarked
package dev.pliant.testing;

import org.jspecify.annotations.NullMarked;
