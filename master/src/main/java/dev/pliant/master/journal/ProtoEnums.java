package dev.pliant.master.journal;

import dev.pliant.machine.rendezvous.Departure;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodePhase;
import dev.pliant.protocol.journal.v1.DepartureKind;
import dev.pliant.protocol.v1.Shuffle;

/// Every enum that is both in the model and in a journal, with its protobuf form. The services use
/// the same forms on the wire.
public final class ProtoEnums {
  public static final EnumMapping<ExitReason, dev.pliant.protocol.v1.ExitReason> EXIT_REASON =
      new EnumMapping<>(
          "a reason of an end",
          ExitReason.class,
          dev.pliant.protocol.v1.ExitReason.class,
          reason ->
              switch (reason) {
                case SUCCEEDED -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_UNSPECIFIED;
                case KILLED -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_KILLED;
                case OOM -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_OOM;
                case FATAL_ERROR -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_FATAL_ERROR;
                case HARDWARE_ERROR -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_HARDWARE_ERROR;
                case NO_HEARTBEAT -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_NO_HEARTBEAT;
                case UNKNOWN -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_UNKNOWN;
              });

  public static final EnumMapping<NodePhase, dev.pliant.protocol.v1.NodePhase> NODE_PHASE =
      new EnumMapping<>(
          "a phase of a node",
          NodePhase.class,
          dev.pliant.protocol.v1.NodePhase.class,
          phase ->
              switch (phase) {
                case INITIAL -> dev.pliant.protocol.v1.NodePhase.NODE_PHASE_INITIAL;
                case PENDING -> dev.pliant.protocol.v1.NodePhase.NODE_PHASE_PENDING;
                case RUNNING -> dev.pliant.protocol.v1.NodePhase.NODE_PHASE_RUNNING;
                case SUCCEEDED -> dev.pliant.protocol.v1.NodePhase.NODE_PHASE_SUCCEEDED;
                case FAILED -> dev.pliant.protocol.v1.NodePhase.NODE_PHASE_FAILED;
                case DELETED -> dev.pliant.protocol.v1.NodePhase.NODE_PHASE_DELETED;
              });

  public static final EnumMapping<JobPhase, dev.pliant.protocol.v1.JobPhase> JOB_PHASE =
      new EnumMapping<>(
          "a phase of a job",
          JobPhase.class,
          dev.pliant.protocol.v1.JobPhase.class,
          phase ->
              switch (phase) {
                case PENDING -> dev.pliant.protocol.v1.JobPhase.JOB_PHASE_PENDING;
                case RUNNING -> dev.pliant.protocol.v1.JobPhase.JOB_PHASE_RUNNING;
                case SUSPENDED -> dev.pliant.protocol.v1.JobPhase.JOB_PHASE_SUSPENDED;
                case STOPPING -> dev.pliant.protocol.v1.JobPhase.JOB_PHASE_STOPPING;
                case SUCCEEDED -> dev.pliant.protocol.v1.JobPhase.JOB_PHASE_SUCCEEDED;
                case FAILED -> dev.pliant.protocol.v1.JobPhase.JOB_PHASE_FAILED;
                case STOPPED -> dev.pliant.protocol.v1.JobPhase.JOB_PHASE_STOPPED;
              });

  static final EnumMapping<DatasetSpec.Shuffle, Shuffle> SHUFFLE =
      new EnumMapping<>(
          "a shuffle",
          DatasetSpec.Shuffle.class,
          Shuffle.class,
          shuffle ->
              switch (shuffle) {
                case NONE -> Shuffle.SHUFFLE_UNSPECIFIED;
                case SHARDS -> Shuffle.SHUFFLE_SHARDS;
                case RECORDS -> Shuffle.SHUFFLE_RECORDS;
              });

  static final EnumMapping<Departure, DepartureKind> DEPARTURE =
      new EnumMapping<>(
          "a departure",
          Departure.class,
          DepartureKind.class,
          how ->
              switch (how) {
                case ENDED -> DepartureKind.DEPARTURE_KIND_UNSPECIFIED;
                case MISSING -> DepartureKind.DEPARTURE_KIND_MISSING;
                case RELEASED -> DepartureKind.DEPARTURE_KIND_RELEASED;
                case LEFT_OUT -> DepartureKind.DEPARTURE_KIND_LEFT_OUT;
                case REPLACED -> DepartureKind.DEPARTURE_KIND_REPLACED;
              });

  private ProtoEnums() {}
}
