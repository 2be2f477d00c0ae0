/// The master's gRPC services: messages are checked and become commands, answers become messages.
@NullMarked
package dev.pliant.master.service;

import org.jspecify.annotations.NullMarked;
