/// Where training processes become a group: who is in it, in which order, and when it ends. Pure:
/// time comes with each event and question, and deadlines are data.
@NullMarked
package dev.pliant.machine.rendezvous;

import org.jspecify.annotations.NullMarked;
