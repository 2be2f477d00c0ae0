/// Who may call a job's master: a token and a certificate made for each job.
@NullMarked
package dev.pliant.identity;

import org.jspecify.annotations.NullMarked;
