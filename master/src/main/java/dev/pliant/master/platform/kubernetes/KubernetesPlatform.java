package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.JobFile;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.kubernetes.Images;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.kubernetes.MasterPods;
import dev.pliant.kubernetes.NodePodRequest;
import dev.pliant.kubernetes.NodePods;
import dev.pliant.master.MasterConfig;
import dev.pliant.master.platform.Platform;
import dev.pliant.master.platform.PlatformConfig;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// Nodes as pods of the cluster that this master runs in, or that `KUBECONFIG` names.
public final class KubernetesPlatform implements Platform {
  /// The setting that says who makes the pods, where it is not as the job says.
  public static final String SCALER = "scaler";

  @Override
  public String name() {
    return MasterConfig.KUBERNETES;
  }

  @Override
  public Opened open(PlatformConfig config) throws IOException {
    JobApi api = new JobApi(JobApi.connect(), new JobNames(config.plan().job()));
    ElasticJobResource job = JobStart.await(api);
    return open(config, api, job, new Templates(config.settings(), job));
  }

  /// With pods made by `maker` where this master makes them itself.
  static Opened open(PlatformConfig config, KubernetesClient client, PodScaler.PodMaker maker)
      throws IOException {
    JobApi api = new JobApi(client, new JobNames(config.plan().job()));
    return open(config, api, JobStart.await(api), maker);
  }

  private static Opened open(
      PlatformConfig config, JobApi api, ElasticJobResource job, PodScaler.PodMaker maker) {
    ScalerKind kind = scaler(config.settings(), job);
    NodeBook book = new NodeBook();
    PlanWriter plan = new PlanWriter(api, kind, JobNames.owner(job), config.epoch());
    ScaleLoop.Pass pass =
        kind == ScalerKind.PodScaler
            ? new PodScaler(api, plan, book, maker)
            : new ElasticJobScaler(plan);
    CompletableFuture<Void> over = new CompletableFuture<>();
    ScaleLoop loop = new ScaleLoop(pass, book, followed(config, job), config.current(), over);
    WishWatcher.JobListener listener =
        new WishWatcher.JobListener() {
          @Override
          public void changed(ElasticJobResource now) {
            if (maker instanceof Templates templates) {
              templates.job = now;
            }
          }

          @Override
          public void followed(ElasticJobResource now) {
            loop.follows(Followed.of(now));
          }
        };
    return new Opened(
        loop, new PodWatcher(api, kind, book), new WishWatcher(api, job, listener), over);
  }

  /// What of the job the master begins with; nothing where it has changed since.
  private static Followed followed(PlatformConfig config, ElasticJobResource job) {
    try {
      return JobPlans.of(job).equals(config.plan()) ? Followed.of(job) : Followed.NOTHING;
    } catch (PliantException e) {
      return Followed.NOTHING; // It makes no sense any more; the master goes on by what it was.
    }
  }

  /// Who makes the pods.
  static ScalerKind scaler(Map<String, String> settings, ElasticJobResource job) {
    String given = settings.get(SCALER);
    if (given != null) {
      return ScalerKind.valueOf(given);
    }
    ScalerKind said = job.getSpec().scaler();
    return said == null ? ScalerKind.ElasticJobScaler : said;
  }

  /// Makes pods by the job's templates, as they are now.
  private static final class Templates implements PodScaler.PodMaker {
    private final Map<String, String> settings;
    private volatile ElasticJobResource job;

    Templates(Map<String, String> settings, ElasticJobResource job) {
      this.settings = settings;
      this.job = job;
    }

    @Override
    public Pod pod(PodPlan node, ScalePlanSpec plan) {
      ElasticJobResource now = job;
      return NodePods.pod(
          NodePodRequest.of(
              JobFile.of(now),
              JobNames.owner(now),
              node,
              plan,
              Images.of(settings),
              Boolean.parseBoolean(settings.get(MasterPods.RESTRICTED_VARIABLE))));
    }
  }
}
