package dev.pliant.crds;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.ResourceLimits;
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

  /// What `resourceLimits` of a job say.
  ///
  /// @throws PliantException where a resource is named twice
  public static ResourceAmounts ofLimits(Map<String, String> limits) {
    Map<String, IntOrString> resource = new LinkedHashMap<>();
    limits.forEach((name, quantity) -> resource.put(name, new IntOrString(quantity)));
    return of(resource);
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
    if (resources.diskMib() > 0) {
      quantities.put(DISK, resources.diskMib() + "Mi");
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

  /// The same as a change of nodes; what else a cluster has is not among it.
  ///
  /// @throws PliantException where that is more than a number holds
  public ResourceChange change() {
    Double gpus = amount(GPU);
    if (gpus != null && gpus > Integer.MAX_VALUE) {
      throw bad(GPU, String.valueOf(quantities.get(GPU)));
    }
    return new ResourceChange(
        amount(CPU), mebibytes(MEMORY), gpus == null ? null : gpus.intValue(), mebibytes(DISK));
  }

  /// The same as what all nodes of a job may use together; what else a cluster has is not among it.
  public ResourceLimits limits() {
    Double gpus = amount(GPU);
    return new ResourceLimits(
        amount(CPU), mebibytes(MEMORY), gpus == null ? null : gpus.longValue(), mebibytes(DISK));
  }

  private @Nullable Double amount(String name) {
    String quantity = quantities.get(name);
    return quantity == null ? null : Quantity.of(quantity);
  }

  private @Nullable Long mebibytes(String name) {
    Double bytes = amount(name);
    return bytes == null ? null : (long) Math.ceil(bytes / MIB);
  }

  /// The same as a node's bounds; what is not named here is as in `otherwise`.
  ///
  /// @throws PliantException where no node can have that
  public NodeResources over(NodeResources otherwise) {
    return change().of(otherwise);
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
