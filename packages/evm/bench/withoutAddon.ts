/**
 * Stands before a program, as `node --import` has it, and takes the addon away.
 *
 * @module
 */
import { registerHooks } from "node:module"

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier.startsWith("secp256k1")) throw new Error("there is no addon here")
    return next(specifier, context)
  },
})
