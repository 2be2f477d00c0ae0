package dev.pliant.agent;

import dev.pliant.agent.json.JsonObject;
import java.nio.file.Path;

/// A training script as a program of its own, for processes that are really killed. Prints
/// `training` once it has its first shard; with an argument it then stands still on that shard
/// number.
final class TrainingScript {
  private TrainingScript() {}

  static void main(String[] arguments) throws Exception {
    long standStillOn = arguments.length > 0 ? Long.parseLong(arguments[0]) : -1;
    try (ScriptClient agent =
        ScriptClient.connect(
            Path.of(System.getenv("PLIANT_SOCKET")), System.getenv("PLIANT_WORKER"))) {
      agent.createTable("train", 300, 1);
      while (true) {
        JsonObject next = agent.next("train");
        if (next.text("state").equals("end")) {
          agent.bye("done");
          return;
        }
        if (next.text("state").equals("shard")) {
          JsonObject shard = next.object("shard");
          if (shard.number("number") == standStillOn) {
            System.out.println("standing still");
            Thread.sleep(Long.MAX_VALUE);
          }
          agent.report("train", shard, "done");
        }
      }
    }
  }
}
