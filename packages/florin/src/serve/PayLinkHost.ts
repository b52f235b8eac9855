/**
 * The host of payment links where nobody owns one.
 *
 * @module
 */

export const local = "pay.localhost"

/** Where links of a service on this machine lead instead, so that they open: first as they are printed. */
export const localOrigins = (port: number): ReadonlyArray<string> => [
  `http://localhost:${port}`,
  `http://127.0.0.1:${port}`,
]
