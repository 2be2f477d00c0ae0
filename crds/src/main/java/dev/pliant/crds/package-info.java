/// The job as users write it, and its strict reader. The same records serve a job file of `pliant
/// run` and the custom resource of a cluster.
@NullMarked
package dev.pliant.crds;

import org.jspecify.annotations.NullMarked;
