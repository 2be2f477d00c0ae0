package dev.pliant.crds;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How much of what one node is to have, as plans and JobResources write it. A plain number is
/// cores of `cpu`, MiB of `memory` and `disk`, devices of `gpu`; a text is a quantity of
/// Kubernetes.
///
/// @param quantities by Kubernetes' names for resources: `cpu`, `memory`, `ephemeral-storage`,
///   `nvidia.com/gpu` and whatever else a cluster has
public record ResourceAmounts(Map<String, String> quantities) {
  public static final String CPU = "cpu";
  public static final String MEMORY = "memory";
  public static final String DISK = "ephemeral-storage";
  public static final String GPU = "nvidia.com/gpu";

  /// Names nothing.
  public static final ResourceAmounts NONE = new ResourceAmounts(Map.of());

  private static final double MIB = 1 << 20;

  public ResourceAmounts {
    quantities.forEach((name, quantity) -> {
      if (!Quantity.isOne(quantity)) {
        throw bad(name, quantity);
      }
    });
    quantities = Collections.unmodifiableMap(new LinkedHashMap<>(quantities));
  }

  /// What `resource` of a plan says.
  ///
  /// @throws PliantException where a value is no amount, or a resource is named twice
  public static ResourceAmounts of(@Nullable Map<String, IntOrString> resource) {
    if (resource == null) {
      return NONE;
    }
    Map<String, String> quantities = new LinkedHashMap<>();
    resource.forEach((key, amount) -> {
      String name = kubernetesName(key);
      String text = quantity(name, amount);
      if (!Quantity.isOne(text)) {
        throw bad(key, text);
      }
      if (quantities.put(name, text) != null) {
        throw new PliantException(
            ErrorCode.BAD_JOB_PLAN,
            "the resource '%s' stands twice, under two of its names.".formatted(name));
      }
    });
    return new ResourceAmounts(quantities);
  }

  /// What a master decided; what it leaves unbounded is not named.
  public static ResourceAmounts of(NodeResources resources) {
    Map<String, String> quantities = new LinkedHashMap<>();
    if (resources.cpu() > 0) {
      quantities.put(CPU, BigDecimal.valueOf(resources.cpu()).stripTrailingZeros().toPlainString());
    }
    if (resources.memoryMib() > 0) {
      quantities.put(MEMORY, resources.memoryMib() + "Mi");
    }
    if (resources.gpus() > 0) {
      quantities.put(GPU, Integer.toString(resources.gpus()));
    }
    return new ResourceAmounts(quantities);
  }

  private static String kubernetesName(String key) {
    return switch (key) {
      case "disk" -> DISK;
      case "gpu" -> GPU;
      default -> key;
    };
  }

  private static String quantity(String name, IntOrString amount) {
    Integer number = amount.getIntVal();
    if (number == null) {
      return String.valueOf(amount.getStrVal());
    }
    boolean mebibytes = name.equals(MEMORY) || name.equals(DISK);
    return mebibytes && number > 0 ? number + "Mi" : number.toString();
  }

  /// The same as a node's bounds; what is not named here is as in `otherwise`.
  public NodeResources over(NodeResources otherwise) {
    double cpu = amount(CPU, otherwise.cpu());
    double memory = amount(MEMORY, otherwise.memoryMib() * MIB);
    double gpus = amount(GPU, otherwise.gpus());
    return new NodeResources(
        cpu, (long) Math.ceil(memory / MIB), (int) Math.min(gpus, Integer.MAX_VALUE));
  }

  private double amount(String name, double otherwise) {
    String quantity = quantities.get(name);
    return quantity == null ? otherwise : Quantity.of(quantity);
  }

  /// As a container names them.
  public Map<String, io.fabric8.kubernetes.api.model.Quantity> ofContainer() {
    Map<String, io.fabric8.kubernetes.api.model.Quantity> amounts = new LinkedHashMap<>();
    quantities.forEach((name, quantity) ->
        amounts.put(name, io.fabric8.kubernetes.api.model.Quantity.parse(quantity)));
    return amounts;
  }

  /// As a plan writes them.
  public Map<String, IntOrString> ofPlan() {
    Map<String, IntOrString> resource = new LinkedHashMap<>();
    quantities.forEach((name, quantity) -> resource.put(name, new IntOrString(quantity)));
    return resource;
  }

  public boolean isEmpty() {
    return quantities.isEmpty();
  }

  private static PliantException bad(String name, String text) {
    return new PliantException(
        ErrorCode.BAD_JOB_PLAN,
        "the resource '%s' is '%s'; write a number (cores, MiB, devices) or a quantity such as 500m or 3Gi."
            .formatted(name, text));
  }
}
