/// Who may call a job's master: a token and a certificate made for each job.
@NullMarked
package dev.pliant.master.security;

import org.jspecify.annotations.NullMarked;
