package dev.pliant.agent.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {
  private static JsonObject read(String json) {
    return JsonReader.read(json.getBytes(StandardCharsets.UTF_8));
  }

  private static void assertBad(ThrowingCallable call, String said) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_MESSAGE))
        .hasMessageContaining(said);
  }

  @Test
  void readsEveryKindOfValue() {
    JsonObject object =
        read(
            """
            {"text": "ü\\n", "number": -9223372036854775808, "yes": true, "none": null,
             "inner": {"count": 3}, "list": [{"a": 1}, {"a": 2}], "float": 0.5}
            """);
    assertThat(object.text("text")).isEqualTo("ü\n");
    assertThat(object.number("number")).isEqualTo(Long.MIN_VALUE);
    assertThat(object.flag("yes", false)).isTrue();
    assertThat(object.has("none")).isFalse();
    assertThat(object.object("inner").count("count")).isEqualTo(3);
    assertThat(object.objects("list", 2)).extracting(o -> o.number("a")).containsExactly(1L, 2L);
    assertThat(object.text("absent", "otherwise")).isEqualTo("otherwise");
  }

  @Test
  void saysWhichFieldIsWrongAndHow() {
    JsonObject object = read("{\"a\": {\"b\": \"x\", \"c\": -1}, \"n\": null, \"l\": [1]}");
    assertBad(() -> object.object("a").number("b"), "'a.b' is the string 'x'; it must be a whole");
    assertBad(() -> object.object("a").count("c"), "'a.c' is -1; it must be a whole number of at");
    assertBad(() -> object.text("z"), "'z' is missing; it must be a string");
    assertBad(() -> object.text("n"), "'n' is null");
    assertBad(() -> object.objects("l", 5), "'l' is a list; it must be a list of objects");
    assertBad(() -> object.allowOnly(List.of("a", "name", "l")), "'n' is no field");
  }

  @Test
  void namesTheFieldThatWasProbablyMeant() {
    assertBad(
        () -> read("{\"shard_sise\": 1}").allowOnly(List.of("size", "shard_size", "seed")),
        "did you mean 'shard_size'?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "[]",
        "1",
        "\"a\"",
        "{",
        "{}{}",
        "{} x",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1,\"a\":2}",
        "{a:1}",
        "{\"a\":01}",
        "{\"a\":NaN}",
        "{\"a\":1e999999999999}",
        "{\"a\":99999999999999999999}",
        "{\"a\":\"\\ud8\"}",
        "{\"a\":'b'}",
        "/**/{}"
      })
  void refusesWhatIsNoStrictObject(String json) {
    if (json.equals("{\"a\":1e999999999999}")) {
      assertBad(() -> read(json).number("a"), "'a' is Infinity");
    } else {
      assertThatThrownBy(() -> read(json)).isInstanceOf(PliantException.class);
    }
  }

  @Test
  void refusesOtherEncodings() {
    for (var charset : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
      assertThatThrownBy(() -> JsonReader.read("{\"a\":1}".getBytes(charset)))
          .isInstanceOf(PliantException.class);
    }
    assertThatThrownBy(
            () -> JsonReader.read(new byte[] {'{', '"', (byte) 0xFF, '"', ':', '1', '}'}))
        .isInstanceOf(PliantException.class);
  }

  @Test
  void boundsDepthAndCount() {
    assertBad(() -> read("{\"a\":" + "[".repeat(1_000_000)), "no JSON");
    assertBad(
        () -> read("{\"a\":[" + "{},".repeat(JsonReader.MAX_VALUES) + "{}]}"),
        "more than 100,000 values");
  }

  @Test
  void malformedBytesNeverDoMoreThanBeRefused() {
    long seed = new SplittableRandom().nextLong();
    System.out.println("JsonReaderTest: seed " + seed);
    SplittableRandom chance = new SplittableRandom(seed);
    byte[] good =
        """
        {"id":1,"op":"report","dataset":"train","reports":[{"number":17,"lease":1,"fate":"failed","cause":"ü\\u0041"}],"x":[true,null,-0.5e3]}\
        """
            .getBytes(StandardCharsets.UTF_8);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = good.clone();
      for (int changes = chance.nextInt(1, 5); changes > 0; changes--) {
        bytes[chance.nextInt(bytes.length)] = (byte) chance.nextInt();
      }
      try {
        JsonReader.read(java.util.Arrays.copyOf(bytes, chance.nextInt(bytes.length + 1)));
      } catch (PliantException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.BAD_MESSAGE);
        refused++;
      }
    }
    assertThat(refused).isPositive();
  }
}
