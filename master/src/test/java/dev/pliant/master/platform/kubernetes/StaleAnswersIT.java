package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.JobStanding;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.master.platform.WishSource;
import dev.pliant.master.platform.kubernetes.StandInApiServer.Call;
import dev.pliant.master.platform.kubernetes.StandInApiServer.Reply;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// What an API server says may be older than what it said before, or of what is no more.
class StaleAnswersIT {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final JobNames NAMES = new JobNames(new JobId("team-a", "digits"));
  private static final NodeId NODE = new NodeId("worker", 0);
  private static final String PODS = "/namespaces/team-a/pods";

  private static final String JOB =
      """
      {"apiVersion":"elastic.iml.github.io/v1alpha1","kind":"ElasticJob","metadata":{"name":"digits",
       "namespace":"team-a","uid":"mine","resourceVersion":"%1$d","generation":%1$d,"creationTimestamp":"2026-01-01T00:00:00Z"},
       "spec":{"worker":{"replicas":%2$d,"template":{"spec":{"containers":[{"name":"main","image":"x","command":["x"]}]}}}}}
      """;

  private static final String POD =
      """
      {"apiVersion":"v1","kind":"Pod","metadata":{"name":"digits-worker-0","namespace":"team-a","resourceVersion":"1",
       "ownerReferences":[{"apiVersion":"v1","kind":"%s","name":"%s","uid":"%s"}]},
       "spec":{"containers":[{"name":"main"}]},
       "status":{"phase":"Running","containerStatuses":[{"name":"main","state":{"running":{}}}]}}
      """;

  private static final String OURS =
      POD.formatted("ElasticJob", "digits", "mine").replace("\n", "");

  private final AtomicInteger lists = new AtomicInteger();
  private final AtomicInteger watches = new AtomicInteger();
  private final List<NodeNews> told = new CopyOnWriteArrayList<>();

  /// A pod that runs; a watch that breaks; a list that lacks it. What then is asked for is as
  /// `afterwards` has it.
  private Reply brokenWatch(Call call, String afterwards) {
    if (!call.path().endsWith(PODS)) {
      return Reply.refused(404, "NotFound");
    }
    if (call.method().equals("WATCH")) {
      return watches.incrementAndGet() == 1 ? Reply.gone() : Reply.watched("");
    }
    return switch (lists.incrementAndGet()) {
      case 1 -> Reply.list("PodList", OURS);
      case 2 -> Reply.list("PodList", "");
      default -> Reply.list("PodList", afterwards);
    };
  }

  @Test
  void aPodThatAListLackedAndThatIsThereHasNotEnded() throws IOException {
    try (StandInApiServer server = new StandInApiServer(call -> brokenWatch(call, OURS));
        PodWatcher watcher = watcher(server)) {
      watcher.watch(told::add);

      await().atMost(BOUND).until(() -> lists.get() >= 4);
      assertThat(told).containsExactly(new NodeNews.Running(NODE));
    }
  }

  @Test
  void aPodThatAListLackedAndThatIsGoneHasEnded() throws IOException {
    try (StandInApiServer server = new StandInApiServer(call -> brokenWatch(call, ""));
        PodWatcher watcher = watcher(server)) {
      watcher.watch(told::add);

      await()
          .atMost(BOUND)
          .untilAsserted(() ->
              assertThat(told).containsExactly(new NodeNews.Running(NODE), PodNews.vanished(NODE)));
      assertThat(lists.get()).isGreaterThanOrEqualTo(3);
    }
  }

