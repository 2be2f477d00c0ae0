package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsOrBool;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.ParameterizedType;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/// The definitions as the records and their annotations have them, with what annotations cannot
/// say: where a job's scale is found, and what a pod template must have at the least.
final class GeneratedDefinitions {
  private static final String QUANTITY =
      "^([0-9]+\\.?[0-9]*|\\.[0-9]+)(([eE][+-]?[0-9]{1,3})|[numkMGTPE]|[KMGTPE]i)?$";
  private static final Set<String> AMOUNTS = Set.of("resource", "resourceLimits");

  /// Kubernetes' own type, which is not described.
  private static final Map<String, String> CONDITION =
      Map.of(
          "type", "What is said.",
          "status", "True, False or Unknown.",
          "reason", "Why, in one word.",
          "message", "Why, and what to do, in sentences.",
          "lastTransitionTime", "When the status last changed.",
          "observedGeneration", "The generation of the object that this was said of.");

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .build();

  private GeneratedDefinitions() {}

  static List<CustomResourceDefinition> all() {
    CustomResourceDefinition job = generate(ElasticJobResource.class);
    return List.of(
        new CustomResourceDefinitionBuilder(job)
            .editSpec()
            .editFirstVersion()
            .editSubresources()
            .withNewScale(
                ".status.selector", ".spec.replicaSpecs.worker.replicas", ".status.replicas")
            .endSubresources()
            .endVersion()
            .endSpec()
            .build(),
        generate(ScalePlan.class),
        generate(JobResource.class));
  }

  private static CustomResourceDefinition generate(Class<? extends HasMetadata> type) {
    Map<String, ByteArrayOutputStream> written = new LinkedHashMap<>();
    int count =
        new CRDGenerator()
            .withOutput(new InMemory(written))
            .customResourceClasses(List.of(type))
            .forCRDVersions("v1")
            .generate();
    if (count != 1) {
      throw new IllegalStateException(count + " definitions of " + type);
    }
    CustomResourceDefinition definition =
        Serialization.unmarshal(
            written.values().iterator().next().toString(StandardCharsets.UTF_8),
            CustomResourceDefinition.class);
    for (CustomResourceDefinitionVersion version : definition.getSpec().getVersions()) {
      walk("", version.getSchema().getOpenAPIV3Schema(), GeneratedDefinitions::complete);
      describe(type, version.getSchema().getOpenAPIV3Schema());
      version.getSchema().getOpenAPIV3Schema().setRequired(List.of("spec"));
      List<String> order =
          Stream.of(type.getAnnotationsByType(AdditionalPrinterColumn.class))
              .map(AdditionalPrinterColumn::name)
              .toList();
      version
          .getAdditionalPrinterColumns()
          .sort(Comparator.comparing(column -> order.indexOf(column.getName())));
    }
    return definition;
  }

  /// Of an object as a whole, its spec and its status the generator says nothing by itself.
  private static void describe(Class<?> type, JSONSchemaProps root) {
    ParameterizedType resource = (ParameterizedType) type.getGenericSuperclass();
    List<String> parts = List.of("spec", "status");
    root.setDescription(description(type));
    for (int i = 0; i < parts.size(); i++) {
      Objects.requireNonNull(root.getProperties().get(parts.get(i)))
          .setDescription(description((Class<?>) resource.getActualTypeArguments()[i]));
    }
  }

  private static String description(Class<?> type) {
    return Objects.requireNonNull(type.getAnnotation(JsonClassDescription.class), type.getName())
        .value();
  }

