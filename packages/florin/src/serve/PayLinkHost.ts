/**
 * The host of payment links where nobody owns one.
 *
 * @module
 */

export const local = "pay.localhost"
