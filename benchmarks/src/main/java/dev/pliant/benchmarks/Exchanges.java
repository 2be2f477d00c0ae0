package dev.pliant.benchmarks;

import dev.pliant.protocol.v1.DataServiceGrpc;
import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.LeaseShardsRequest;
import dev.pliant.protocol.v1.LeaseShardsResponse;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.PingRequest;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.ReportShardsRequest;
import dev.pliant.protocol.v1.ReportShardsResponse;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardReport;
import java.io.IOException;

/// The exchanges that are measured side by side: two calls each, the second after the first.
final class Exchanges {
  private Exchanges() {}

  /// Two empty calls to a Pliant master: what its server and the wire allow.
  static Exchange pingTwice() {
    var ping = JobServiceGrpc.getPingMethod();
    var request = PingRequest.getDefaultInstance();
    return (channel, end) ->
        Exchange.call(
            channel,
            ping,
            request,
            end,
            _ -> Exchange.call(channel, ping, request, end, _ -> end.done()));
  }

  /// Leases one shard from a Pliant master and reports it done.
  static Exchange leaseThenReport(String worker, String dataset) {
    var lease =
        LeaseShardsRequest.newBuilder().setWorker(worker).setDataset(dataset).setCount(1).build();
    return (channel, end) ->
        Exchange.call(
            channel,
            DataServiceGrpc.getLeaseShardsMethod(),
            lease,
            end,
            leased ->
                Exchange.call(
                    channel,
                    DataServiceGrpc.getReportShardsMethod(),
                    reportOf(worker, dataset, only(leased)),
                    end,
                    reported -> {
                      checkDone(reported);
                      end.done();
                    }));
  }

  /// Takes one task from DLRover's master and reports it done.
  static Exchange taskThenResult(DlroverMessages messages) throws IOException {
    byte[] getTask = messages.getTask();
    return (channel, end) ->
        Exchange.call(
            channel,
            DlroverMessages.GET,
            getTask,
            end,
            task ->
                Exchange.call(
                    channel,
                    DlroverMessages.REPORT,
                    messages.taskResult(DlroverMessages.taskId(task)),
                    end,
                    reported -> {
                      if (!DlroverMessages.success(reported)) {
                        throw new IllegalStateException("DLRover's master refused a result");
                      }
                      end.done();
                    }));
  }

  private static Shard only(LeaseShardsResponse leased) {
    if (leased.getState() != LeaseState.LEASE_STATE_LEASED || leased.getShardsCount() != 1) {
      throw new IllegalStateException(
          "asked for one shard and got %s with %d"
              .formatted(leased.getState(), leased.getShardsCount()));
    }
    return leased.getShards(0);
  }

  private static ReportShardsRequest reportOf(String worker, String dataset, Shard shard) {
    return ReportShardsRequest.newBuilder()
        .setWorker(worker)
        .setDataset(dataset)
        .addReports(
            ShardReport.newBuilder().setNumber(shard.getNumber()).setLease(shard.getLease()))
        .build();
  }

  private static void checkDone(ReportShardsResponse reported) {
    if (reported.getOutcomesCount() != 1
        || reported.getOutcomes(0) != ReportOutcome.REPORT_OUTCOME_UNSPECIFIED) {
      throw new IllegalStateException("a report was not taken as done: " + reported);
    }
  }
}
