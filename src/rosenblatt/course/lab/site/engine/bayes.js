/** Total probability P(A) = Σ P(A|B)·P(B) and Bayes' rule P(B|A) = P(A|B)·P(B)/P(A), in fractions. */
const todo = () => { throw new Error("not implemented yet"); };

/** Numbers may be fractions, texts ("2/5") or numbers.
 * @param {Map<string, Fraction|string|number>} prior  @param {Map<string, Fraction|string|number>} likelihood
 * @returns {Fraction} */
export function totalProbability(prior, likelihood) { return todo(prior, likelihood); }
/** @returns {Map<string, Fraction>} the posterior */
export function bayesRule(prior, likelihood) { return todo(prior, likelihood); }
/** Boxes with balls: a box is chosen by the prior, then balls are drawn from it. */
export class Boxes {
  /** @param {Object<string, Object<string, number>>} contents balls of each colour for each box
   * @param {Object<string, Fraction|string|number>|null} prior */
  constructor(contents, prior = null) { todo(contents, prior); }
  /** P(drawn|box).  @param {string[]} drawn colours in their order  @returns {Fraction} */
  likelihood(box, drawn, replacement = true) { return todo(box, drawn, replacement); }
  /** P(drawn).  @returns {Fraction} */
  marginal(drawn, replacement = true) { return todo(drawn, replacement); }
  /** @returns {{steps: {box: string, prior: Fraction, likelihood: Fraction, product: Fraction, posterior: Fraction}[],
   *   total: Fraction}} the posterior with every step */
  working(drawn, replacement = true) { return todo(drawn, replacement); }
  /** P(box, colour) of one draw.  @returns {{box: string, colour: string, probability: Fraction}[]} */
  joint() { return todo(); }
}
