/// What `pliant replay` found, for people and for programs.
@NullMarked
package dev.pliant.cli.replay;

import org.jspecify.annotations.NullMarked;
