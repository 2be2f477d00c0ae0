/// What `pliant verify` found, for people and for programs.
@NullMarked
package dev.pliant.cli.verify;

import org.jspecify.annotations.NullMarked;
