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
/// wrote: they are not part of this tree, and may lie beside it. So is a class of tests in the source
/// tree of which no test is reported: JUnit says nothing of one that is given up before its first.
final class Summary {
  private record Skipped(String test, String why) {}

  private static final String FROM_OTHERS = "beside the tree";

  private record Row(String module, String kind, int run, int skipped, double seconds) {}

  public static void main(String[] arguments) throws Exception {
    Path root = Path.of(arguments[0]);
    List<Row> rows = new ArrayList<>();
    List<Skipped> skipped = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.filter(m -> Files.exists(m.resolve("pom.xml"))).sorted().toList()) {
        read(module, "unit", "surefire-reports", rows, skipped);
        read(module, "integration", "failsafe-reports", rows, skipped);
        missing.addAll(withoutReport(module));
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
    for (String one : missing) {
      System.out.println("not run: " + one);
    }
    List<Skipped> avoidable =
        skipped.stream().filter(one -> !one.why.contains(FROM_OTHERS)).toList();
    if (skipped.isEmpty() && missing.isEmpty()) {
      System.out.println("Nothing was skipped.");
    } else if (!(avoidable.isEmpty() && missing.isEmpty()) && "true".equals(System.getenv("CI"))) {
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
      Element suite = suite(file);
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

  /// Classes of tests whose report is not there, or has no test.
  private static List<String> withoutReport(Path module) throws Exception {
    Path sources = module.resolve("src/test/java");
    List<String> missing = new ArrayList<>();
    if (!Files.isDirectory(sources)) {
      return missing;
    }
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(f -> f.toString().matches(".*(Test|IT)\\.java")).sorted().toList()) {
        String name = sources.relativize(file).toString().replace(".java", "").replace('/', '.');
        String simple = name.substring(name.lastIndexOf('.') + 1);
        String folder = simple.endsWith("IT") ? "failsafe-reports" : "surefire-reports";
        Path report = module.resolve("target").resolve(folder).resolve("TEST-" + name + ".xml");
        boolean isForOthers = Files.readString(file).contains("abstract class " + simple + " ");
        // Those of nested classes are there, but not in the attribute that counts.
        boolean ran =
            Files.exists(report) && suite(report).getElementsByTagName("testcase").getLength() > 0;
        if (!isForOthers && !ran) {
          missing.add(name);
        }
      }
    }
    return missing;
  }

  private static Element suite(Path report) throws Exception {
    return DocumentBuilderFactory.newDefaultInstance()
        .newDocumentBuilder()
        .parse(report.toFile())
        .getDocumentElement();
  }

  private static List<Path> reports(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(f -> f.getFileName().toString().matches("TEST-.*\\.xml")).sorted().toList();
    }
  }
}
