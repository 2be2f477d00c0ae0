/// Where a job's nodes come from: what a master asks of a platform, and what a platform tells it. A
/// platform is found by its name among those that `ServiceLoader` finds.
@NullMarked
package dev.pliant.master.platform;

import org.jspecify.annotations.NullMarked;
