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

/// How many nodes of which size a job is to have.
@JsonClassDescription(
    "How many nodes of which size a job is to have: a user's wish, or its master's word.")
@Group("elastic.easydl.org")
@Version("v1alpha1")
@Plural("jobresources")
@Singular("jobresource")
@ShortNames("jr")
@Categories("pliant")
@AdditionalPrinterColumn(name = "JOB", jsonPath = ".spec.selector.name")
@AdditionalPrinterColumn(name = "PHASE", jsonPath = ".status.phase")
@AdditionalPrinterColumn(name = "AGE", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@AdditionalPrinterColumn(name = "REASON", jsonPath = ".status.reason", priority = 1)
public class JobResource extends CustomResource<JobResourceSpec, ScalePlanStatus>
    implements Namespaced {}
