package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/// A training job in a cluster.
@JsonClassDescription("A training job that grows, shrinks and loses machines without stopping.")
@Group("elastic.iml.github.io")
@Version("v1alpha1")
@Kind("ElasticJob")
@Plural("elasticjobs")
@Singular("elasticjob")
@ShortNames({"ej", "ejob"})
@Categories({"all", "pliant"})
@AdditionalPrinterColumn(name = "STATE", jsonPath = ".status.phase")
@AdditionalPrinterColumn(name = "READY", jsonPath = ".status.ready")
@AdditionalPrinterColumn(name = "MIN", jsonPath = ".status.minReplicas", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "MAX", jsonPath = ".status.maxReplicas", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "RESTARTS", jsonPath = ".status.restarts", type = Type.INTEGER)
@AdditionalPrinterColumn(name = "AGE", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@AdditionalPrinterColumn(name = "STRATEGY", jsonPath = ".status.strategy", priority = 1)
@AdditionalPrinterColumn(name = "MODE", jsonPath = ".status.mode", priority = 1)
@AdditionalPrinterColumn(name = "MASTER", jsonPath = ".status.master", priority = 1)
@ValidationRule(
    value =
        "size(self.metadata.name) <= 45 && self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$')",
    message =
        "a job's name has at most 45 lower-case letters, digits and dashes, a letter first and no dash last: its pods are named after it")
public class ElasticJobResource extends CustomResource<JobSpec, JobStatus> implements Namespaced {}
