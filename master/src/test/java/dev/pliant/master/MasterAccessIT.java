package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.PingRequest;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Who is let in, over the wire, and what a stranger learns.
class MasterAccessIT extends WireTest {
  @Test
  void letsNobodyInWithoutTheJobsToken() throws IOException {
    var bare = JobServiceGrpc.newBlockingStub(running.channel);
    assertFault(
        Status.Code.UNAUTHENTICATED,
        ErrorCode.NO_TOKEN,
        "carries no token",
        () -> bare.ping(PingRequest.getDefaultInstance()));
    String token = running.token();
    String wrong = token.substring(0, token.length() - 2) + "xx";
    assertFault(
        Status.Code.UNAUTHENTICATED,
        ErrorCode.NO_TOKEN,
        "is not job default/wire's",
        () -> with(wrong).ping(PingRequest.getDefaultInstance()));
    try (RunningMaster other = RunningMaster.start(JobId.parse("other"), folder.resolve("other"))) {
      assertFault(
          Status.Code.PERMISSION_DENIED,
          ErrorCode.FOREIGN_TOKEN,
          "job default/other's",
          () -> with(other.token()).ping(PingRequest.getDefaultInstance()));
    }
    assertThatThrownBy(() ->
            HealthGrpc.newBlockingStub(running.channel)
                .check(HealthCheckRequest.getDefaultInstance()))
        .hasMessageContaining("UNAUTHENTICATED");
  }

  private JobServiceGrpc.JobServiceBlockingStub with(String token) {
    return JobServiceGrpc.newBlockingStub(running.channel)
        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(RunningMaster.bearer(token)))
        .withDeadlineAfter(10, TimeUnit.SECONDS);
  }

  @Test
  void keepsItsSecretsToItsOwner() throws IOException {
    for (String secret : List.of("token", "server.key", "journal", ".")) {
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(running.folder.resolve(secret))))
          .as(secret)
          .endsWith("------");
    }
  }

  @Test
  void refusesToServeWithoutTlsBeyondLoopback() {
    assertThatThrownBy(() ->
            MasterConfig.builder(JOB, folder)
                .listen(new InetSocketAddress("0.0.0.0", 0))
                .insecureLoopback(true)
                .build())
        .hasMessageContaining("loopback");
  }

  @Test
  void tellsOfItsHealthAndItsServices() throws IOException {
    var health =
        HealthGrpc.newBlockingStub(running.channel)
            .withInterceptors(
                MetadataUtils.newAttachHeadersInterceptor(RunningMaster.bearer(running.token())));
    assertThat(health.check(HealthCheckRequest.getDefaultInstance()).getStatusValue()).isEqualTo(1);
    assertThat(listServices())
        .contains("pliant.v1.DataService", "pliant.v1.JobService", "grpc.health.v1.Health");
  }

  private List<String> listServices() throws IOException {
    CompletableFuture<List<String>> names = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> master =
        ServerReflectionGrpc.newStub(running.channel)
            .withInterceptors(
                MetadataUtils.newAttachHeadersInterceptor(RunningMaster.bearer(running.token())))
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    names.complete(
                        response.getListServicesResponse().getServiceList().stream()
                            .map(ServiceResponse::getName)
                            .toList());
                  }

                  @Override
                  public void onError(Throwable error) {
                    names.completeExceptionally(error);
                  }

                  @Override
                  public void onCompleted() {}
                });
    master.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    master.onCompleted();
    return names.orTimeout(20, TimeUnit.SECONDS).join();
  }
}
