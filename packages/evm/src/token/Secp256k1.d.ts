/**
 * The part of npm's `secp256k1` that we use; the package has no types. Only its addon is declared: if there is no
 * addon, its main module silently falls back to slow JavaScript.
 *
 * @module
 */
declare module "secp256k1/bindings.js" {
  const addon: {
    readonly ecdsaRecover: (
      signature: Uint8Array,
      recoveryId: number,
      digest: Uint8Array,
      isCompressed: boolean,
    ) => Uint8Array
  }
  export = addon
}
