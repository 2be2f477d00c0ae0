package dev.pliant.agent.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.agent.json.JsonReader;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.ShardReport;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestReaderTest {
  private static Request read(String json) {
    return RequestReader.read(
        JsonReader.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void readsEveryRequestOfTheProtocol() {
    DatasetName train = new DatasetName("train");
    assertThat(read("{'op':'hello','version':1,'worker':'w-0','pid':7}"))
        .isEqualTo(new Request.Hello(new WorkerId("w-0"), 7));
    assertThat(read("{'op':'next','dataset':'train'}")).isEqualTo(new Request.Next(train));
    assertThat(read("{'op':'flush','dataset':'train'}")).isEqualTo(new Request.Flush(train));
    assertThat(read("{'op':'progress','dataset':'train'}")).isEqualTo(new Request.Progress(train));
    assertThat(read("{'op':'commit_step','dataset':'train','epoch':1,'step':2,'world':3}"))
        .isEqualTo(new Request.CommitStep(train, 1, 2, 3));
    assertThat(
            read(
                "{'op':'grow','dataset':'train','partitions':[{'name':'p','start':1,'end':2}],'closed':true}"))
        .isEqualTo(new Request.Grow(train, List.of(new Partition("p", 1, 2)), true));
    assertThat(read("{'op':'checkpoint'}")).isEqualTo(new Request.TakeCheckpoint());
    assertThat(read("{'op':'restore','number':3}")).isEqualTo(new Request.RestoreNumber(3));
    assertThat(read("{'op':'bye','reason':'done'}")).isEqualTo(new Request.Bye(true, ""));
    assertThat(read("{'op':'bye','reason':'error','message':'why'}"))
        .isEqualTo(new Request.Bye(false, "why"));
  }

  @Test
  void readsReportsOfEveryFate() {
    Request.Report report =
        (Request.Report)
            read(
                """
                {'op':'report','dataset':'train','reports':[
                  {'number':1,'lease':4294967297,'fate':'done'},
                  {'number':2,'lease':1,'fate':'failed','cause':'bad row'},
                  {'number':3,'lease':1,'fate':'returned'}]}
                """);
    assertThat(report.reports())
        .extracting(ShardReport::getFate)
        .containsExactly(
            ShardFate.SHARD_FATE_UNSPECIFIED,
            ShardFate.SHARD_FATE_FAILED,
            ShardFate.SHARD_FATE_RETURNED);
    assertThat(report.reports().get(0).getLease()).isEqualTo((1L << 32) + 1);
    assertThat(report.reports().get(1).getCause()).isEqualTo("bad row");
  }

  @Test
  void readsDatasetsWithAndWithoutWhatMayBeLeftOut() {
    assertThat(
            read(
                "{'op':'dataset','spec':{'name':'t','kind':'table','size':60000,'shard_size':500,'epochs':2,'shuffle':'shards','seed':7,'max_retries':5}}"))
        .isEqualTo(
            new Request.CreateDataset(
                new DatasetSpec(
                    new DatasetName("t"),
                    new Source.Table(60_000),
                    new Consumption.Shards(500, 5),
                    2,
                    Shuffle.SHARDS,
                    7)));
    assertThat(read("{'op':'dataset','spec':{'name':'t','kind':'text','size':10,'batch_size':5}}"))
        .isEqualTo(
            new Request.CreateDataset(
                new DatasetSpec(
                    new DatasetName("t"),
                    new Source.Text(10),
                    new Consumption.Steps(5),
                    1,
                    Shuffle.NONE,
                    0)));
    assertThat(
            read(
                "{'op':'dataset','spec':{'name':'t','kind':'stream','partitions':[{'name':'p','start':0,'end':9}],'shard_size':5}}"))
        .isEqualTo(
            new Request.CreateDataset(
                new DatasetSpec(
                    new DatasetName("t"),
                    new Source.Stream(List.of(new Partition("p", 0, 9))),
                    new Consumption.Shards(5, 3),
                    1,
                    Shuffle.NONE,
                    0)));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'x':1}|BAD_MESSAGE|'op' is missing",
        "{'op':'nexd'}|BAD_MESSAGE|'nexd' is no operation",
        "{'op':'hello','version':2,'worker':'w'}|BAD_MESSAGE|speaks version 2",
        "{'op':'hello','version':1,'worker':'w w'}|BAD_NAME|position 1",
        "{'op':'next'}|BAD_MESSAGE|'dataset' is missing",
        "{'op':'next','dataset':''}|BAD_NAME|has no name",
        "{'op':'report','dataset':'d','reports':[{'number':1,'lease':1,'fate':'eaten'}]}|BAD_MESSAGE|must be done, failed or returned",
        "{'op':'report','dataset':'d','reports':[{'number':-1,'lease':1,'fate':'done'}]}|BAD_MESSAGE|reports[].number",
        "{'op':'dataset','spec':{'name':'t','kind':'table','size':0,'shard_size':1}}|BAD_DATASET_SIZE|at least 1",
        "{'op':'dataset','spec':{'name':'t','kind':'table','size':5,'shard_size':9}}|BAD_SHARD_SIZE|more than",
        "{'op':'dataset','spec':{'name':'t','kind':'table','size':5,'shard_sise':5}}|BAD_MESSAGE|'shard_size'?",
        "{'op':'dataset','spec':{'name':'t','kind':'table','size':5}}|BAD_MESSAGE|either 'shard_size'",
        "{'op':'dataset','spec':{'name':'t','kind':'tabel','size':5,'shard_size':5}}|BAD_MESSAGE|table, text or stream",
        "{'op':'dataset','spec':{'name':'t','kind':'stream','size':5,'shard_size':5}}|BAD_MESSAGE|'partitions', not 'size'",
        "{'op':'dataset','spec':{'name':'t','kind':'table','size':5,'shard_size':5,'epochs':0}}|BAD_EPOCHS|at least 1",
        "{'op':'dataset','spec':{'name':'t','kind':'table','size':5,'shard_size':5,'max_retries':500}}|BAD_RETRIES|500 retries",
        "{'op':'dataset','spec':{'name':'t','kind':'table','size':5,'shard_size':5,'shuffle':'all'}}|BAD_MESSAGE|none, shards or records",
        "{'op':'restore'}|BAD_MESSAGE|either 'number' or 'ledger'",
        "{'op':'restore','ledger':{'job':'a/b','number':1,'crc32c':1,'ledgers':'?!'}}|DAMAGED_CHECKPOINT|not what",
        "{'op':'bye','reason':'tired'}|BAD_MESSAGE|done or error",
      })
  void saysWhatIsWrong(String json, ErrorCode code, String said) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOfSatisfying(PliantException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(said);
  }

  @Test
  void tooManyReportsAreRefused() {
    String one = "{'number':1,'lease':1,'fate':'done'}";
    assertThatThrownBy(() ->
            read(
                "{'op':'report','dataset':'d','reports':["
                    + (one + ",").repeat(4_096)
                    + one
                    + "]}"))
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_MANY));
  }

  @Test
  void longCauseIsCutAtACharacter() {
    for (int start = 0; start < 4; start++) {
      String cut = RequestReader.truncate("x".repeat(start) + "ü€𝄞".repeat(1_000));
      assertThat(cut.getBytes(StandardCharsets.UTF_8).length).isBetween(4_090, 4_096);
      assertThat(cut).endsWith("…").doesNotContain("\uFFFD");
    }
    assertThat(RequestReader.truncate("short")).isEqualTo("short");
    assertThat(RequestReader.truncate("\ud800")).isEqualTo("?");
  }
}
