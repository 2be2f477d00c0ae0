/// What `./pliant` runs while it builds, so that the command starts quickly afterwards.
@NullMarked
package dev.pliant.cli.launcher;

import org.jspecify.annotations.NullMarked;
