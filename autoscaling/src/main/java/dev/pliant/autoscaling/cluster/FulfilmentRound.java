package dev.pliant.autoscaling.cluster;

import dev.pliant.autoscaling.cluster.JobAllocation.State;
import dev.pliant.model.JobId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// One round of [FulfilmentPolicy].
final class FulfilmentRound {
  private final FulfilmentSettings settings;
  private final ClusterSnapshot snapshot;
  private final List<JobShare> shares = new ArrayList<>();
  private final Map<JobId, JobShare> byId = new HashMap<>();
  private final Load load;
  private final NodeTree free;
  private final NodeTree empty;

  /// What nodes would have left if every job that may give had its minimum.
  private final NodeTree potential;

  /// What those jobs have beyond their minimum.
  private final Load surplus;

  /// Whether pods of a minimum are still to be bound. Until then nobody grows: the scheduler packs
  /// pods in its own way, and those of others could take the room.
  private boolean minimaArePending;

  private final TreeSet<JobShare> givers = new TreeSet<>(JobShare.LEAST_FULFILLED_FIRST);
  private final TreeSet<JobShare> gpuGivers = new TreeSet<>(JobShare.LEAST_FULFILLED_FIRST);

  FulfilmentRound(ClusterSnapshot snapshot, FulfilmentSettings settings) {
    this.snapshot = snapshot;
    this.settings = settings;
    this.load = new Load(settings.loadCeiling());
    this.surplus = new Load(settings.loadCeiling());
    this.free = new NodeTree(snapshot.nodes().size());
    this.empty = new NodeTree(snapshot.nodes().size());
    this.potential = new NodeTree(snapshot.nodes().size());
    Map<String, Integer> nodes = addNodes();
    addJobs();
    addPods(nodes);
  }

  List<JobAllocation> allocate() {
    refuse();
    decideWhoMayChange();
    comeDownToMaximum();
    List<JobShare> without = placeMinima();
    placeOthers();
    collectGivers();
    takeFor(without);
    shrinkBelowCeiling();
    if (!minimaArePending) {
      give();
    }
    Explanation explanation =
        new Explanation(load, settings, snapshot.nodes().size(), minimaArePending);
    List<JobAllocation> allocations = new ArrayList<>();
    for (JobShare share : shares) {
      allocations.add(explanation.of(share));
    }
    return List.copyOf(allocations);
  }

  // The snapshot.

