/**
 * numpy's `default_rng`: PCG64 (O'Neill 2014), seeded by SeedSequence, so that a seed gives the same shuffles and
 * uniform numbers here and in the package.
 */
const WORD = 0xffffffff;
const HALF = (1n << 64n) - 1n;
const WHOLE = (1n << 128n) - 1n;
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;

export class Random {
  #state = 0n;
  #increment;
  #spare = null;

  /** @param {...number} seeds whole numbers of at least 0; `new Random(3, 1)` is `default_rng([3, 1])` */
  constructor(...seeds) {
    const [a, b, c, d] = seedWords(seeds);
    this.#increment = ((((c << 64n) | d) << 1n) | 1n) & WHOLE;
    this.#step();
    this.#state = (this.#state + ((a << 64n) | b)) & WHOLE;
    this.#step();
  }

  #step() {
    this.#state = (this.#state * MULTIPLIER + this.#increment) & WHOLE;
  }

  #next64() {
    this.#step();
    const folded = (this.#state >> 64n) ^ (this.#state & HALF);
    const turn = this.#state >> 122n;
    return ((folded >> turn) | (folded << (64n - turn))) & HALF;
  }

  #next32() {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    const both = this.#next64();
    this.#spare = Number(both >> 32n);
    return Number(both & 0xffffffffn);
  }

  /** Return a number that is uniform on [low, high).  @returns {number} */
  uniform(low = 0, high = 1) {
    return low + (high - low) * (Number(this.#next64() >> 11n) * 2 ** -53);
  }

  /** Return one of 0 … n − 1, as numpy's shuffle draws it: the first number of enough bits that is below n.
   * @param {number} n at most 2³²  @returns {number} */
  below(n) {
    if (n < 2) return 0;
    const mask = WORD >>> Math.clz32(n - 1);
    for (;;) {
      const drawn = (this.#next32() & mask) >>> 0;
      if (drawn < n) return drawn;
    }
  }

  /** Return a standard normal number (Marsaglia's polar method; numpy uses another).  @returns {number} */
  normal() {
    for (;;) {
      const [u, v] = [this.uniform(-1, 1), this.uniform(-1, 1)];
      const square = u * u + v * v;
      if (square > 0 && square < 1) return u * Math.sqrt((-2 * Math.log(square)) / square);
    }
  }

  /** Shuffle an array in place and return it.  @template T  @param {T[]} items  @returns {T[]} */
  shuffle(items) {
    for (let i = items.length - 1; i > 0; i -= 1) {
      const j = this.below(i + 1);
      [items[i], items[j]] = [items[j], items[i]];
    }
    return items;
  }
}

/** Return the four 64-bit words that SeedSequence derives from the seeds.  @param {number[]} seeds  @returns {bigint[]} */
function seedWords(seeds) {
  const entropy = seeds.flatMap((seed) => (seed > WORD ? [seed % 2 ** 32, Math.floor(seed / 2 ** 32)] : [seed]));
  const hash = hasher(0x43b0d7e5, 0x931e8875);
  const mix = (x, y) => {
    const mixed = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) >>> 0;
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  const pool = [0, 1, 2, 3].map((k) => hash(entropy[k] ?? 0));
  for (const from of [0, 1, 2, 3]) {
    for (const to of [0, 1, 2, 3]) if (to !== from) pool[to] = mix(pool[to], hash(pool[from]));
  }
  for (const word of entropy.slice(4)) for (const to of [0, 1, 2, 3]) pool[to] = mix(pool[to], hash(word));
  const output = hasher(0x8b51f9dd, 0x58f38ded);
  const words = Array.from({ length: 8 }, (_, k) => BigInt(output(pool[k % 4])));
  return [0, 2, 4, 6].map((k) => words[k] | (words[k + 1] << 32n));
}

function hasher(start, factor) {
  let constant = start;
  return (word) => {
    const first = word ^ constant;
    constant = Math.imul(constant, factor) >>> 0;
    const second = Math.imul(first, constant);
    return (second ^ (second >>> 16)) >>> 0;
  };
}

/** Return the seed that the package derives from `random_state`: the first number of `RandomState` (Mersenne twister)
 * below 2³¹ − 1.  @param {number} randomState  @returns {number} */
export function runSeed(randomState) {
  const state = new Uint32Array(624);
  state[0] = randomState;
  for (let k = 1; k < 624; k += 1) state[k] = Math.imul(1812433253, state[k - 1] ^ (state[k - 1] >>> 30)) + k;
  for (let k = 0; ; k += 1) {
    const bits = (state[k] & 0x80000000) | (state[k + 1] & 0x7fffffff);
    let word = state[k + 397] ^ (bits >>> 1) ^ (bits & 1 ? 0x9908b0df : 0);
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    word = (word ^ (word >>> 18)) & 0x7fffffff;
    if (word < 2 ** 31 - 1) return word;
  }
}
