/** numpy's `default_rng` (PCG64 seeded by SeedSequence): the same shuffles and uniform numbers as the package. */
const todo = () => { throw new Error("not implemented yet"); };

export class Random {
  /** @param {...number} seeds whole numbers of at least 0; `new Random(3, 1)` is `default_rng([3, 1])` */
  constructor(...seeds) { todo(seeds); }
  /** @returns {number} uniform on [0, 1) */
  uniform(low = 0, high = 1) { return todo(low, high); }
  /** @param {number} n  @returns {number} one of 0 … n − 1 */
  below(n) { return todo(n); }
  /** Standard normal numbers, not those of numpy.  @returns {number} */
  normal() { return todo(); }
  /** Shuffle an array in place.  @template T  @param {T[]} items  @returns {T[]} */
  shuffle(items) { return todo(items); }
}

/** The seed that the package derives from `random_state`.  @param {number} randomState  @returns {number} */
export function runSeed(randomState) { return todo(randomState); }
