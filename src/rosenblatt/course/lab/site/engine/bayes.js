/**
 * Total probability P(A) = Σ P(A|B)·P(B) and Bayes' rule P(B|A) = P(A|B)·P(B)/P(A), in exact fractions. Probabilities may
 * be given as fractions, as text ("2/5") or as numbers (0.4 is 2/5).
 */
import { require } from "./errors.js";
import { Fraction, sum } from "./fraction.js";

/** Return P(A).  @param {Map<string, Fraction|string|number>} prior  @param {Map<string, Fraction|string|number>} likelihood
 * @returns {Fraction} */
export function totalProbability(prior, likelihood) {
  const priors = checkedPrior(prior);
  return sum([...priors].map(([name, share]) => share.times(checkedLikelihood(likelihood, name))));
}

/** Return P(B|A) for every case B.  @returns {Map<string, Fraction>} */
export function bayesRule(prior, likelihood) {
  const total = totalProbability(prior, likelihood);
  require(total.sign() > 0, "the observation has probability 0 in every case, so there is no posterior");
  const posterior = ([name, share]) => [name, share.times(checkedLikelihood(likelihood, name)).over(total)];
  return new Map([...checkedPrior(prior)].map(posterior));
}

/** Boxes with balls: a box is chosen by the prior, then balls are drawn from it. */
export class Boxes {
  /** @param {Object<string, Object<string, number>>} contents for each box the number of balls of each colour
   * @param {Object<string, Fraction|string|number>|null} [prior] by default all boxes are equally likely */
  constructor(contents, prior = null) {
    this.contents = new Map(Object.entries(contents));
    for (const [box, balls] of this.contents) {
      const counts = Object.values(balls);
      require(counts.every((n) => Number.isInteger(n) && n >= 0), `box ${box}: expected whole numbers of balls`);
      require(counts.some((n) => n > 0), `box ${box} is empty; put a ball into it`);
    }
    const equal = new Fraction(1n, BigInt(this.contents.size));
    const entries = [...this.contents.keys()].map((box) => [box, prior ? prior[box] : equal]);
    this.prior = checkedPrior(new Map(entries));
    this.colours = [...new Set([...this.contents.values()].flatMap(Object.keys))];
  }

  /** Return P(drawn|box).  @param {string} box  @param {string[]} drawn colours in order  @returns {Fraction} */
  likelihood(box, drawn, replacement = true) {
    const left = { ...this.contents.get(box) };
    let found = new Fraction(1n);
    for (const colour of drawn) {
      require(this.colours.includes(colour), `there is no ${colour} ball; the colours are ${this.colours.join(", ")}`);
      const total = Object.values(left).reduce((a, b) => a + b, 0);
      if (!left[colour]) return new Fraction(0n);
      found = found.times(new Fraction(BigInt(left[colour]), BigInt(total)));
      if (!replacement) left[colour] -= 1;
    }
    return found;
  }

  /** Return P(drawn).  @returns {Fraction} */
  marginal(drawn, replacement = true) {
    return this.working(drawn, replacement).total;
  }

  /** Return the posterior of each box with every step; without any draw the posterior is the prior.
   * @returns {{steps: {box: string, prior: Fraction, likelihood: Fraction, product: Fraction, posterior: Fraction|null}[],
   *   total: Fraction}} posterior: null if the draw is impossible */
  working(drawn, replacement = true) {
    const products = [...this.prior].map(([box, prior]) => {
      const likelihood = this.likelihood(box, drawn, replacement);
      return { box, prior, likelihood, product: likelihood.times(prior) };
    });
    const total = sum(products.map(({ product }) => product));
    const posterior = (product) => (total.sign() ? product.over(total) : null);
    return { steps: products.map((step) => ({ ...step, posterior: posterior(step.product) })), total };
  }

  /** Return P(box, colour) of one draw.  @returns {{box: string, colour: string, probability: Fraction}[]} */
  joint() {
    return [...this.prior].flatMap(([box, prior]) =>
      this.colours.map((colour) => ({ box, colour, probability: prior.times(this.likelihood(box, [colour])) })),
    );
  }
}

function checkedPrior(prior) {
  const found = new Map([...prior].map(([name, value]) => [name, probability(value, `prior of ${name}`)]));
  const total = sum([...found.values()]);
  require(total.equals(Fraction.of(1)), `prior: the probabilities add up to ${total}, expected 1; thirds are exact as text: 1/3`);
  return found;
}

function checkedLikelihood(likelihood, name) {
  require(likelihood.has(name), `likelihood: give a probability for ${name}`);
  return probability(likelihood.get(name), `likelihood of ${name}`);
}

function probability(value, what) {
  const found = Fraction.of(value);
  require(found.sign() >= 0 && found.compare(Fraction.of(1)) <= 0, `${what}: expected a probability, from 0 to 1, got ${value}`);
  return found;
}
