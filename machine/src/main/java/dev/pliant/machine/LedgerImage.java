package dev.pliant.machine;

import dev.pliant.machine.shards.ShardLedgerImage;
import dev.pliant.machine.shards.StepLedger;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;

/// One dataset's ledger as a value.
public sealed interface LedgerImage {
  DatasetSpec spec();

  default DatasetName dataset() {
    return spec().name();
  }

  record Shards(DatasetSpec spec, ShardLedgerImage ledger) implements LedgerImage {}

  record Steps(DatasetSpec spec, StepLedger.Image ledger) implements LedgerImage {}
}