  /// As a file has it: for people, in which a whole number is written as one.
  static String yaml(CustomResourceDefinition definition) {
    JsonNode tree = Serialization.jsonMapper().valueToTree(definition);
    try {
      return YAML.writeValueAsString(wholeNumbers(tree));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode wholeNumbers(JsonNode node) {
    if (node.isDouble() && node.doubleValue() == Math.rint(node.doubleValue())) {
      return LongNode.valueOf(node.longValue());
    }
    if (node instanceof ObjectNode object) {
      object.properties().forEach(field -> field.setValue(wholeNumbers(field.getValue())));
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        array.set(i, wholeNumbers(array.get(i)));
      }
    }
    return node;
  }

  private static void complete(String path, JSONSchemaProps schema) {
    // A record's component has its annotations on the field and on the accessor.
    schema.setXKubernetesValidations(
        schema.getXKubernetesValidations().stream().distinct().toList());
    schema
        .getProperties()
        .replaceAll((name, child) ->
            switch (name) {
              case "template" ->
                  new JSONSchemaPropsBuilder(template())
                      .withDescription(child.getDescription())
                      .build();
              case "envs" ->
                  new JSONSchemaPropsBuilder(child)
                      .withType("object")
                      .withXKubernetesPreserveUnknownFields(true)
                      .build();
              case "priority" -> bounded(child);
              default -> child;
            });
    AMOUNTS.stream()
        .map(schema.getProperties()::get)
        .filter(Objects::nonNull)
        .forEach(map -> {
          JSONSchemaPropsOrBool amounts = map.getAdditionalProperties();
          JSONSchemaProps amount = bounded(amounts.getSchema());
          amount.setPattern(QUANTITY);
          amounts.setSchema(amount);
        });
    JSONSchemaProps conditions = schema.getProperties().get("conditions");
    if (conditions != null) {
      conditions.setXKubernetesListType("map");
      conditions.setXKubernetesListMapKeys(List.of("type"));
      JSONSchemaProps condition = conditions.getItems().getSchema();
      condition.setRequired(List.of("type", "status"));
      CONDITION.forEach((name, said) ->
          Objects.requireNonNull(condition.getProperties().get(name)).setDescription(said));
    }
    JSONSchemaProps hosts = schema.getProperties().get("psHosts");
    if (hosts != null) {
      hosts.getItems().getSchema().setMaxLength(300L);
    }
  }

  /// What is a number must fit into one of ours; a text into a label.
  private static JSONSchemaProps bounded(JSONSchemaProps numberOrText) {
    return new JSONSchemaPropsBuilder(numberOrText)
        .withMaximum((double) Integer.MAX_VALUE)
        .withMinimum(0d)
        .withMaxLength(63L)
        .build();
  }

  private static JSONSchemaProps template() {
    JSONSchemaProps container = open().withRequired("name").addToProperties("name", text()).build();
    JSONSchemaProps containers =
        new JSONSchemaPropsBuilder()
            .withType("array")
            .withMinItems(1L)
            .withMaxItems(64L)
            .withNewItems()
            .withSchema(container)
            .endItems()
            .build();
    JSONSchemaProps spec =
        open().withRequired("containers").addToProperties("containers", containers).build();
    return open().withRequired("spec").addToProperties("spec", spec).build();
  }

  private static JSONSchemaProps text() {
    return new JSONSchemaPropsBuilder().withType("string").withMaxLength(63L).build();
  }

  private static JSONSchemaPropsBuilder open() {
    return new JSONSchemaPropsBuilder()
        .withType("object")
        .withXKubernetesPreserveUnknownFields(true);
  }

  /// Fields that are not described, by their path. What Kubernetes owns, a pod template, is not
  /// looked into.
  static Set<String> undescribed(String path, JSONSchemaProps schema) {
    Set<String> found = new TreeSet<>();
    walk(
        path,
        schema,
        (at, node) -> {
          boolean field = !at.endsWith("[]") && !at.endsWith("{}");
          String said = node.getDescription();
          boolean sentence = said != null && said.matches("(?s)[A-Z].*[.]");
          if (field && !at.contains(".template.") && !sentence) {
            found.add(at);
          }
        });
    return found;
  }

  /// Whole numbers without a largest one, by their path.
  static Set<String> unboundedNumbers(String path, JSONSchemaProps schema) {
    Set<String> found = new TreeSet<>();
    walk(
        path,
        schema,
        (at, node) -> {
          boolean number =
              "integer".equals(node.getType())
                  || Boolean.TRUE.equals(node.getXKubernetesIntOrString());
          if (number && (node.getMaximum() == null || node.getMaximum() > Integer.MAX_VALUE)) {
            found.add(at);
          }
        });
    return found;
  }

  private static void walk(
      String path, JSONSchemaProps schema, BiConsumer<String, JSONSchemaProps> visit) {
    visit.accept(path, schema);
    schema.getProperties().forEach((name, child) -> walk(path + "." + name, child, visit));
    if (schema.getItems() != null && schema.getItems().getSchema() != null) {
      walk(path + "[]", schema.getItems().getSchema(), visit);
    }
    if (schema.getAdditionalProperties() != null
        && schema.getAdditionalProperties().getSchema() != null) {
      walk(path + "{}", schema.getAdditionalProperties().getSchema(), visit);
    }
  }

  /// Keeps what is written, by name. The generator takes addresses of files only.
  private record InMemory(Map<String, ByteArrayOutputStream> written)
      implements CRDGenerator.CRDOutput<OutputStream> {
    @Override
    public OutputStream outputFor(String name) {
      return written.computeIfAbsent(name, _ -> new ByteArrayOutputStream());
    }

    @Override
    public URI crdURI(String name) {
      return URI.create("file:/" + name);
    }

    @Override
    public void close() throws IOException {}
  }
}
