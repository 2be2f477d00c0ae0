package dev.pliant.master.machine;

import dev.pliant.master.shards.ShardLedgerImage;
import dev.pliant.master.shards.StepLedger;
import dev.pliant.model.DatasetName;

/// One dataset's ledger as a value.
public sealed interface LedgerImage {
  DatasetName dataset();

  record Shards(DatasetName dataset, ShardLedgerImage ledger) implements LedgerImage {}

  record Steps(DatasetName dataset, StepLedger.Image ledger) implements LedgerImage {}
}
