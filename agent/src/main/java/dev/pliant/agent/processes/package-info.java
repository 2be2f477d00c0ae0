/// The training processes of this node: started, listened to, ended.
@NullMarked
package dev.pliant.agent.processes;

import org.jspecify.annotations.NullMarked;