  @Test
  void aPodThatTheOperatorCannotMakeIsTold() throws IOException {
    String why = "exceeded quota: q, requested: cpu=2";
    String plan =
        """
        {"apiVersion":"elastic.iml.github.io/v1alpha1","kind":"ScalePlan",
         "metadata":{"name":"digits-auto","namespace":"team-a","generation":1},
         "spec":{"ownerJob":"digits","createPods":[{"name":"digits-worker-0"}]},
         "status":{"observedGeneration":1,"refusedPods":[{"name":"digits-worker-0","message":"%s"}]}}
        """
            .formatted(why);
    NodeBook book = new NodeBook();
    book.desire(
        new DesiredNodes(
            true,
            List.of(new DesiredNode(NODE, NodeResources.UNBOUNDED, 0, 0, false)),
            JobStanding.NONE));
    try (StandInApiServer server =
            new StandInApiServer(call ->
                call.path().endsWith("/scaleplans/digits-auto")
                    ? Reply.ok(plan)
                    : call.method().equals("WATCH")
                        ? Reply.watched("")
                        : Reply.list("PodList", ""));
        PodWatcher watcher =
            new PodWatcher(new JobApi(server.client(), NAMES), ScalerKind.ElasticJobScaler, book)) {
      watcher.watch(told::add);

      await().atMost(BOUND).until(() -> !told.isEmpty());
      assertThat(told).containsExactly(PodNews.refused(NODE, why));
    }
  }

  private static PodWatcher watcher(StandInApiServer server) {
    return new PodWatcher(
        new JobApi(server.client(), NAMES), ScalerKind.ElasticJobScaler, new NodeBook());
  }

  @Test
  void aPodThatIsAnothersIsNotTakenForThatOfANode() throws IOException {
    AtomicInteger whose = new AtomicInteger();
    List<String> pods = List.of(POD.formatted("ReplicaSet", "web", "theirs"), OURS);
    try (StandInApiServer server =
            new StandInApiServer(call ->
                call.path().endsWith("/elasticjobs/digits")
                    ? Reply.ok(JOB.formatted(5, 1))
                    : call.method().equals("POST")
                        ? Reply.refused(409, "AlreadyExists")
                        : Reply.ok(pods.get(whose.getAndIncrement())));
        JobApi api = new JobApi(server.client(), NAMES)) {
      assertThat(api.job()).isPresent();
      Pod pod = Serialization.unmarshal(OURS, Pod.class);

      assertThat(api.create(pod).map(ForeignPod::owner)).contains("belongs to ReplicaSet 'web'");
      assertThat(api.create(pod)).isEmpty();
    }
  }

  /// Takes every wish.
  private static final class Obedient implements WishSource.Taker {
    private final List<JobPlan> plans = new CopyOnWriteArrayList<>();
    private final List<Wish> wishes = new CopyOnWriteArrayList<>();
    private final List<Wish> recalled = new CopyOnWriteArrayList<>();

    @Override
    public void define(JobPlan plan) {
      plans.add(plan);
    }

    @Override
    public void rest(Rest rest) {}

    @Override
    public Wish.Taken take(Wish wish) {
      wishes.add(wish);
      return new Wish.Taken(wish.source(), wish.generation(), true, false, "done");
    }

    @Override
    public void recall(Wish wish) {
      recalled.add(wish);
    }
  }

  @Test
  void aWishThatWasDeletedBeforeItsAnswerIsDoneWith() throws IOException {
    String wish =
        """
        {"apiVersion":"elastic.iml.github.io/v1alpha1","kind":"ScalePlan","metadata":{"name":"more","namespace":"team-a",
         "uid":"w","generation":1,"creationTimestamp":"2026-01-01T00:00:00Z",
         "labels":{"scale-type":"manual","elasticjob-name":"digits"}},
         "spec":{"ownerJob":"digits","replicaResourceSpecs":{"worker":{"replicas":2}}}}
        """;
    Obedient taker = new Obedient();
    try (StandInApiServer server =
            new StandInApiServer(call ->
                call.method().equals("WATCH")
                    ? Reply.watched("")
                    : call.path().endsWith("/scaleplans")
                        ? Reply.list("ScalePlanList", wish)
                        : call.method().equals("PATCH")
                            ? Reply.refused(404, "NotFound")
                            : Reply.list("List", ""));
        JobApi api = new JobApi(server.client(), NAMES);
        WishWatcher watcher = new WishWatcher(api, job(), _ -> {})) {
      watcher.watch(taker);

      await().atMost(BOUND).until(() -> server.calls("PATCH", "/scaleplans/more/status") == 1);
      await()
          .during(Duration.ofSeconds(1))
          .atMost(BOUND)
          .until(() -> server.calls("PATCH", "/scaleplans/more/status") == 1);
      assertThat(taker.wishes).hasSize(1);
    }
  }

