package dev.pliant.agent.socket;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.pliant.agent.json.JsonReader;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.CommitOutcome;
import dev.pliant.protocol.v1.CommitStepResponse;
import dev.pliant.protocol.v1.DatasetFailure;
import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.Shard;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AnswerWriterTest {
  private static final LedgerCheckpoint LEDGER =
      LedgerCheckpoint.newBuilder()
          .setJob("a/b")
          .setNumber(3)
          .setUid("u")
          .setRun(5)
          .setLineage(1)
          .setLedgers(ByteString.copyFrom(new byte[] {(byte) 0xFF, 0, 7}))
          .setCrc32C(-1)
          .build();

  static Stream<Arguments> answers() {
    Shard.Builder shard =
        Shard.newBuilder().setNumber(17).setLease(1).setStart(8_500).setEnd(9_000);
    DatasetFailure failure =
        DatasetFailure.newBuilder().setShard(2).setWorker("w").setCause("\"no\"").build();
    List<Answer.Refusal> refused = List.of(new Answer.Refusal(4, "late"));
    return Stream.of(
        Arguments.of(
            new Answer.Welcome("a/b", new WorkerId("w")), "'version':1,'job':'a/b','worker':'w'"),
        Arguments.of(new Answer.Created(true), "'created':true"),
        Arguments.of(
            new Answer.NextShard(shard.build(), List.of()),
            "'state':'shard','shard':{'number':17,'lease':1,'epoch':0,'start':8500,'end':9000}"),
        Arguments.of(
            new Answer.NextShard(shard.setPartition("p").build(), refused),
            "'state':'shard','refused':[{'number':4,'message':'late'}],'shard':{'number':17,'lease':1,'epoch':0,'start':8500,'end':9000,'partition':'p'}"),
        Arguments.of(
            new Answer.NextShard(
                Shard.newBuilder().setLease(1).addRecords(5).addRecords(3).build(), List.of()),
            "'state':'shard','shard':{'number':0,'lease':1,'epoch':0,'records':[5,3]}"),
        Arguments.of(new Answer.Wait(List.of()), "'state':'wait'"),
        Arguments.of(new Answer.End(List.of()), "'state':'end'"),
        Arguments.of(
            new Answer.Failed(failure, List.of()),
            "'state':'failed','failure':{'shard':2,'worker':'w','cause':'\\'no\\''}"),
        Arguments.of(new Answer.Taken(refused), "'refused':[{'number':4,'message':'late'}]"),
        Arguments.of(new Answer.Flushed(List.of()), "'state':'flushed'"),
        Arguments.of(
            new Answer.Committed(
                CommitStepResponse.newBuilder()
                    .setOutcome(CommitOutcome.COMMIT_OUTCOME_OLD_WORLD)
                    .setNextEpoch(1)
                    .setNextStep(2)
                    .build()),
            "'outcome':'old_world','next_epoch':1,'next_step':2"),
        Arguments.of(
            new Answer.Progressed(
                DatasetProgress.newBuilder()
                    .setRecordsDone(1)
                    .setRecordsOut(2)
                    .setRecordsWaiting(3)
                    .setEpoch(4)
                    .setState(LeaseState.LEASE_STATE_LEASED)
                    .setNextStep(5)
                    .build()),
            "'records_done':1,'records_out':2,'records_waiting':3,'epoch':4,'state':'open','next_step':5"),
        Arguments.of(
            new Answer.Checkpointed(LEDGER),
            "'number':3,'ledger':{'job':'a/b','number':3,'uid':'u','run':5,'lineage':1,'crc32c':4294967295,'ledgers':'/wAH'}"),
        Arguments.of(new Answer.Restored(2), "'lineage':2"));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void writesWhatTheProtocolSays(Answer answer, String fields) {
    assertThat(new String(AnswerWriter.write(9L, answer), StandardCharsets.UTF_8))
        .isEqualTo(("{'id':9,'ok':true," + fields + "}").replace('\'', '"'));
  }

  @Test
  void writesErrorsAndEmptyAnswers() {
    assertThat(new String(AnswerWriter.write(9L, new Answer.Fine()), StandardCharsets.UTF_8))
        .isEqualTo("{\"id\":9,\"ok\":true}");
    assertThat(
            new String(
                AnswerWriter.write(null, new Answer.Wrong(ErrorCode.BAD_MESSAGE, "no")),
                StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"id\":null,\"ok\":false,\"error\":{\"code\":\"BAD_MESSAGE\",\"message\":\"no\"}}");
  }

  @Test
  void ledgerComesBackAsItWentOut() {
    String ledger =
        new String(AnswerWriter.write(1L, new Answer.Checkpointed(LEDGER)), StandardCharsets.UTF_8)
            .replaceFirst(".*\"ledger\":", "{\"op\":\"restore\",\"ledger\":");
    assertThat(RequestReader.read(JsonReader.read(ledger.getBytes(StandardCharsets.UTF_8))))
        .isEqualTo(new Request.RestoreLedger(LEDGER, false));
  }
}
