package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.generator.annotation.Required;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a JobResource says.
///
/// @param resourceUpdation pods to replace by others of that size
/// @param plan where a master wrote it: its whole plan, as in a [ScalePlan]
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobResourceSpec(
    @Required Selector selector,
    @JsonProperty("parameter_server") @Nullable RolePlan parameterServer,
    @Nullable RolePlan worker,
    @Nullable RolePlan evaluator,
    @Nullable RolePlan chief,
    @JsonProperty("resource_updation") @Nullable List<PodPlan> resourceUpdation,
    @Nullable ScalePlanSpec plan) {

  /// Which job it is for.
  ///
  /// @param name the job's name; what follows ` //` is a remark
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Selector(@Required String name) {
    private static final String REMARK = " //";

    /// The name alone.
    public String job() {
      int remark = name.indexOf(REMARK);
      return (remark < 0 ? name : name.substring(0, remark)).strip();
    }
  }
}
