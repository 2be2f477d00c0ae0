package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a JobResource says.
///
/// @param resourceUpdation pods to replace by others of that size
/// @param plan where a master wrote it: its whole plan, as in a [ScalePlan]
@JsonClassDescription("What is to change.")
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value =
        "has(self.parameter_server) || has(self.worker) || has(self.evaluator) || has(self.chief)"
            + " || (has(self.resource_updation) && size(self.resource_updation) > 0) || has(self.plan)",
    message =
        "say what is to change: how many of which size (worker, parameter_server, evaluator, chief), or pods to replace (resource_updation)")
@ValidationRule(
    value = "!has(oldSelf.plan) || has(self.plan)",
    message = "this is the plan of the job's master: leave it there, or delete the whole object")
public record JobResourceSpec(
    @JsonPropertyDescription("Which job it is for.") @Required Selector selector,
    @JsonPropertyDescription("How many parameter servers, of which size.")
        @JsonProperty("parameter_server")
        @Nullable RolePlan parameterServer,
    @JsonPropertyDescription("How many workers, of which size.") @Nullable RolePlan worker,
    @JsonPropertyDescription("How many evaluators, of which size.") @Nullable RolePlan evaluator,
    @JsonPropertyDescription("How many chiefs, of which size.") @Nullable RolePlan chief,
    @JsonPropertyDescription("Nodes to replace by others of the size that is given.")
        @JsonProperty("resource_updation")
        @Size(max = ApiRules.MAX_PODS)
        @Nullable List<PodPlan> resourceUpdation,
    @JsonPropertyDescription(
            "The whole plan of the job's master, where it writes JobResources. Written by the master.")
        @Nullable ScalePlanSpec plan) {

  /// Which job it is for.
  ///
  /// @param name the job's name; what follows ` //` is a remark
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Selector(
      @JsonPropertyDescription(
              "The job's name, in the same namespace. What follows ' //' is a remark.")
          @Required
          @Size(min = 1, max = 253)
          String name) {
    private static final String REMARK = " //";

    /// The name alone.
    public String job() {
      int remark = name.indexOf(REMARK);
      return (remark < 0 ? name : name.substring(0, remark)).strip();
    }
  }
}
