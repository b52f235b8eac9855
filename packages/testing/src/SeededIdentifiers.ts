/**
 * The same ids in every run. Anybody could guess them, so no product has them.
 *
 * @module
 */
import { Identifiers } from "@florin/core/ports/Identifiers"
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Layer from "effect/Layer"

/** Ids that follow from a text. */
export const layer = (seed: string) =>
  Layer.sync(Identifiers, () => {
    let block = 0
    const next = () => sha256(utf8ToBytes(`${seed}/${block++}`))
    return Identifiers.make((length) => {
      let bytes = new Uint8Array(0)
      while (bytes.length < length) bytes = concatBytes(bytes, next())
      return bytes.subarray(0, length)
    })
  })
