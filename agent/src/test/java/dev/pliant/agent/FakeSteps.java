package dev.pliant.agent;

import dev.pliant.protocol.v1.CommitOutcome;
import dev.pliant.protocol.v1.CommitStepRequest;
import dev.pliant.protocol.v1.CommitStepResponse;
import dev.pliant.protocol.v1.DatasetProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Steps of datasets of one endless epoch, as a master commits them.
final class FakeSteps {
  private final Map<String, Long> next = new TreeMap<>();
  private final List<CommitStepRequest> commits = new ArrayList<>();
  private long world;

  /// A newer world was formed: the words of older ones no longer count.
  synchronized void fence(long version) {
    world = version;
  }

  synchronized CommitStepResponse.Builder commit(CommitStepRequest request) {
    commits.add(request);
    CommitStepResponse.Builder answer = CommitStepResponse.newBuilder();
    long at = next.getOrDefault(request.getDataset(), 0L);
    if (request.getWorld() < world) {
      answer.setOutcome(CommitOutcome.COMMIT_OUTCOME_OLD_WORLD);
    } else if (request.getStep() < at) {
      answer.setOutcome(CommitOutcome.COMMIT_OUTCOME_REPEATED);
    } else {
      at = request.getStep() + 1;
      next.put(request.getDataset(), at);
    }
    return answer.setNextStep(at);
  }

  synchronized boolean knows(String dataset) {
    return next.containsKey(dataset);
  }

  synchronized DatasetProgress progress(String dataset) {
    return DatasetProgress.newBuilder().setNextStep(next.getOrDefault(dataset, 0L)).build();
  }

  synchronized List<CommitStepRequest> commits() {
    return List.copyOf(commits);
  }
}
