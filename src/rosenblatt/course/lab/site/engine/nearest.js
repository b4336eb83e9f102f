/** The point of a convex hull nearest to the origin, in exact arithmetic (Wolfe 1976). */
const todo = () => { throw new Error("not implemented yet"); };

/** @param {bigint[][]} points  @returns {{numerators: bigint[], denominator: bigint, weights: Map<number, bigint>}}
 * the nearest point is numerators/denominator = Σ weight·point / Σ weight */
export function nearestToOrigin(points) { return todo(points); }
