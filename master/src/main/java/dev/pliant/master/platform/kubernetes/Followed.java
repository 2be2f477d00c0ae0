package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.model.JobPlan;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/// What a master's plan follows of its job.
///
/// @param generation of the job; 0 where none is known to be followed
/// @param sizes what the job says of how many nodes of which size it is to have, in short: while
///   that is the same, nobody has said anything else by it
record Followed(long generation, String sizes) {
  static final Followed NOTHING = new Followed(0, "");

  /// @throws dev.pliant.model.PliantException where nothing can come of the job
  static Followed of(ElasticJobResource job) {
    Long generation = job.getMetadata().getGeneration();
    return new Followed(generation == null ? 0 : generation, sizes(JobPlans.of(job)));
  }

  private static String sizes(JobPlan plan) {
    String words =
        plan.roles().stream()
            .map(role ->
                "%s %d of %d to %d, %s"
                    .formatted(role.role(), role.wish(), role.min(), role.max(), role.resources()))
            .collect(Collectors.joining("; "));
    CRC32C sum = new CRC32C();
    sum.update(words.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().toHexDigits((int) sum.getValue());
  }
}
