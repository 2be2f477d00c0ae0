/// The operator: watches ElasticJobs and makes of each what its master needs and what its plan
/// says.
@NullMarked
package dev.pliant.operator;

import org.jspecify.annotations.NullMarked;
