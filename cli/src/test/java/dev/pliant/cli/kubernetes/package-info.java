@NullMarked
package dev.pliant.cli.kubernetes;

import org.jspecify.annotations.NullMarked;
