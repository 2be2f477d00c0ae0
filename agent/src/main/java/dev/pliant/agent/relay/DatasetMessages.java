package dev.pliant.agent.relay;

import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.Partition;
import dev.pliant.protocol.v1.ShardConsumption;
import dev.pliant.protocol.v1.Shuffle;
import dev.pliant.protocol.v1.StepConsumption;
import dev.pliant.protocol.v1.StreamSource;
import dev.pliant.protocol.v1.TableSource;
import dev.pliant.protocol.v1.TextSource;

/// Datasets as the wire has them.
final class DatasetMessages {
  private DatasetMessages() {}

  static DatasetSpec spec(dev.pliant.model.DatasetSpec spec) {
    DatasetSpec.Builder message =
        DatasetSpec.newBuilder()
            .setName(spec.name().value())
            .setEpochs(spec.epochs())
            .setSeed(spec.seed());
    switch (spec.source()) {
      case Source.Table(long size) -> message.setTable(TableSource.newBuilder().setSize(size));
      case Source.Text(long size) -> message.setText(TextSource.newBuilder().setSize(size));
      case Source.Stream(var partitions) -> {
        StreamSource.Builder stream = StreamSource.newBuilder();
        partitions.forEach(partition -> stream.addPartitions(partition(partition)));
        message.setStream(stream);
      }
    }
    switch (spec.consumption()) {
      case Consumption.Shards(long size, int retries) ->
          message.setShards(
              ShardConsumption.newBuilder().setShardSize(size).setMaxRetries(retries));
      case Consumption.Steps(long size) ->
          message.setSteps(StepConsumption.newBuilder().setBatchSize(size));
    }
    return message
        .setShuffle(
            switch (spec.shuffle()) {
              case NONE -> Shuffle.SHUFFLE_UNSPECIFIED;
              case SHARDS -> Shuffle.SHUFFLE_SHARDS;
              case RECORDS -> Shuffle.SHUFFLE_RECORDS;
            })
        .build();
  }

  static Partition partition(dev.pliant.model.DatasetSpec.Partition partition) {
    return Partition.newBuilder()
        .setName(partition.name())
        .setStart(partition.start())
        .setEnd(partition.end())
        .build();
  }
}
