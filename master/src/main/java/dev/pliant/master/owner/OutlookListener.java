package dev.pliant.master.owner;

import dev.pliant.machine.Outlook;

/// Hears of every new [Outlook], once what it says is on disk. Called by the owner's thread: it
/// hands over to a thread of its own and returns.
public interface OutlookListener {
  void changed(Outlook outlook);
}
