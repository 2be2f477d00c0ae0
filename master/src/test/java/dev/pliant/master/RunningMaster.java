package dev.pliant.master;

import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DataServiceGrpc;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.RendezvousServiceGrpc;
import dev.pliant.protocol.v1.ShardConsumption;
import dev.pliant.protocol.v1.TableSource;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/// A real master on loopback, with TLS, and a channel to it that carries its token.
final class RunningMaster implements AutoCloseable {
  final Path folder;
  final Master master;
  final ManagedChannel channel;

  RunningMaster(MasterConfig config) throws IOException {
    folder = config.folder();
    master = Master.start(config, InstantSource.system());
    channel = channel(config.insecureLoopback());
  }

  static RunningMaster start(JobId job, Path folder) throws IOException {
    return new RunningMaster(MasterConfig.of(job, folder));
  }

  private ManagedChannel channel(boolean insecure) throws IOException {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress("127.0.0.1", master.port()).directExecutor();
    if (insecure) {
      return builder.usePlaintext().build();
    }
    return builder
        .sslContext(
            GrpcSslContexts.forClient().trustManager(folder.resolve("ca.pem").toFile()).build())
        .build();
  }

  String token() throws IOException {
    return Files.readString(folder.resolve("token")).trim();
  }

  static Metadata bearer(String token) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    return headers;
  }

  DataServiceGrpc.DataServiceBlockingStub data() throws IOException {
    return DataServiceGrpc.newBlockingStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(bearer(token())))
        .withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  DataServiceGrpc.DataServiceStub streaming() throws IOException {
    return DataServiceGrpc.newStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(bearer(token())))
        .withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  RendezvousServiceGrpc.RendezvousServiceStub rendezvous() throws IOException {
    return RendezvousServiceGrpc.newStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(bearer(token())));
  }

  JobServiceGrpc.JobServiceBlockingStub job() throws IOException {
    return JobServiceGrpc.newBlockingStub(channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(bearer(token())))
        .withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  static CreateDatasetRequest table(String name, long size, long shardSize, long epochs) {
    return CreateDatasetRequest.newBuilder()
        .setSpec(
            DatasetSpec.newBuilder()
                .setName(name)
                .setTable(TableSource.newBuilder().setSize(size))
                .setShards(ShardConsumption.newBuilder().setShardSize(shardSize))
                .setEpochs(epochs))
        .build();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    master.close();
  }
}
