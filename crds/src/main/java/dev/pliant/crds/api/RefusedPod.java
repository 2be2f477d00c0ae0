package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/// A pod that the cluster would not take, as the operator tells it to the job's master.
///
/// @param name of the pod
/// @param message what the cluster said
public record RefusedPod(
    @JsonPropertyDescription("The pod.") @Required @Size(min = 1, max = 253) String name,
    @JsonPropertyDescription("What the cluster said of it.")
        @Required
        @Size(max = RefusedPod.MAX_MESSAGE)
        String message) {
  /// So many are told of at the most: what keeps these out keeps out the others.
  public static final int MOST = 20;

  /// What is longer is cut.
  public static final int MAX_MESSAGE = 400;

  public RefusedPod {
    if (message.length() > MAX_MESSAGE) {
      message = message.substring(0, MAX_MESSAGE - 1) + "…";
    }
  }
}
