package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class SpecChangeTest {
  static Stream<Arguments> changes() {
    return Stream.of(
        arguments("{'ttl':1}", "{'ttl':1}", "{}"),
        arguments("{'ttl':1,'suspend':true}", "{'ttl':1}", "{}"),
        arguments("{'ttl':1}", "{'ttl':2,'suspend':true}", "{'ttl':2}"),
        arguments("{'ttl':1}", "{}", "{'ttl':null}"),
        arguments("{}", "{'ttl':null}", "{}"),
        arguments("{'a':[1,2]}", "{'a':[2]}", "{'a':[2]}"),
        // A server keeps 1.0 as 1.
        arguments("{'a':[{'b':1}],'c':2}", "{'a':[{'b':1.0}],'c':2.0}", "{}"),
        arguments("{'a':[{'b':1}]}", "{'a':[{'b':'1'}]}", "{'a':[{'b':'1'}]}"),
        arguments("{'a':{'b':1,'c':1}}", "{'a':{'b':1}}", "{'a':{'c':null}}"),
        // How many workers there are is what was wished last, within the file's bounds.
        arguments(
            "{'replicaSpecs':{'worker':{'replicas':3,'x':1}}}",
            "{'replicaSpecs':{'worker':{'x':1}}}",
            "{}"),
        arguments(
            "{'worker':{'x':1},'replicaSpecs':{'worker':{'replicas':3}}}",
            "{'worker':{'x':1}}",
            "{}"),
        arguments(
            "{'replicaSpecs':{'worker':{'replicas':3}}}",
            "{'replicaSpecs':{'worker':{'replicas':2}}}",
            "{}"),
        arguments(
            "{'worker':{'replicas':2},'replicaSpecs':{'worker':{'replicas':4}}}",
            "{'worker':{'replicas':2}}",
            "{}"),
        arguments(
            "{'replicaSpecs':{'worker':{'replicas':4}}}",
            "{'replicaSpecs':{'worker':{'maxReplicas':3}}}",
            "{'replicaSpecs':{'worker':{'replicas':3,'maxReplicas':3}}}"),
        arguments(
            "{'worker':{'replicas':2}}", "{'worker':{'replicas':5,'x':1}}", "{'worker':{'x':1}}"),
        arguments(
            "{'replicaSpecs':{'ps':{'replicas':1}}}",
            "{'replicaSpecs':{'ps':{'replicas':2}}}",
            "{'replicaSpecs':{'ps':{'replicas':2}}}"));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void makesTheJobWhatItsFileSays(String there, String file, String want) throws Exception {
    assertThat(SpecChange.between(json(there), json(file))).isEqualTo(json(want));
  }

  @Test
  void namesWhatIsChanged() throws Exception {
    assertThat(SpecChange.paths("spec", json("{'a':{'b':1,'c':null},'d':[1]}")))
        .containsExactly("spec.a.b", "spec.a.c", "spec.d");
  }

  private static ObjectNode json(String text) throws JsonProcessingException {
    return (ObjectNode) new ObjectMapper().readTree(text.replace('\'', '"'));
  }
}
