package dev.pliant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WhereTest {
  @TempDir Path folder;

  @Test
  void aClustersOptionsMeanACluster() throws IOException {
    Path empty = Files.writeString(folder.resolve("config"), "apiVersion: v1\nkind: Config\n");
    Called called = Called.with("get", "--kubeconfig", empty.toString());

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err()).contains("no cluster is named").contains("--kubeconfig or KUBECONFIG");
  }

  @Test
  void aFileThatIsNotThereIsSaid() {
    Called called = Called.with("describe", "x", "--kubeconfig", folder.resolve("no").toString());
    assertThat(called.err()).contains("there is no file " + folder.resolve("no"));
  }

  @Test
  void aFileThatIsNoKubeconfigIsNamed() throws IOException {
    for (String text : new String[] {"{{ no: yaml", "just words", "[1, 2]", "clusters: 7"}) {
      Path file = Files.writeString(folder.resolve("broken"), text);
      Called called = Called.with("get", "--kubeconfig", file.toString());

      assertThat(called.exitCode()).as(text).isEqualTo(1);
      assertThat(called.err())
          .as(text)
          .startsWith("pliant: the kubeconfig %s cannot be used: ".formatted(file));
    }
  }

  @Test
  void whatDoesNotGoTogetherIsSaid() {
    assertThat(Called.with("get", "--on", "local", "--context", "x").err())
        .contains("--on local does not fit");
    assertThat(Called.with("get", "-A", "-n", "x").err()).contains("-A does not go with");
    assertThat(Called.with("describe", "a/b", "-n", "c").err())
        .contains("'a/b' is in the namespace 'a', and --namespace says 'c'");
    assertThat(Called.with("get", "--on", "mars").err()).contains("[local, kubernetes]");
  }

  @Test
  void aNamespaceCountsOnThisMachineToo() {
    assertThat(Called.with("describe", "no-such-job", "-n", "team").err())
        .contains("there is no job team/no-such-job on this machine");
  }
}