  private Map<String, Integer> addNodes() {
    Map<String, Integer> indexes = new HashMap<>();
    List<ClusterNode> nodes = snapshot.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      ClusterNode node = nodes.get(i);
      if (node.schedulable() && node.capacity().isPossible()) {
        indexes.put(node.name(), i);
        load.addCapacity(node.capacity());
        free.set(i, node.capacity());
        empty.set(i, node.capacity());
        potential.set(i, node.capacity());
      }
    }
    return indexes;
  }

  private void addJobs() {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < snapshot.jobs().size(); i++) {
      order.add(i);
    }
    order.sort(Comparator.comparing((Integer i) -> snapshot.jobs().get(i).id().toString()));
    int[] ranks = new int[order.size()];
    for (int rank = 0; rank < ranks.length; rank++) {
      ranks[order.get(rank)] = rank;
    }
    for (int i = 0; i < ranks.length; i++) {
      JobShare share = new JobShare(snapshot.jobs().get(i), ranks[i], settings.byRequests());
      shares.add(share);
      if (byId.putIfAbsent(share.job.id(), share) != null || !share.isValid()) {
        share.state = State.INVALID;
      }
    }
  }

  private void addPods(Map<String, Integer> nodes) {
    for (ClusterPod pod : snapshot.pods()) {
      JobShare share = pod.job() == null ? null : byId.get(pod.job());
      if (share != null && share.state == State.INVALID) {
        share = null;
      }
      boolean ofGroup = share != null && pod.kind() != ClusterPod.Kind.OTHER;
      if (share != null) {
        share.observe(pod);
        if (ofGroup && pod.phase() == ClusterPod.Phase.SUCCEEDED) {
          share.group(pod.kind()).succeeded();
        }
      }
      if (pod.isActive()) {
        add(pod, ofGroup ? share : null, nodes);
      }
    }
    for (JobShare share : valid()) {
      releaseLeaving(share.trainers);
      releaseLeaving(share.servers);
    }
  }

  /// A pod of a job that is not bound yet is among those that the job still has to place.
  private void add(ClusterPod pod, @Nullable JobShare share, Map<String, Integer> nodes) {
    PodAmounts used = JobShare.counted(pod.size(), settings.byRequests()).orNone();
    if (pod.node() == null) {
      if (share == null) {
        load.add(used, 1);
      }
      return;
    }
    Integer node = nodes.get(pod.node());
    if (node != null) {
      occupy(node, used);
    }
    if (share != null) {
      share.group(pod.kind()).push(node == null ? PodGroup.OUTSIDE : node, used);
    }
  }

  /// Pods beyond the size that a job is to have are on their way out.
  private void releaseLeaving(PodGroup group) {
    while (group.placedBeyond(group.count()) > 0) {
      release(group);
    }
  }

  private List<JobShare> valid() {
    return shares.stream().filter(share -> share.state != State.INVALID).toList();
  }

  // Room.

  private void occupy(int node, PodAmounts used) {
    free.add(node, used, -1);
    potential.add(node, used, -1);
    load.add(used, 1);
  }

  private void place(PodGroup group, int node) {
    occupy(node, group.each);
    group.push(node, group.each);
  }

  /// The newest pod of the group leaves its node.
  private void release(PodGroup group) {
    int node = group.node(0);
    if (node >= 0) {
      free.add(node, group.amounts(0), 1);
      potential.add(node, group.amounts(0), 1);
    }
    if (node != PodGroup.OUTSIDE) {
      load.add(group.amounts(0), -1);
    }
    group.pop();
  }

  // Who takes part.

  private void refuse() {
    Map<PodAmounts, Boolean> fits = new HashMap<>();
    for (JobShare share : valid()) {
      boolean servers = share.serversFor(share.job.min()) > 0;
      boolean trainers = Math.max(share.job.max(), share.trainers.count()) > 0;
      if ((trainers && !fitsEmpty(share.trainers.each, fits))
          || (servers && !fitsEmpty(share.servers.each, fits))) {
        share.state = State.FITS_NO_NODE;
        share.hasMinimum = false;
      }
    }
  }

  private boolean fitsEmpty(PodAmounts amounts, Map<PodAmounts, Boolean> known) {
    return known.computeIfAbsent(amounts, each -> empty.find(each) >= 0);
  }

  private List<JobShare> taking() {
    return shares.stream()
        .filter(share -> share.state == State.KEPT)
        .sorted(JobShare.LEAST_FULFILLED_FIRST)
        .toList();
  }

  private void decideWhoMayChange() {
    List<JobShare> all = taking();
    boolean someHasNone = all.stream().anyMatch(JobShare::hasNoneRunning);
    for (JobShare share : all) {
      share.eligible = someHasNone || share.isSettled();
    }
  }

  private void comeDownToMaximum() {
    for (JobShare share : taking()) {
      if (share.eligible && share.trainers.count() > share.job.max()) {
        share.trainers(share.job.max());
        releaseLeaving(share.trainers);
        followWithServers(share);
      }
    }
  }

  private void followWithServers(JobShare share) {
    int wanted = share.serversFor(share.trainers.count());
    if (wanted < share.servers.count()) {
      share.servers.count(wanted);
      releaseLeaving(share.servers);
    }
  }

  // Minima.

  /// Gives room to the minimum of each job, as far as there is any. Returns the jobs that have
  /// none.
  private List<JobShare> placeMinima() {
    List<JobShare> without = new ArrayList<>();
    for (JobShare share : taking()) {
      if (!lacksMinimum(share)) {
        continue;
      }
      if (placeMinimum(share, () -> false)) {
        minimaArePending |= share.job.trainers() > 0;
      } else {
        share.hasMinimum = false;
        without.add(share);
      }
    }
    return without;
  }

  private static boolean lacksMinimum(JobShare share) {
    return share.trainers.count() < share.job.min()
        || share.trainers.missing(share.job.min()) > 0
        || share.servers.missing(share.serversFor(share.job.min())) > 0;
  }

  /// What makes room for one more pod.
  private interface Room {
    boolean make();
  }

  /// Places all that is missing, or nothing.
  private boolean placeMinimum(JobShare share, Room room) {
    int trainers = share.trainers.missing(share.job.min());
    int servers = share.servers.missing(share.serversFor(share.job.min()));
    int placedTrainers = placeAll(share.trainers, trainers, room);
    int placedServers = placedTrainers == trainers ? placeAll(share.servers, servers, room) : 0;
    if (placedTrainers == trainers && placedServers == servers) {
      if (share.trainers.count() < share.job.min()) {
        share.trainers(share.job.min());
      }
      share.servers.count(Math.max(share.servers.count(), share.serversFor(share.job.min())));
      return true;
    }
    for (int i = 0; i < placedTrainers; i++) {
      release(share.trainers);
    }
    for (int i = 0; i < placedServers; i++) {
      release(share.servers);
    }
    return false;
  }

  private int placeAll(PodGroup group, int count, Room room) {
    for (int placed = 0; placed < count; placed++) {
      int node = findRoom(group.each);
      while (node < 0) {
        if (!room.make()) {
          return placed;
        }
        node = findRoom(group.each);
      }
      place(group, node);
    }
    return count;
  }

  /// A node with room, as long as the load stays below the ceiling; else -1.
  private int findRoom(PodAmounts each) {
    return load.leaves(each, NOTHING) ? free.find(each) : -1;
  }

  private static final Load NOTHING = new Load(1);

  /// Pods that jobs are to have already count as they are, wherever they will run.
  private void placeOthers() {
    for (JobShare share : taking()) {
      if (share.hasMinimum) {
        placeOthers(share.trainers);
        placeOthers(share.servers);
      }
    }
  }

  private void placeOthers(PodGroup group) {
    for (int missing = group.missing(group.count()); missing > 0; missing--) {
      int node = free.find(group.each);
      if (node >= 0) {
        place(group, node);
      } else {
        load.add(group.each, 1);
        group.push(PodGroup.PENDING, group.each);
      }
    }
  }

  // Givers.

  private void collectGivers() {
    for (JobShare share : taking()) {
      if (share.mayGive()) {
        addSurplus(share.trainers, share.job.min());
        addSurplus(share.servers, share.serversFor(share.job.min()));
        keepInOrder(share);
      }
    }
  }

  private void addSurplus(PodGroup group, int min) {
    for (int back = group.placedBeyond(min) - 1; back >= 0; back--) {
      if (group.node(back) >= 0) {
        potential.add(group.node(back), group.amounts(back), 1);
      }
      if (group.node(back) != PodGroup.OUTSIDE) {
        surplus.add(group.amounts(back), 1);
      }
    }
  }

  private void keepInOrder(JobShare share) {
    givers.add(share);
    if (share.usesGpus()) {
      gpuGivers.add(share);
    }
  }

  /// A pod that left its node.
  private record Left(PodGroup group, int node, PodAmounts amounts) {}

  /// One trainer of a job, with the servers that only it needed.
  private record Taken(JobShare share, int servers, List<Left> pods) {}

  private Taken take(JobShare share, @Nullable JobId forJob) {
    givers.remove(share);
    gpuGivers.remove(share);
    Taken taken = new Taken(share, share.servers.count(), new ArrayList<>());
    share.trainers(share.trainers.count() - 1);
    share.takenFor = forJob;
    leaveSurplus(share.trainers, taken.pods);
    share.servers.count(Math.min(share.servers.count(), share.serversFor(share.trainers.count())));
    leaveSurplus(share.servers, taken.pods);
    if (share.mayGive()) {
      keepInOrder(share);
    }
    return taken;
  }

  /// The potential has their room already.
  private void leaveSurplus(PodGroup group, List<Left> left) {
    while (group.placedBeyond(group.count()) > 0) {
      Left pod = new Left(group, group.node(0), group.amounts(0));
      left.add(pod);
      count(pod, -1);
      group.pop();
    }
  }

  /// Counts a pod of a giver on its node, or no longer.
  private void count(Left pod, int times) {
    if (pod.node >= 0) {
      free.add(pod.node, pod.amounts, -times);
    }
    if (pod.node != PodGroup.OUTSIDE) {
      load.add(pod.amounts, times);
      surplus.add(pod.amounts, times);
    }
  }

  /// What was taken in vain stays: the oldest pods that still have their place.
  private void giveBack(List<Taken> all) {
    Set<JobShare> gone = new HashSet<>();
    for (Taken taken : all.reversed()) {
      if (gone.contains(taken.share) || !returnPods(taken.pods)) {
        gone.add(taken.share);
        continue;
      }
      givers.remove(taken.share);
      gpuGivers.remove(taken.share);
      taken.share.trainers(taken.share.trainers.count() + 1);
      taken.share.servers.count(taken.servers);
      keepInOrder(taken.share);
    }
    gone.forEach(share -> share.gave = true);
  }

  private boolean returnPods(List<Left> pods) {
    for (int i = pods.size() - 1; i >= 0; i--) {
      Left pod = pods.get(i);
      boolean fits =
          load.leaves(pod.amounts, NOTHING) && (pod.node < 0 || free.fits(pod.node, pod.amounts));
      if (!fits) {
        for (int undo = pods.size() - 1; undo > i; undo--) {
          count(pods.get(undo), -1);
          pods.get(undo).group.pop();
        }
        return false;
      }
      count(pod, 1);
      pod.group.push(pod.node, pod.amounts);
    }
    return true;
  }

  // Taking.

  private void takeFor(List<JobShare> without) {
    List<Taken> taken = new ArrayList<>();
    Set<Object> hopeless = new HashSet<>();
    for (JobShare share : without) {
      comeDownToMinimum(share);
      Object need =
          List.of(
              share.trainers.each,
              share.trainers.missing(share.job.min()),
              share.servers.each,
              share.servers.missing(share.serversFor(share.job.min())));
      boolean placed = false;
      if (!hopeless.contains(need)) {
        if (couldBePlaced(share)) {
          // While room is made, pods may take places that others of the job need; a second time all
          // the room is there from the start.
          for (int attempt = 0; attempt < 2 && !placed; attempt++) {
            placed = placeMinimum(share, () -> makeRoom(share, taken));
          }
        } else {
          hopeless.add(need);
        }
      }
      if (placed) {
        minimaArePending = true;
        share.hasMinimum = true;
        placeOthers(share.trainers);
        placeOthers(share.servers);
      } else if (share.usesGpus()) {
        share.state = State.WAITS;
      } else {
        share.state = State.OPTIMISTIC;
        if (share.trainers.count() < share.job.min()) {
          share.trainers(share.job.min());
        }
        share.servers.count(Math.max(share.servers.count(), share.serversFor(share.job.min())));
      }
    }
    giveBack(taken);
  }

  /// What a job has beyond its minimum must not prevent that.
  private void comeDownToMinimum(JobShare share) {
    if (share.trainers.count() > share.job.min()) {
      share.trainers(share.job.min());
      share.cameDown = true;
      releaseLeaving(share.trainers);
      followWithServers(share);
    }
  }

  /// Whether the minimum would have room if all that may give had theirs.
  private boolean couldBePlaced(JobShare share) {
    int trainers = share.trainers.missing(share.job.min());
    int servers = share.servers.missing(share.serversFor(share.job.min()));
    PodAmounts all = times(share.trainers.each, trainers).plus(times(share.servers.each, servers));
    if (!load.leaves(all, surplus)) {
      return false;
    }
    List<Integer> nodes = new ArrayList<>();
    boolean could = tryPotential(share.trainers.each, trainers, nodes);
    int tried = nodes.size();
    could = could && tryPotential(share.servers.each, servers, nodes);
    for (int i = 0; i < nodes.size(); i++) {
      potential.add(nodes.get(i), i < tried ? share.trainers.each : share.servers.each, 1);
    }
    return could;
  }

  private static PodAmounts times(PodAmounts each, int count) {
    return new PodAmounts(each.cpu() * count, each.memoryMib() * count, each.gpus() * count);
  }

  private boolean tryPotential(PodAmounts each, int count, List<Integer> nodes) {
    for (int i = 0; i < count; i++) {
      int node = potential.find(each);
      if (node < 0) {
        return false;
      }
      potential.add(node, each, -1);
      nodes.add(node);
    }
    return true;
  }

  /// Takes one trainer from the most fulfilled job that has what is short.
  private boolean makeRoom(JobShare share, List<Taken> taken) {
    PodAmounts each =
        share.trainers.missing(share.job.min()) > 0 ? share.trainers.each : share.servers.each;
    boolean gpusAreShort =
        load.lacksGpus(each, NOTHING)
            || (each.gpus() > 0 && free.find(new PodAmounts(0, 0, each.gpus())) < 0);
    TreeSet<JobShare> from = gpusAreShort ? gpuGivers : givers;
    if (from.isEmpty()) {
      return false;
    }
    taken.add(take(from.last(), share.job.id()));
    return true;
  }

  // The ceiling.

  private void shrinkBelowCeiling() {
    while (load.areGpusAboveCapacity() && !gpuGivers.isEmpty()) {
      take(gpuGivers.last(), null).share.gave = true;
    }
    List<JobShare> others = new ArrayList<>();
    while ((load.isCpuAboveCeiling() || load.isMemoryAboveCeiling()) && !givers.isEmpty()) {
      JobShare last = givers.last();
      if (helps(last)) {
        take(last, null).share.gave = true;
      } else {
        givers.remove(last);
        others.add(last);
      }
    }
    givers.addAll(others);
  }

  private boolean helps(JobShare share) {
    return (load.isCpuAboveCeiling() && share.trainers.each.cpu() > 0)
        || (load.isMemoryAboveCeiling() && share.trainers.each.memoryMib() > 0);
  }

  // Giving.

  private void give() {
    TreeSet<JobShare> takers = new TreeSet<>(JobShare.LEAST_FULFILLED_FIRST);
    for (JobShare share : taking()) {
      if (mayGrow(share)) {
        takers.add(share);
      }
    }
    Set<PodAmounts> full = new HashSet<>();
    while (!takers.isEmpty()) {
      JobShare least = takers.first();
      takers.remove(least);
      boolean granted = !full.contains(least.trainers.each) && grant(least, full);
      if (granted && least.trainers.count() < most(least)) {
        takers.add(least);
      }
    }
  }

  private boolean mayGrow(JobShare share) {
    return share.eligible
        && share.hasMinimum
        && !share.cameDown
        && !share.gave
        && share.job.isElastic()
        && share.trainers.count() < most(share);
  }

  /// A job that was changed a moment ago gets no more than it had.
  private int most(JobShare share) {
    long since = snapshot.atMillis() - share.job.changedMillis();
    boolean justChanged =
        share.job.changedMillis() > 0 && since >= 0 && since < settings.growthGapMillis();
    return justChanged ? Math.min(share.job.trainers(), share.job.max()) : share.job.max();
  }

  private boolean grant(JobShare share, Set<PodAmounts> full) {
    int node = findRoom(share.trainers.each);
    if (node < 0) {
      full.add(share.trainers.each);
      return false;
    }
    place(share.trainers, node);
    int count = share.trainers.count() + 1;
    int more = Math.max(0, share.serversFor(count) - share.servers.count());
    int placed = placeAll(share.servers, more, () -> false);
    if (placed < more) {
      for (int i = 0; i < placed; i++) {
        release(share.servers);
      }
      release(share.trainers);
      return false;
    }
    share.servers.count(share.servers.count() + more);
    share.trainers(count);
    return true;
  }
}
