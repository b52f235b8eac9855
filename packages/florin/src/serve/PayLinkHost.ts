/**
 * The host of payment links if the operator owns none: this machine, so that they open in its browser.
 *
 * @module
 */

/**
 * @example
 * PayLinkHost.local(3000) // localhost:3000
 */
export const local = (port: number): string => `localhost:${port}`
