/// The jobs of a Kubernetes cluster, as every command sees them: through its API server, with the
/// rights of whoever calls. What decides is pure and apart from what asks the cluster.
@NullMarked
package dev.pliant.cli.kubernetes;

import org.jspecify.annotations.NullMarked;
