/**
 * What we use of npm's `secp256k1`, which brings no types: its addon alone, as its main module turns into slow
 * JavaScript, without a word, where there is no addon.
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
