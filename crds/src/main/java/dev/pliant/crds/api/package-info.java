/// The custom resources as a cluster keeps them: the shape that users write, field by field. What
/// they mean is read from them into the records of `dev.pliant.crds`, the same as from a file.
@NullMarked
package dev.pliant.crds.api;

import org.jspecify.annotations.NullMarked;
