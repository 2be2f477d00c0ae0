import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/// What `./mvnw verify` ends with: a table of the tests that ran in every module, and of those that were
/// skipped, with why. Where CI=true a skipped test is an error, but for those of files that others
/// wrote: they are not part of this tree, and may lie beside it.
final class Summary {
  private record Skipped(String test, String why) {}

  private static final String FROM_OTHERS = "beside the tree";

  private record Row(String module, String kind, int run, int skipped, double seconds) {}

  public static void main(String[] arguments) throws Exception {
    Path root = Path.of(arguments[0]);
    List<Row> rows = new ArrayList<>();
    List<Skipped> skipped = new ArrayList<>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.filter(m -> Files.exists(m.resolve("pom.xml"))).sorted().toList()) {
        read(module, "unit", "surefire-reports", rows, skipped);
        read(module, "integration", "failsafe-reports", rows, skipped);
      }
    }
    System.out.println();
    System.out.printf("%-12s %-12s %7s %9s %9s%n", "MODULE", "TESTS", "RUN", "SKIPPED", "SECONDS");
    for (Row row : rows) {
      System.out.printf(
          "%-12s %-12s %7d %9d %9.1f%n", row.module, row.kind, row.run, row.skipped, row.seconds);
    }
    for (Skipped one : skipped) {
      System.out.println("skipped: " + one.test + ": " + one.why);
    }
    List<Skipped> avoidable =
        skipped.stream().filter(one -> !one.why.contains(FROM_OTHERS)).toList();
    if (skipped.isEmpty()) {
      System.out.println("Nothing was skipped.");
    } else if (!avoidable.isEmpty() && "true".equals(System.getenv("CI"))) {
      System.out.println("CI=true: what is skipped is an error.");
      System.exit(1);
    }
  }

  private static void read(
      Path module, String kind, String reports, List<Row> rows, List<Skipped> skipped)
      throws Exception {
    Path folder = module.resolve("target").resolve(reports);
    if (!Files.isDirectory(folder)) {
      return;
    }
    int run = 0;
    int left = 0;
    double seconds = 0;
    for (Path file : reports(folder)) {
      Element suite =
          DocumentBuilderFactory.newDefaultInstance()
              .newDocumentBuilder()
              .parse(file.toFile())
              .getDocumentElement();
      run += Integer.parseInt(suite.getAttribute("tests"));
      left += Integer.parseInt(suite.getAttribute("skipped"));
      seconds += Double.parseDouble(suite.getAttribute("time").replace(",", ""));
      NodeList marks = suite.getElementsByTagName("skipped");
      for (int i = 0; i < marks.getLength(); i++) {
        Element mark = (Element) marks.item(i);
        Element test = (Element) mark.getParentNode();
        String name = test.getAttribute("classname") + "." + test.getAttribute("name");
        skipped.add(
            new Skipped(name, mark.getAttribute("message").replace("Assumption failed: ", "")));
      }
    }
    if (run > 0) {
      rows.add(new Row(module.getFileName().toString(), kind, run - left, left, seconds));
    }
  }

  private static List<Path> reports(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(f -> f.getFileName().toString().matches("TEST-.*\\.xml")).sorted().toList();
    }
  }
}
