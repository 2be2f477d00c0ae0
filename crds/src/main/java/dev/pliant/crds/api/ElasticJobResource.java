package dev.pliant.crds.api;

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
@Group("elastic.iml.github.io")
@Version("v1alpha1")
@Kind("ElasticJob")
@Plural("elasticjobs")
@Singular("elasticjob")
@ShortNames({"ej", "ejob"})
@Categories({"all", "pliant"})
public class ElasticJobResource extends CustomResource<JobSpec, JobStatus> implements Namespaced {}
