package dev.pliant.operator.cluster;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/// What an operator has done, in Prometheus' form.
public final class OperatorMetrics {
  private final LongAdder looks = new LongAdder();
  private final LongAdder podsCreated = new LongAdder();
  private final LongAdder podsDeleted = new LongAdder();
  private final LongAdder podsRefused = new LongAdder();
  private final LongAdder statusesWritten = new LongAdder();
  private final IntSupplier jobs;

  OperatorMetrics(IntSupplier jobs) {
    this.jobs = jobs;
  }

  void looked() {
    looks.increment();
  }

  void podCreated() {
    podsCreated.increment();
  }

  void podDeleted() {
    podsDeleted.increment();
  }

  void podRefused() {
    podsRefused.increment();
  }

  void statusWritten() {
    statusesWritten.increment();
  }

  /// All of them, as text.
  public String text() {
    StringBuilder text = new StringBuilder();
    Runtime runtime = Runtime.getRuntime();
    gauge(text, "jobs", "Jobs that this operator sees to.", jobs.getAsInt());
    gauge(
        text,
        "heap_used_bytes",
        "Memory in use by objects.",
        runtime.totalMemory() - runtime.freeMemory());
    counter(text, "looks_total", "Times that a job was looked at.", looks);
    counter(text, "pods_created_total", "Pods made.", podsCreated);
    counter(text, "pods_deleted_total", "Pods deleted.", podsDeleted);
    counter(text, "pods_refused_total", "Pods that the cluster would not take.", podsRefused);
    counter(text, "statuses_written_total", "Statuses of jobs written.", statusesWritten);
    return text.toString();
  }

  private static void counter(StringBuilder text, String name, String help, LongAdder value) {
    line(text, name, "counter", help, value.sum());
  }

  private static void gauge(StringBuilder text, String name, String help, long value) {
    line(text, name, "gauge", help, value);
  }

  private static void line(StringBuilder text, String name, String type, String help, long value) {
    String full = "pliant_operator_" + name;
    text.append(
        "# HELP %s %s\n# TYPE %s %s\n%s %d\n".formatted(full, help, full, type, full, value));
  }
}
