/// Steps that training processes have done, delivered to the master behind them.
@NullMarked
package dev.pliant.agent.steps;

import org.jspecify.annotations.NullMarked;
