package dev.pliant.master.machine;

import dev.pliant.master.shards.ShardLedgerImage;
import dev.pliant.master.shards.StepLedger;
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
