package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ClusterFaultsTest {
  static Stream<Arguments> refusals() {
    return Stream.of(
        arguments(401, "Unauthorized", ErrorCode.NOT_ALLOWED, "does not know you"),
        arguments(
            403,
            "elasticjobs is forbidden: User \"ann\" cannot list",
            ErrorCode.NOT_ALLOWED,
            "you may not list the jobs: elasticjobs is forbidden: User \"ann\" cannot list. Ask"),
        arguments(
            404,
            "the server could not find the requested resource",
            ErrorCode.NOT_INSTALLED,
            "Pliant is not installed there"),
        arguments(
            404,
            "elasticjobs.elastic.iml.github.io \"x\" not found",
            ErrorCode.UNKNOWN_JOB,
            "\"x\" not found."),
        arguments(409, "x already exists", ErrorCode.JOB_EXISTS, "already exists."),
        arguments(
            422,
            "spec.replicas:\n  must be positive.",
            ErrorCode.BAD_JOB_FILE,
            "the cluster refuses it: spec.replicas: must be positive."),
        arguments(
            503, "etcd is away", ErrorCode.NO_CLUSTER, "answers with code 503: etcd is away."));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void saysWhatWasRefusedAndWhatToDo(int code, String said, ErrorCode want, String words) {
    Status status = new StatusBuilder().withCode(code).withMessage(said).build();
    PliantException fault =
        ClusterFaults.of(
            new KubernetesClientException("Failure executing: GET", code, status),
            "list the jobs",
            "https://there (context it)");

    assertThat(fault.code()).isEqualTo(want);
    assertThat(fault).hasMessageContaining(words).hasMessageEndingWith(".");
  }

  static Stream<Arguments> silences() {
    return Stream.of(
        arguments(new ConnectException(), "nobody listens there"),
        arguments(new UnknownHostException("there"), "its name is not known"),
        arguments(new HttpConnectTimeoutException("slow"), "does not answer in time"),
        arguments(new SSLHandshakeException("unknown CA"), "not accepted: unknown CA"),
        arguments(new IOException("cut off"), "cut off"));
  }

  @ParameterizedTest
  @MethodSource("silences")
  void saysWhyNobodyAnswers(Exception cause, String words) {
    PliantException fault =
        ClusterFaults.of(
            new KubernetesClientException("An error has occurred.", new IOException(cause)),
            "list the jobs",
            "https://there");

    assertThat(fault.code()).isEqualTo(ErrorCode.NO_CLUSTER);
    assertThat(fault)
        .hasMessageContaining("the cluster at https://there cannot be reached: ")
        .hasMessageContaining(words)
        .hasMessageContaining("--kubeconfig");
  }
}