  private static final String ANSWERED =
      """
      {"apiVersion":"elastic.easydl.org/v1alpha1","kind":"JobResource","metadata":{"name":"more","namespace":"team-a",
       "uid":"w","generation":1,"creationTimestamp":"2026-01-01T00:00:00Z"},
       "spec":{"selector":{"name":"digits"},"worker":{"replicas":2}},
       "status":{"phase":"%s","observedGeneration":1}}
      """;

  private static StandInApiServer resources(String resource) throws IOException {
    return new StandInApiServer(call ->
        call.method().equals("WATCH")
            ? Reply.watched("")
            : call.path().endsWith("/jobresources")
                ? Reply.list("JobResourceList", resource)
                : call.method().equals("PATCH") ? Reply.ok(resource) : Reply.list("List", ""));
  }

  @Test
  void anAnswerThatHoldsIsNotGivenAgain() throws IOException {
    String refused =
        ANSWERED.formatted("Failed").replace("\"more\"", "\"bad\"").replace("\"w\"", "\"v\"");
    Obedient taker = new Obedient();
    try (StandInApiServer server = resources(refused + "," + ANSWERED.formatted("Succeeded"));
        JobApi api = new JobApi(server.client(), NAMES);
        WishWatcher watcher = new WishWatcher(api, job(), _ -> {})) {
      watcher.watch(taker);

      // By its name `bad` comes before `more`.
      await().atMost(BOUND).until(() -> !taker.recalled.isEmpty());
      assertThat(taker.recalled).extracting(Wish::who).containsExactly("JobResource more");
      assertThat(taker.wishes).isEmpty();
      await()
          .during(Duration.ofMillis(500))
          .atMost(BOUND)
          .until(() -> server.calls("PATCH", "/status") == 0);
    }
  }

  @Test
  void whatMastersWriteIsNotAskedFor() throws IOException {
    try (StandInApiServer server = resources("");
        JobApi api = new JobApi(server.client(), NAMES);
        WishWatcher watcher = new WishWatcher(api, job(), _ -> {})) {
      watcher.watch(new Obedient());

      await()
          .atMost(BOUND)
          .untilAsserted(() ->
              assertThat(List.of("/scaleplans", "/jobresources"))
                  .allSatisfy(path ->
                      assertThat(List.of("GET", "WATCH"))
                          .allSatisfy(method ->
                              assertThat(server.asked(method, path))
                                  .isNotEmpty()
                                  .allMatch(call -> call.query().contains("scale-type!=auto")))));
    }
  }

  @Test
  void anOlderFormOfTheJobIsNotItsPlan() throws IOException {
    String newer = JOB.formatted(6, 3).replace("\n", "");
    Obedient taker = new Obedient();
    try (StandInApiServer server =
            new StandInApiServer(call -> {
              boolean jobs = call.path().endsWith("/elasticjobs");
              return call.method().equals("WATCH")
                  ? Reply.watched(
                      jobs ? "{\"type\":\"MODIFIED\",\"object\":%s}\n".formatted(newer) : "")
                  : Reply.list(jobs ? "ElasticJobList" : "List", jobs ? JOB.formatted(4, 1) : "");
            });
        JobApi api = new JobApi(server.client(), NAMES);
        WishWatcher watcher = new WishWatcher(api, job(), _ -> {})) {
      watcher.watch(taker);

      await().atMost(BOUND).until(() -> !taker.plans.isEmpty());
      assertThat(taker.plans).extracting(plan -> plan.workers().wish()).containsExactly(3);
    }
  }

  private static ElasticJobResource job() {
    return Serialization.unmarshal(JOB.formatted(5, 1), ElasticJobResource.class);
  }
}
