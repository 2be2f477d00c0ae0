package dev.pliant.model;

/// A random order of 0 to size − 1 that needs no memory: every position is computed by itself, in
/// constant time, from the seed. A Feistel network permutes the next power of two; a value that
/// falls outside is permuted again until it falls inside.
///
/// The order is a promise: journals and checkpoints name positions, so the same size, seed and
/// epoch must give the same order in every version.
public final class Permutation {
  private static final int ROUNDS = 8;

  private final long size;
  private final int rightBits;
  private final long leftMask;
  private final long rightMask;
  private final long[] keys = new long[ROUNDS];

  public Permutation(long size, long seed, long epoch) {
    if (size < 1) {
      throw new IllegalArgumentException("nothing to permute: size " + size);
    }
    this.size = size;
    int bits = Math.max(2, Long.SIZE - Long.numberOfLeadingZeros(size - 1));
    int leftBits = bits / 2;
    this.rightBits = bits - leftBits;
    this.leftMask = (1L << leftBits) - 1;
    this.rightMask = (1L << rightBits) - 1;
    long state = mix(seed) ^ mix(epoch + 0x9E3779B97F4A7C15L);
    for (int i = 0; i < ROUNDS; i++) {
      state += 0x9E3779B97F4A7C15L;
      keys[i] = mix(state);
    }
  }

  /// What stands at `position`.
  public long at(long position) {
    if (position < 0 || position >= size) {
      throw new IndexOutOfBoundsException(position + " of " + size);
    }
    long value = position;
    do {
      value = permute(value);
    } while (value >= size);
    return value;
  }

  /// Where `value` stands: the inverse of [#at].
  public long positionOf(long value) {
    if (value < 0 || value >= size) {
      throw new IndexOutOfBoundsException(value + " of " + size);
    }
    long position = value;
    do {
      position = restore(position);
    } while (position >= size);
    return position;
  }

  private long permute(long value) {
    long left = value >>> rightBits;
    long right = value & rightMask;
    for (int i = 0; i < ROUNDS; i += 2) {
      left ^= mix(right ^ keys[i]) & leftMask;
      right ^= mix(left ^ keys[i + 1]) & rightMask;
    }
    return (left << rightBits) | right;
  }

  private long restore(long value) {
    long left = value >>> rightBits;
    long right = value & rightMask;
    for (int i = ROUNDS - 2; i >= 0; i -= 2) {
      right ^= mix(left ^ keys[i + 1]) & rightMask;
      left ^= mix(right ^ keys[i]) & leftMask;
    }
    return (left << rightBits) | right;
  }

  /// The finaliser of SplitMix64.
  private static long mix(long value) {
    value = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    value = (value ^ (value >>> 27)) * 0x94D049BB133111EBL;
    return value ^ (value >>> 31);
  }
}
