// The steps of a run, read in chunks; only the current chunk and its neighbours stay in memory.

const COLUMNS = ["epoch", "index", "agreement", "agreementAfter", "flags", "mistakes", "updates", "norm2",
  "progress", "offset", "falsePositives"];
const KEPT_CHUNKS = 32;

/** A run: `at(t)` returns a promise of the state after t steps, `now(t)` the state or null. */
export class Replay {
  constructor(head, fetchChunk, keptChunks = KEPT_CHUNKS) {
    if (head.format !== "rosenblatt-replay" || head.version !== 1) {
      throw new Error(`This is not a replay of version 1 (got ${head.format}, version ${head.version}).`);
    }
    this.head = head;
    this.fetchChunk = fetchChunk;
    this.keptChunks = keptChunks;
    this.chunks = new Map();
    this.coming = new Map();
    this.start = startOf(head);
  }

  /** The number of steps. */
  get length() {
    return this.head.n_steps;
  }

  /** Return the state after t steps, or null if its chunk has not arrived. */
  now(t) {
    if (t <= 0) return this.start;
    const here = this.held(this.chunkOf(t));
    if (!here) return null;
    const entry = (t - 1) % this.head.chunk;
    if (entry > 0) return this.state(t, here, entry, weightsAt(here, entry - 1));
    if (t === 1) return this.state(t, here, entry, this.start);
    // if the weights did not change, they equal the weights before; the previous chunk is needed only at an
    // update
    if (here.flags[entry] < 2) return this.state(t, here, entry, weightsAt(here, entry));
    const previous = this.held(this.chunkOf(t - 1));
    return previous ? this.state(t, here, entry, weightsAt(previous, previous.length - 1)) : null;
  }

  /** Return a promise of the state after t steps. */
  async at(t) {
    let state = this.now(t);
    while (!state) {
      await Promise.all([this.chunk(this.chunkOf(t)), t > 1 ? this.chunk(this.chunkOf(t - 1)) : null]);
      state = this.now(t);
    }
    return state;
  }

  /** Request the chunks around step t, without waiting. */
  prefetch(t) {
    for (const number of [this.chunkOf(t), this.chunkOf(t) + 1, this.chunkOf(t) - 1]) {
      if (number >= 0 && number * this.head.chunk < this.length) this.chunk(number).catch(() => {});
    }
  }

  /** Return the first step after t that was a mistake, or null. */
  async nextMistake(t) {
    return this.stepWhen("mistakes", (await this.countAfter("mistakes", t)) + 1);
  }

  /** Return the last step before t that was a mistake, or null. */
  async previousMistake(t) {
    const before = await this.countAfter("mistakes", t - 1);
    return before > 0 ? this.stepWhen("mistakes", before) : null;
  }

  /**
   * Return the step of mistake or update number m, or null. Both counts increase, so few chunks are read.
   */
  async stepWhen(counted, m) {
    const { step, [counted]: counts } = this.head.overview;
    const k = counts.findIndex((soFar) => soFar >= m);
    if (k < 0) return null;
    let [low, high] = [step[Math.max(0, k - 1)], step[k]];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if ((await this.countAfter(counted, middle)) >= m) high = middle;
      else low = middle;
    }
    return high;
  }

  /** Return the first step after t that visited a row (or, backwards, the last one before t), or null. */
  async visitOf(row, t, backwards = false) {
    const way = backwards ? -1 : 1;
    let step = t + way;
    while (step >= 1 && step <= this.length) {
      const number = this.chunkOf(step);
      const found = this.visitIn(await this.chunk(number), number, row, step, way);
      if (found !== null) return found;
      step = backwards ? number * this.head.chunk : (number + 1) * this.head.chunk + 1;
    }
    return null;
  }

  /**
   * Return the visits of a row in the loaded chunks: the last one up to step t and the next one, or null.
   */
  visitsNear(row, t) {
    const near = { last: null, next: null };
    for (const [name, step, way] of [["last", t, -1], ["next", t + 1, 1]]) {
      if (step < 1 || step > this.length) continue;
      const columns = this.chunks.get(this.chunkOf(step));
      if (columns) near[name] = this.visitIn(columns, this.chunkOf(step), row, step, way);
    }
    return near;
  }

  visitIn({ index, length }, number, row, step, way) {
    const first = number * this.head.chunk + 1;
    for (let entry = step - first; entry >= 0 && entry < length; entry += way) {
      if (index[entry] === row) return first + entry;
    }
    return null;
  }

  // ---------------------------------------------------------------- chunks

  chunkOf(t) {
    return Math.floor((t - 1) / this.head.chunk);
  }

  async countAfter(counted, t) {
    if (t <= 0) return 0;
    const columns = await this.chunk(this.chunkOf(t));
    return columns[counted][(t - 1) % this.head.chunk];
  }

  // the most recently used chunk is dropped last
  held(number) {
    const columns = this.chunks.get(number);
    if (!columns) return null;
    this.chunks.delete(number);
    this.chunks.set(number, columns);
    return columns;
  }

  chunk(number) {
    const columns = this.held(number);
    if (columns) return Promise.resolve(columns);
    if (!this.coming.has(number)) {
      const coming = Promise.resolve(this.fetchChunk(number))
        .then((buffer) => this.keep(number, columnsOf(buffer, number, this.head)))
        .finally(() => this.coming.delete(number));
      this.coming.set(number, coming);
    }
    return this.coming.get(number);
  }

  keep(number, columns) {
    this.chunks.set(number, columns);
    while (this.chunks.size > this.keptChunks) this.chunks.delete(this.chunks.keys().next().value);
    return columns;
  }

  state(t, columns, entry, before) {
    const flags = columns.flags[entry];
    const state = { step: t, before, ...weightsAt(columns, entry) };
    for (const name of COLUMNS) state[name] = columns[name][entry];
    return Object.assign(state, { mistake: flags % 2 === 1, updated: flags >= 2 });
  }
}

function startOf(head) {
  const { weights, offset } = head.start;
  const covariance = head.covariance ?? null;
  const norm2 = weights.reduce((sum, weight) => sum + weight * weight, offset * offset);
  return {
    step: 0, epoch: 1, index: -1, agreement: null, agreementAfter: null, mistake: false, updated: false,
    mistakes: 0, falsePositives: 0, updates: 0, norm2, progress: head.overview.progress?.[0] ?? 0, weights,
    offset, covariance, before: { weights, offset, covariance },
  };
}

function columnsOf(buffer, number, head) {
  const length = Math.min(head.chunk, head.n_steps - number * head.chunk);
  const nWeights = head.n_weights ?? head.n_features;
  const unsure = head.covariance ? head.covariance.length : 0;
  const expected = 8 * length * (COLUMNS.length + nWeights + unsure);
  if (buffer.byteLength !== expected) {
    throw new Error(`Part ${number} of the replay has ${buffer.byteLength} bytes, expected ${expected}.`);
  }
  const column = (k) => new Float64Array(buffer, 8 * k * length, length);
  const columns = { length };
  COLUMNS.forEach((name, k) => { columns[name] = column(k); });
  columns.weights = new Float64Array(buffer, 8 * COLUMNS.length * length, nWeights * length);
  columns.covariance = new Float64Array(buffer, 8 * (COLUMNS.length + nWeights) * length);
  return columns;
}

function weightsAt(columns, entry) {
  const numbersOf = (part) => Array.from(
    { length: part.length / columns.length }, (_, j) => part[j * columns.length + entry],
  );
  const covariance = columns.covariance.length ? numbersOf(columns.covariance) : null;
  return { weights: numbersOf(columns.weights), offset: columns.offset[entry], covariance };
}
