/// What a job's history is made of: decisions, each with the values it was made from, the
/// alternatives it rejected and the events it caused. Typed values only; the sentences that people
/// read are made where they are shown.
@NullMarked
package dev.pliant.model.decision;

import org.jspecify.annotations.NullMarked;
