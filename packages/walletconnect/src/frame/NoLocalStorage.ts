/**
 * Takes the place of `localStorage`, which the sign client looks at when it is loaded, and with each request. In a
 * frame with an origin of its own, even looking is an error.
 *
 * @module
 */
Object.defineProperty(globalThis, "localStorage", { value: { getItem: () => null } })
