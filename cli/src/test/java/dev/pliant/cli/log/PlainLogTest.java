package dev.pliant.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;

final class PlainLogTest {
  private static final String LOGGER = "dev.pliant.agent.node.Node";

  @ParameterizedTest
  @CsvSource({"INFO, 09:05:07.004", "WARN, 23:59:59.999", "ERROR, 00:00:00.000"})
  void writesTheLineThatLogbackWrites(String level, LocalTime at) throws Exception {
    assertThat(PlainLogger.text(at, org.slf4j.event.Level.valueOf(level), "Node", "it ended", null))
        .isEqualTo(byLogback(level, at, "it ended"));
  }

  @Test
  void showsWhereAFaultArose() {
    var fault = new IllegalStateException("no port", new java.io.IOException("none is free"));
    String text =
        PlainLogger.text(LocalTime.NOON, org.slf4j.event.Level.ERROR, "Node", "ended", fault);
    assertThat(text)
        .startsWith("12:00:00.000 ERROR Node: ended\njava.lang.IllegalStateException: no port\n")
        .contains("\tat " + PlainLogTest.class.getName() + ".showsWhereAFaultArose(")
        .contains("\nCaused by: java.io.IOException: none is free\n")
        .endsWith("\n");
  }

  @ParameterizedTest
  @CsvSource({
    "'', dev.pliant.agent.Agent, INFO, true",
    "'', dev.pliant.agent.Agent, DEBUG, false",
    "debug, dev.pliant.agent.Agent, DEBUG, true",
    "ERROR, dev.pliant.agent.Agent, WARN, false",
    "debug, dev.pliantly.Other, INFO, false",
    "debug, io.grpc.Context, INFO, false",
    "ERROR, io.grpc.Context, WARN, true",
    "no-such-level, dev.pliant.agent.Agent, INFO, true",
  })
  void hasTheLevelsOfTheConfiguration(String property, String name, String level, boolean want) {
    String before = System.getProperty("pliant.log");
    System.setProperty("pliant.log", property);
    try {
      Logger logger = new PlainLogs().getLoggerFactory().getLogger(name);
      assertThat(logger.isEnabledForLevel(org.slf4j.event.Level.valueOf(level))).isEqualTo(want);
    } finally {
      if (before == null) {
        System.clearProperty("pliant.log");
      } else {
        System.setProperty("pliant.log", before);
      }
    }
  }

  /// By the pattern in the configuration of every other process.
  private static String byLogback(String level, LocalTime at, String message) throws Exception {
    Matcher pattern =
        Pattern.compile("<pattern>(.*)</pattern>")
            .matcher(Files.readString(Path.of("src/main/resources/logback.xml")));
    assertThat(pattern.find()).isTrue();
    LoggerContext context = new LoggerContext();
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(pattern.group(1));
    encoder.start();
    LoggingEvent event =
        new LoggingEvent(
            "here", context.getLogger(LOGGER), Level.toLevel(level), message, null, null);
    event.setInstant(
        LocalDate.of(2026, 1, 1).atTime(at).atZone(ZoneId.systemDefault()).toInstant());
    return new String(encoder.encode(event), StandardCharsets.UTF_8);
  }
}
