package dev.pliant.cli.kubernetes;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Which cluster a user means; what is null is left to the kubeconfig.
public record ClusterChoice(
    @Nullable Path kubeconfig, @Nullable String context, @Nullable String namespace) {}
