package dev.pliant.cli.log;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.helpers.Reporter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/// The log of an agent: the lines that `logback.xml` describes, at the levels it has, without
/// logback, which takes an eighth of the memory that an agent may have. As there, `-Dpliant.log` is
/// the level of what is Pliant's.
public final class PlainLogs implements SLF4JServiceProvider {
  private static final String OURS = "dev.pliant";

  /// Has this process log by it, if it has not logged yet and nobody has chosen another way.
  public static void choose() {
    if (System.getProperty(LoggerFactory.PROVIDER_PROPERTY_KEY) == null) {
      System.setProperty(LoggerFactory.PROVIDER_PROPERTY_KEY, PlainLogs.class.getName());
      System.setProperty(Reporter.SLF4J_INTERNAL_VERBOSITY_KEY, "WARN"); // Else it tells of that.
    }
  }

  private final ConcurrentMap<String, PlainLogger> loggers = new ConcurrentHashMap<>();
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter nothing = new NOPMDCAdapter();
  private final Level level = level(System.getProperty("pliant.log", ""));

  @Override
  public ILoggerFactory getLoggerFactory() {
    return name -> loggers.computeIfAbsent(name, this::logger);
  }

  private PlainLogger logger(String name) {
    boolean ours = name.equals(OURS) || name.startsWith(OURS + ".");
    return new PlainLogger(name, ours ? level : Level.WARN);
  }

  /// The least level that is written; what is no level's name is INFO.
  static Level level(String name) {
    for (Level each : Level.values()) {
      if (each.name().equalsIgnoreCase(name)) {
        return each;
      }
    }
    return Level.INFO;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return nothing;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {}
}
