/** Perceptron, linear program and support vector machine (largest margin) on the same points. */
const todo = () => { throw new Error("not implemented yet"); };

/** @returns {{name: "perceptron"|"linear_program"|"largest_margin", w: number[], b: number, margin: number,
 *   wrong: number[], note: string}[]} margin: the smallest signed distance of a point, negative if one is wrong */
export function compareSeparators(points, labels, settings = {}) { return todo(points, labels, settings); }
