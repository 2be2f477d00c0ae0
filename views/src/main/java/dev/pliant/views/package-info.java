/// What people are shown of a job: decisions and events, as data on the wire and as sentences.
/// Master, operator and command line show the same words, because they use the same classes.
@NullMarked
package dev.pliant.views;

import org.jspecify.annotations.NullMarked;
