import { assert, describe, it } from "@effect/vitest"
import type * as Option from "@florin/api/wire/Option"
import { asksOf, sentHash } from "@florin/client"
import { send, sign, state } from "./Fixtures.ts"

const approved = [send, sign]
const sent = [send, state]

describe("asksOf", () => {
  it("says that money is sent only if it is", () => {
    const asks = (actions: ReadonlyArray<Option.WalletRpc>, ...outputs: ReadonlyArray<string>) =>
      asksOf({ actions, outputs })
    assert.strictEqual(asks([sign]), "sign")
    assert.strictEqual(asks(approved), "allow")
    assert.strictEqual(asks(approved, "0x7a"), "sign")
    assert.strictEqual(asks(sent), "send")
    assert.strictEqual(asks(sent, "0x7a"), "sign")
  })
})

describe("sentHash", () => {
  it("distinguishes a transfer's hash from an approval's", () => {
    const hash = (actions: ReadonlyArray<Option.WalletRpc>, ...outputs: ReadonlyArray<string>) =>
      sentHash({ actions, outputs })
    assert.isUndefined(hash(sent))
    assert.strictEqual(hash(sent, "0x7a"), "0x7a")
    assert.strictEqual(hash(sent, "0x7a", "0x52"), "0x7a")
    assert.isUndefined(hash(approved, "0x7a"))
    assert.isUndefined(hash(approved, "0x7a", "0x51"))
  })
})
