package dev.pliant.machine.nodes;

import dev.pliant.model.NodeResources;
import org.jspecify.annotations.Nullable;

/// What is known of a role as a whole.
///
/// @param wish how many nodes there are to be
/// @param nextNumber the number that its next node gets
/// @param memoryMib what new nodes get, because others of them needed more than they are to get by
///   the plan or a wish; 0 where none did
/// @param resources what new nodes get, where somebody wished other than the plan says; else null
public record RoleCount(
    String role, int wish, int nextNumber, long memoryMib, @Nullable NodeResources resources) {

  static RoleCount none(String role) {
    return new RoleCount(role, 0, 0, 0, null);
  }

  RoleCount withWish(int newWish) {
    return new RoleCount(role, newWish, nextNumber, memoryMib, resources);
  }

  RoleCount withNextNumber(int next) {
    return new RoleCount(role, wish, Math.max(nextNumber, next), memoryMib, resources);
  }

  RoleCount withMemoryMib(long memory) {
    return new RoleCount(role, wish, nextNumber, Math.max(memoryMib, memory), resources);
  }

  /// Somebody says anew what new nodes get; what others needed before was said of another size.
  RoleCount resized(@Nullable NodeResources newResources) {
    return new RoleCount(role, wish, nextNumber, 0, newResources);
  }

  /// New nodes get what the plan says, and no less memory than others needed.
  RoleCount unwished() {
    return new RoleCount(role, wish, nextNumber, memoryMib, null);
  }
}
