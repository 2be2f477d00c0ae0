package dev.pliant.agent.socket;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.pliant.agent.socket.Answer.Refusal;
import dev.pliant.agent.world.Placement;
import dev.pliant.protocol.v1.CommitOutcome;
import dev.pliant.protocol.v1.CommitStepResponse;
import dev.pliant.protocol.v1.DatasetFailure;
import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.Shard;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes answers as the socket's JSON.
public final class AnswerWriter {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final JsonGenerator json;

  private AnswerWriter(JsonGenerator json) {
    this.json = json;
  }

  /// The bytes of an answer.
  ///
  /// @param id the request's, or null for one that could not be read
  public static byte[] write(@Nullable Long id, Answer answer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      json.writeStartObject();
      if (id == null) {
        json.writeNullField("id");
      } else {
        json.writeNumberField("id", id);
      }
      json.writeBooleanField("ok", !(answer instanceof Answer.Wrong));
      new AnswerWriter(json).fields(answer);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory failed", e);
    }
    return bytes.toByteArray();
  }

  private void fields(Answer answer) throws IOException {
    switch (answer) {
      case Answer.Welcome(var job, var worker) -> {
        json.writeNumberField("version", Request.VERSION);
        json.writeStringField("job", job);
        json.writeStringField("worker", worker.value());
      }
      case Answer.Created(boolean created) -> json.writeBooleanField("created", created);
      case Answer.NextShard(var shard, var refused) -> {
        state("shard", refused);
        shard(shard);
      }
      case Answer.Wait(var refused) -> state("wait", refused);
      case Answer.End(var refused) -> state("end", refused);
      case Answer.Failed(var failure, var refused) -> {
        state("failed", refused);
        failure(failure);
      }
      case Answer.Taken(var refused) -> refused(refused);
      case Answer.Flushed(var refused) -> state("flushed", refused);
      case Answer.Committed(var response) -> commit(response);
      case Answer.Progressed(var progress) -> progress(progress);
      case Answer.Checkpointed(var ledger) -> ledger(ledger);
      case Answer.Restored(long lineage) -> json.writeNumberField("lineage", lineage);
      case Answer.InWorld(var placement) -> {
        json.writeStringField("state", "world");
        world(placement);
      }
      case Answer.Released(var why) -> state("released", why);
      case Answer.Excluded(var why) -> state("excluded", why);
      case Answer.Closed(boolean complete, var why) -> {
        state("closed", why);
        json.writeBooleanField("complete", complete);
      }
      case Answer.Reform(boolean abort, var why) -> {
        state("reform", why);
        json.writeBooleanField("abort", abort);
      }
      case Answer.Settled(long nextEpoch, long nextStep) -> {
        json.writeStringField("state", "settled");
        json.writeNumberField("next_epoch", nextEpoch);
        json.writeNumberField("next_step", nextStep);
      }
      case Answer.Fine() -> {}
      case Answer.Wrong(var code, var message) -> {
        json.writeObjectFieldStart("error");
        json.writeStringField("code", code.name());
        json.writeStringField("message", message);
        json.writeEndObject();
      }
    }
  }

  private void state(String state, List<Refusal> refused) throws IOException {
    json.writeStringField("state", state);
    refused(refused);
  }

  private void state(String state, String why) throws IOException {
    json.writeStringField("state", state);
    json.writeStringField("why", why);
  }

  private void world(Placement placement) throws IOException {
    json.writeObjectFieldStart("world");
    json.writeNumberField("version", placement.version());
    json.writeNumberField("rank", placement.rank());
    json.writeNumberField("size", placement.size());
    json.writeNumberField("local_rank", placement.localRank());
    json.writeNumberField("local_size", placement.localSize());
    json.writeNumberField("node_rank", placement.nodeRank());
    json.writeNumberField("nodes", placement.nodes());
    json.writeStringField("address", placement.address());
    json.writeNumberField("max_size", placement.maxSize());
    json.writeEndObject();
  }

  private void refused(List<Refusal> refused) throws IOException {
    if (refused.isEmpty()) {
      return;
    }
    json.writeArrayFieldStart("refused");
    for (Refusal refusal : refused) {
      json.writeStartObject();
      json.writeNumberField("number", refusal.number());
      json.writeStringField("message", refusal.message());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void shard(Shard shard) throws IOException {
    json.writeObjectFieldStart("shard");
    json.writeNumberField("number", shard.getNumber());
    json.writeNumberField("lease", shard.getLease());
    json.writeNumberField("epoch", shard.getEpoch());
    if (shard.getRecordsCount() > 0) {
      json.writeArrayFieldStart("records");
      for (int i = 0; i < shard.getRecordsCount(); i++) {
        json.writeNumber(shard.getRecords(i));
      }
      json.writeEndArray();
    } else {
      json.writeNumberField("start", shard.getStart());
      json.writeNumberField("end", shard.getEnd());
    }
    if (!shard.getPartition().isEmpty()) {
      json.writeStringField("partition", shard.getPartition());
    }
    json.writeEndObject();
  }

  private void failure(DatasetFailure failure) throws IOException {
    json.writeObjectFieldStart("failure");
    json.writeNumberField("shard", failure.getShard());
    json.writeStringField("worker", failure.getWorker());
    json.writeStringField("cause", failure.getCause());
    json.writeEndObject();
  }

  private void commit(CommitStepResponse response) throws IOException {
    json.writeStringField("outcome", word(response.getOutcome()));
    json.writeNumberField("next_epoch", response.getNextEpoch());
    json.writeNumberField("next_step", response.getNextStep());
  }

  private static String word(CommitOutcome outcome) {
    return switch (outcome) {
      case COMMIT_OUTCOME_UNSPECIFIED -> "committed";
      case COMMIT_OUTCOME_REPEATED -> "repeated";
      case COMMIT_OUTCOME_OLD_WORLD -> "old_world";
      case COMMIT_OUTCOME_GAP -> "gap";
      case UNRECOGNIZED -> "unknown";
    };
  }

  private void progress(DatasetProgress progress) throws IOException {
    json.writeNumberField("records_done", progress.getRecordsDone());
    json.writeNumberField("records_out", progress.getRecordsOut());
    json.writeNumberField("records_waiting", progress.getRecordsWaiting());
    json.writeNumberField("epoch", progress.getEpoch());
    json.writeStringField("state", word(progress.getState()));
    json.writeNumberField("next_step", progress.getNextStep());
    if (progress.hasFailure()) {
      failure(progress.getFailure());
    }
  }

  private static String word(LeaseState state) {
    return switch (state) {
      case LEASE_STATE_UNSPECIFIED, LEASE_STATE_LEASED -> "open";
      case LEASE_STATE_WAIT -> "wait";
      case LEASE_STATE_END -> "end";
      case LEASE_STATE_FAILED -> "failed";
      case UNRECOGNIZED -> "unknown";
    };
  }

  /// The ledger goes to the process and back as it is; only the master reads what is inside.
  private void ledger(LedgerCheckpoint ledger) throws IOException {
    json.writeNumberField("number", ledger.getNumber());
    json.writeObjectFieldStart("ledger");
    json.writeStringField("job", ledger.getJob());
    json.writeNumberField("number", ledger.getNumber());
    json.writeStringField("uid", ledger.getUid());
    json.writeNumberField("run", ledger.getRun());
    json.writeNumberField("lineage", ledger.getLineage());
    json.writeNumberField("crc32c", Integer.toUnsignedLong(ledger.getCrc32C()));
    json.writeBinaryField("ledgers", ledger.getLedgers().toByteArray());
    json.writeEndObject();
  }
}
