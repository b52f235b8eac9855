/**
 * The host of payment links if the operator owns none.
 *
 * @module
 */

export const local = "pay.localhost"

/**
 * The origins that links of a local service lead to instead, so that they open; the first is the one that is printed.
 */
export const localOrigins = (port: number): ReadonlyArray<string> => [
  `http://localhost:${port}`,
  `http://127.0.0.1:${port}`,
]
