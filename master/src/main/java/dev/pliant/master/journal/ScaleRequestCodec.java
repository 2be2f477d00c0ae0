package dev.pliant.master.journal;

import dev.pliant.machine.nodes.Wish;
import dev.pliant.model.NodeId;
import dev.pliant.protocol.journal.v1.Replacement;
import dev.pliant.protocol.journal.v1.ResourceChange;
import dev.pliant.protocol.journal.v1.RoleRequest;
import dev.pliant.protocol.journal.v1.ScaleRequest;

/// Scale requests as the journal holds them, and back.
final class ScaleRequestCodec {
  private ScaleRequestCodec() {}

  static ScaleRequest encode(Wish wish) {
    ScaleRequest.Builder encoded =
        ScaleRequest.newBuilder()
            .setSource(wish.source())
            .setGeneration(wish.generation())
            .setWho(wish.who())
            .setLeaveOutUnknownRoles(wish.unknownRole() == Wish.UnknownRole.LEFT_OUT);
    for (Wish.RoleWish role : wish.roles()) {
      RoleRequest.Builder one =
          RoleRequest.newBuilder().setRole(role.role()).setResources(encode(role.resources()));
      if (role.count() != null) {
        one.setCount(role.count());
      }
      encoded.addRoles(one);
    }
    for (Wish.NewNode node : wish.add()) {
      encoded.addAdd(
          RoleRequest.newBuilder().setRole(node.role()).setResources(encode(node.resources())));
    }
    wish.remove().forEach(node -> encoded.addRemove(node.toString()));
    for (Wish.Replacement replacement : wish.replace()) {
      encoded.addReplace(
          Replacement.newBuilder()
              .setNode(replacement.node().toString())
              .setResources(encode(replacement.resources())));
    }
    return encoded.build();
  }

  static Wish decode(ScaleRequest encoded) {
    return new Wish(
        encoded.getSource(),
        encoded.getGeneration(),
        encoded.getWho(),
        encoded.getLeaveOutUnknownRoles() ? Wish.UnknownRole.LEFT_OUT : Wish.UnknownRole.REFUSED,
        encoded.getRolesList().stream()
            .map(role ->
                new Wish.RoleWish(
                    role.getRole(),
                    role.hasCount() ? role.getCount() : null,
                    decode(role.getResources())))
            .toList(),
        encoded.getAddList().stream()
            .map(role -> new Wish.NewNode(role.getRole(), decode(role.getResources())))
            .toList(),
        encoded.getRemoveList().stream().map(NodeId::parse).toList(),
        encoded.getReplaceList().stream()
            .map(one ->
                new Wish.Replacement(NodeId.parse(one.getNode()), decode(one.getResources())))
            .toList());
  }

  private static ResourceChange encode(dev.pliant.model.ResourceChange change) {
    ResourceChange.Builder encoded = ResourceChange.newBuilder();
    if (change.cpu() != null) {
      encoded.setCpu(change.cpu());
    }
    if (change.memoryMib() != null) {
      encoded.setMemoryMib(change.memoryMib());
    }
    if (change.gpus() != null) {
      encoded.setGpus(change.gpus());
    }
    if (change.diskMib() != null) {
      encoded.setDiskMib(change.diskMib());
    }
    return encoded.build();
  }

  private static dev.pliant.model.ResourceChange decode(ResourceChange encoded) {
    return new dev.pliant.model.ResourceChange(
        encoded.hasCpu() ? encoded.getCpu() : null,
        encoded.hasMemoryMib() ? encoded.getMemoryMib() : null,
        encoded.hasGpus() ? encoded.getGpus() : null,
        encoded.hasDiskMib() ? encoded.getDiskMib() : null);
  }
}
