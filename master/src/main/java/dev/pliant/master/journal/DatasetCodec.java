package dev.pliant.master.journal;

import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.ShardConsumption;
import dev.pliant.protocol.v1.StepConsumption;
import dev.pliant.protocol.v1.StreamSource;
import dev.pliant.protocol.v1.TableSource;
import dev.pliant.protocol.v1.TextSource;
import java.util.List;

/// Datasets as one protobuf message, in the journal and on the wire alike.
public final class DatasetCodec {
  private DatasetCodec() {}

  public static dev.pliant.protocol.v1.DatasetSpec encode(DatasetSpec spec) {
    var encoded =
        dev.pliant.protocol.v1.DatasetSpec.newBuilder()
            .setName(spec.name().value())
            .setEpochs(spec.epochs())
            .setShuffle(ProtoEnums.SHUFFLE.encode(spec.shuffle()))
            .setSeed(spec.seed());
    switch (spec.source()) {
      case Source.Table(long size) -> encoded.setTable(TableSource.newBuilder().setSize(size));
      case Source.Text(long size) -> encoded.setText(TextSource.newBuilder().setSize(size));
      case Source.Stream(List<Partition> partitions) ->
          encoded.setStream(StreamSource.newBuilder().addAllPartitions(encode(partitions)));
    }
    switch (spec.consumption()) {
      case Consumption.Shards(long size, int retries) ->
          encoded.setShards(
              ShardConsumption.newBuilder().setShardSize(size).setMaxRetries(retries));
      case Consumption.Steps(long size) ->
          encoded.setSteps(StepConsumption.newBuilder().setBatchSize(size));
    }
    return encoded.build();
  }

  /// @throws PliantException where the message lacks something, or the dataset is invalid
  public static DatasetSpec decode(dev.pliant.protocol.v1.DatasetSpec encoded) {
    Source source =
        switch (encoded.getSourceCase()) {
          case TABLE -> new Source.Table(encoded.getTable().getSize());
          case TEXT -> new Source.Text(encoded.getText().getSize());
          case STREAM -> new Source.Stream(decode(encoded.getStream().getPartitionsList()));
          case SOURCE_NOT_SET ->
              throw bad("the dataset has no source; give it a table, text or stream.");
        };
    Consumption consumption =
        switch (encoded.getConsumptionCase()) {
          case SHARDS ->
              new Consumption.Shards(
                  encoded.getShards().getShardSize(),
                  encoded.getShards().hasMaxRetries()
                      ? encoded.getShards().getMaxRetries()
                      : DatasetSpec.DEFAULT_RETRIES);
          case STEPS -> new Consumption.Steps(encoded.getSteps().getBatchSize());
          case CONSUMPTION_NOT_SET ->
              throw bad("the dataset says neither shards nor steps; say how it is consumed.");
        };
    return new DatasetSpec(
        new DatasetName(encoded.getName()),
        source,
        consumption,
        encoded.getEpochs(),
        ProtoEnums.SHUFFLE
            .find(encoded.getShuffle())
            .orElseThrow(() -> bad("the dataset names a shuffle that is not known.")),
        encoded.getSeed());
  }

  private static PliantException bad(String message) {
    return new PliantException(ErrorCode.BAD_MESSAGE, message);
  }

  public static dev.pliant.protocol.v1.Partition encode(Partition partition) {
    return dev.pliant.protocol.v1.Partition.newBuilder()
        .setName(partition.name())
        .setStart(partition.start())
        .setEnd(partition.end())
        .build();
  }

  static List<dev.pliant.protocol.v1.Partition> encode(List<Partition> partitions) {
    return partitions.stream().map(DatasetCodec::encode).toList();
  }

  public static List<Partition> decode(List<dev.pliant.protocol.v1.Partition> encoded) {
    return encoded.stream().map(p -> new Partition(p.getName(), p.getStart(), p.getEnd())).toList();
  }
}
