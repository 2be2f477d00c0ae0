package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a JobResource says.
///
/// @param resourceUpdation pods to replace by others of that size
/// @param plan where a master wrote it: its whole plan, as in a [ScalePlan]
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
    @Required Selector selector,
    @JsonProperty("parameter_server") @Nullable RolePlan parameterServer,
    @Nullable RolePlan worker,
    @Nullable RolePlan evaluator,
    @Nullable RolePlan chief,
    @JsonProperty("resource_updation") @Size(max = ApiRules.MAX_PODS)
        @Nullable List<PodPlan> resourceUpdation,
    @Nullable ScalePlanSpec plan) {

  /// Which job it is for.
  ///
  /// @param name the job's name; what follows ` //` is a remark
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Selector(@Required @Size(min = 1, max = 253) String name) {
    private static final String REMARK = " //";

    /// The name alone.
    public String job() {
      int remark = name.indexOf(REMARK);
      return (remark < 0 ? name : name.substring(0, remark)).strip();
    }
  }
}
