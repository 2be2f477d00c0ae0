package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/// What nodes a job is to have. Labelled `scale-type: manual` it is a user's wish, which the job's
/// master takes up; labelled `auto` it is the master's own word, which the operator carries out.
@JsonClassDescription(
    "What nodes a job is to have. Labelled scale-type: manual it is a user's wish, which the job's master takes up; labelled auto it is the master's own word, which the operator carries out.")
@Group("elastic.iml.github.io")
@Version("v1alpha1")
@Plural("scaleplans")
@Singular("scaleplan")
@ShortNames("sp")
@Categories("pliant")
@AdditionalPrinterColumn(name = "JOB", jsonPath = ".spec.ownerJob")
@AdditionalPrinterColumn(name = "TYPE", jsonPath = ".metadata.labels.scale-type")
@AdditionalPrinterColumn(name = "PHASE", jsonPath = ".status.phase")
@AdditionalPrinterColumn(name = "AGE", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@AdditionalPrinterColumn(name = "REASON", jsonPath = ".status.reason", priority = 1)
public class ScalePlan extends CustomResource<ScalePlanSpec, ScalePlanStatus>
    implements Namespaced {}
