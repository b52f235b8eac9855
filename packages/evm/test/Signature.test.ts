import { assert, describe, it } from "@effect/vitest"
import type * as Action from "@florin/core/domain/chain/Action"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Money from "@florin/core/domain/ground/Money"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Wallet from "@florin/testing/Wallet"
import * as Equal from "effect/Equal"
import * as Schema from "effect/Schema"
import { verifyMessage, Wallet as EthersWallet } from "ethers"
import { serializeErc6492Signature } from "viem/utils"
import { hex } from "../src/read/Queries.ts"
import * as Recovery from "../src/token/Recovery.ts"
import * as Signature from "../src/token/Signature.ts"
import * as Spellings from "./spellings.ts"

/** By what this process has; Recovery.test.ts holds it against others. */
const recover = Signature.recoverBy(Recovery.recover)

const digest = Signature.messageDigest("a text")
const wallet = Wallet.make(1)
const signature = wallet.signDigest(digest)

describe("Signature.recoverBy", () => {
  it("recovers the signing account", () => {
    for (let key = 1; key <= Counts.of({ usual: 20, full: 2_000 }); key++) {
      const signer = Wallet.make(key)
      assert.strictEqual(recover(digest, signer.signDigest(digest)), signer.address)
    }
  })

  for (const { name, of } of [...Spellings.taken, ...Spellings.mutated]) {
    it(`refuses any form of a signature but one: ${name}`, () => {
      const other = of(signature)
      assert.notStrictEqual(other, signature)
      assert.notStrictEqual(recover(digest, other), wallet.address)
    })
  }

  it("recovers no account from a text that is not a signature", () => {
    for (const text of ["", "0x", "signature", `0x${"00".repeat(65)}`, `0x${"ff".repeat(64)}1b`]) {
      assert.isUndefined(recover(digest, text))
    }
    assert.isUndefined(recover(digest, `0x${"ff".repeat(32)}${signature.slice(66)}`))
  })

  const Choice = Schema.Struct({
    asset: Schema.Int.check(
      Schema.isBetween({ minimum: 0, maximum: BuiltIn.catalog.assets.length - 1 }),
    ),
    paymentId: Schema.Literals(["pay_a", "pay_b"]),
    quantity: Schema.Literals([1, 2]),
    issuedAt: Schema.Literals([1_790_000_000, 1_790_000_001]),
    payTo: Schema.Literals(["payee", "other payee"]),
  })
  const chosen = (choice: typeof Choice.Type): Action.Chosen => {
    const asset = BuiltIn.catalog.assets[choice.asset]
    assert.isDefined(asset)
    const { flow, token } = asset
    const account = wallet.account(token.chainId)
    const option = {
      paymentId: PaymentId.PaymentId.make(choice.paymentId),
      account,
      accountText: Eip155.formatAccount(account),
      token,
      flow,
      quantity: Money.Quantity.make(BigInt(choice.quantity)),
      fixedFee: Money.zero,
      payTo: Fixtures.address(choice.payTo),
      issuedAt: choice.issuedAt,
      expiresAt: choice.issuedAt + 300,
    }
    return { asset, option }
  }
  const digestOf = (choice: typeof Choice.Type): Uint8Array => {
    const data = Actions.typedData(chosen(choice))
    assert.isDefined(data)
    return Eip712.digest(data)
  }

  it.prop(
    "recovers the payer for the signed option, and not for another",
    [Choice, Choice],
    ([signed, other]) => {
      const text = wallet.signDigest(digestOf(signed))
      assert.strictEqual(recover(digestOf(signed), text), wallet.address)
      const found = recover(digestOf(other), text)
      assert.strictEqual(found === wallet.address, Equal.equals(signed, other))
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 10_000 }) } },
  )
})

describe("Signature.messageDigest", () => {
  it("equals what personal_sign signs", () => {
    for (const text of ["", "a text", "Zwölf Boxkämpfer", "€ 12,34\nand more", "x".repeat(1_000)]) {
      const signer = new EthersWallet(wallet.privateKey)
      const theirs = signer.signMessageSync(text)
      assert.strictEqual(recover(Signature.messageDigest(text), theirs), wallet.address)
      const ours = wallet.signDigest(Signature.messageDigest(text))
      assert.strictEqual(verifyMessage(text, ours).toLowerCase(), wallet.address)
    }
  })
})

describe("Signature.effective", () => {
  const wrapped = (inner: string) =>
    serializeErc6492Signature({
      address: hex(Fixtures.address("factory")),
      data: "0x1234",
      signature: hex(inner),
    })

  it("is the content of an ERC-6492 wrapper", () => {
    assert.strictEqual(Signature.effective(wrapped(signature)), signature)
    assert.strictEqual(Signature.effective(wrapped("0x")), "0x")
  })

  it("unwraps once: a signature that is wrapped twice stays wrapped", () => {
    assert.strictEqual(Signature.effective(wrapped(wrapped(signature))), wrapped(signature))
  })

  it("leaves every other text unchanged", () => {
    const magic = wrapped(signature).slice(-64)
    const texts = [
      signature,
      "0x",
      `0x${magic}`,
      `${signature}${magic}`,
      `0x${"ff".repeat(200)}${magic}`,
    ]
    for (const text of texts) assert.strictEqual(Signature.effective(text), text)
  })
})
