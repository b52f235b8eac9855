/**
 * Permit2, with tokens that return a value and one that does not.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Effect from "effect/Effect"
import type { Hex } from "viem"
import { encodeFunctionData, parseAbi } from "viem/utils"
import * as Contracts from "../src/Contracts.ts"
import * as Scene from "./scene.ts"

const { custom, hexOf } = Scene

const abi = parseAbi([
  "struct TokenPermissions { address token; uint256 amount; }",
  "struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }",
  "struct SignatureTransferDetails { address to; uint256 requestedAmount; }",
  "function permitTransferFrom(PermitTransferFrom permit, SignatureTransferDetails transferDetails, address owner, bytes signature)",
  "function invalidateUnorderedNonces(uint256 wordPos, uint256 mask)",
  "function nonceBitmap(address owner, uint256 wordPos) view returns (uint256)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
])

const types = {
  PermitTransferFrom: [
    { name: "permitted", type: "TokenPermissions" },
    { name: "spender", type: "address" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
  TokenPermissions: [
    { name: "token", type: "address" },
    { name: "amount", type: "uint256" },
  ],
} as const

const at = Eip155.permit2Address
const never = 2n ** 40n

interface Terms {
  readonly amount?: bigint
  readonly requested?: bigint
  readonly nonce?: bigint
  readonly deadline?: bigint
}

/** A payer who lets Permit2 spend, and signs for the payee. */
const begin = Effect.fnUntraced(function* (symbol: string) {
  const scene = yield* Scene.withAsset(symbol)
  const { asset, chain, payer, payee } = scene
  const approve = encodeFunctionData({
    abi: Scene.token,
    functionName: "approve",
    args: [hexOf(at), 1000n],
  })
  yield* scene.sends(payer, approve)
  const permitted = (amount = 5n) => ({ token: hexOf(asset.token.address), amount })
  const sign = ({ amount, nonce = 0n, deadline = never }: Terms = {}, signer = payer) =>
    Effect.promise(() =>
      signer.signTypedData({
        domain: {
          name: "Permit2",
          chainId: Eip155.numberOf(chain.chainId),
          verifyingContract: hexOf(at),
        },
        types,
        primaryType: "PermitTransferFrom",
        message: { permitted: permitted(amount), spender: payee.address, nonce, deadline },
      }),
    )
  const handIn = (signature: Hex, terms: Terms = {}, owner: Hex = payer.address) => {
    const { amount, nonce = 0n, deadline = never, requested = amount ?? 5n } = terms
    return encodeFunctionData({
      abi,
      functionName: "permitTransferFrom",
      args: [
        { permitted: permitted(amount), nonce, deadline },
        { to: payee.address, requestedAmount: requested },
        owner,
        signature,
      ],
    })
  }
  const permit = (terms: Terms = {}) =>
    Effect.map(sign(terms), (signature) => handIn(signature, terms))
  return {
    ...scene,
    approve,
    sign,
    handIn,
    permit,
    by: (data: Hex, sender = payee) => scene.send(sender.address, at, data),
    refusal: (data: Hex, sender = payee) => scene.refusal(sender.address, at, data),
  }
})

for (const { chainId, symbol } of [
  { chainId: 56, symbol: "USDT" },
  { chainId: 1, symbol: "USDT" },
  { chainId: 137, symbol: "USDT" },
]) {
  Scene.onChain(chainId)(`Permit2 with ${symbol} on ${chainId}`, (it) => {
    it.effect("has a domain without version", () =>
      Effect.gen(function* () {
        const { call, chain, payer } = yield* begin(symbol)
        const data = encodeFunctionData({ abi, functionName: "DOMAIN_SEPARATOR" })
        const domain = {
          name: "Permit2",
          chainId: Eip155.numberOf(chain.chainId),
          verifyingContract: at,
        }
        assert.strictEqual(yield* call(payer.address, at, data), Eip712.separator(domain))
      }),
    )

    it.effect("moves tokens once, for the named spender", () =>
      Effect.gen(function* () {
        const { permit, by, refusal, balance, payer, payee, stranger } = yield* begin(symbol)
        const data = yield* permit()
        assert.strictEqual(yield* refusal(data, stranger), custom("InvalidSigner()"))
        assert.include((yield* by(data)).events, "Transfer")
        assert.strictEqual(yield* refusal(data), custom("InvalidNonce()"))
        assert.isFalse((yield* by(data)).succeeded)
        assert.strictEqual(yield* balance(payer), 95n)
        assert.strictEqual(yield* balance(payee), 5n)
      }),
    )

    it.effect("moves nothing if the token refuses", () =>
      Effect.gen(function* () {
        const { permit, by, refusal } = yield* begin(symbol)
        const tooMuch = yield* permit({ amount: 101n })
        assert.strictEqual(yield* refusal(tooMuch), "TRANSFER_FROM_FAILED")
        assert.isFalse((yield* by(tooMuch)).succeeded)
        assert.isTrue((yield* by(yield* permit({ amount: 100n }))).succeeded)
      }),
    )
  })
}

Scene.onChain(56)("a signature for Permit2", (it) => {
  it.effect("may be of 64 bytes, and with either s", () =>
    Effect.gen(function* () {
      const { sign, handIn, by, balance, payee } = yield* begin("USDC")
      const first = yield* sign()
      const [v, r, s] = Scene.parts(first)
      const top = BigInt(s) | (BigInt(v - 27) << 255n)
      const short = `${r}${top.toString(16).padStart(64, "0")}` as const
      assert.isTrue((yield* by(handIn(short))).succeeded)
      const second = yield* sign({ nonce: 1n })
      assert.isTrue((yield* by(handIn(Scene.flipped(second), { nonce: 1n }))).succeeded)
      assert.strictEqual(yield* balance(payee), 10n)
    }),
  )

  it.effect("is refused with another length, of an invalid signature, and of another account", () =>
    Effect.gen(function* () {
      const { sign, handIn, refusal, stranger } = yield* begin("USDC")
      const signature = yield* sign()
      const long = handIn(`${signature}00`)
      assert.strictEqual(yield* refusal(long), custom("InvalidSignatureLength()"))
      const nobodys = handIn(`0x${"00".repeat(65)}`)
      assert.strictEqual(yield* refusal(nobodys), custom("InvalidSignature()"))
      const strangers = handIn(yield* sign({}, stranger))
      assert.strictEqual(yield* refusal(strangers), custom("InvalidSigner()"))
      const dearer = handIn(signature, { amount: 6n })
      assert.strictEqual(yield* refusal(dearer), custom("InvalidSigner()"))
    }),
  )

  it.effect("is valid until its deadline, and for its amount", () =>
    Effect.gen(function* () {
      const { chain, permit, by, refusal, balance, payee } = yield* begin("USDC")
      const now = BigInt(yield* chain.nowInS)
      const late = yield* permit({ deadline: now - 100n })
      assert.strictEqual(yield* refusal(late), custom("SignatureExpired(uint256)"))
      const more = yield* permit({ requested: 6n })
      assert.strictEqual(yield* refusal(more), custom("InvalidAmount(uint256)"))
      assert.isTrue((yield* by(yield* permit({ requested: 4n }))).succeeded)
      assert.strictEqual(yield* balance(payee), 4n)
    }),
  )

  it.effect("moves nothing if the token returns false", () =>
    Effect.gen(function* () {
      const { asset, chain, permit, by, refusal } = yield* begin("USDC")
      const data = yield* permit()
      // Returns a word of 0, whatever it is called for.
      yield* chain.setCode(asset.token.address, "0x600060005260206000f3")
      assert.strictEqual(yield* refusal(data), "TRANSFER_FROM_FAILED")
      yield* chain.setCode(asset.token.address, Contracts.code("PlainToken"))
      assert.isTrue((yield* by(data)).succeeded)
    }),
  )

  it.effect("has a nonce that is one bit, used in any order", () =>
    Effect.gen(function* () {
      const { call, permit, by, balance, payer, payee } = yield* begin("USDC")
      for (const nonce of [257n, 1n, 0n, 2n ** 256n - 1n]) {
        assert.isTrue((yield* by(yield* permit({ nonce }))).succeeded)
      }
      assert.strictEqual(yield* balance(payee), 20n)
      const word = (wordPos: bigint) =>
        encodeFunctionData({ abi, functionName: "nonceBitmap", args: [payer.address, wordPos] })
      assert.strictEqual(BigInt(yield* call(payer.address, at, word(0n))), 3n)
      assert.strictEqual(BigInt(yield* call(payer.address, at, word(1n))), 2n)
      const last = word(2n ** 248n - 1n)
      assert.strictEqual(BigInt(yield* call(payer.address, at, last)), 2n ** 255n)
    }),
  )

  it.effect("can be revoked by its owner", () =>
    Effect.gen(function* () {
      const { permit, by, refusal, payer } = yield* begin("USDC")
      const data = yield* permit({ nonce: 258n })
      for (const mask of [4n, 8n]) {
        const revoke = encodeFunctionData({
          abi,
          functionName: "invalidateUnorderedNonces",
          args: [1n, mask],
        })
        yield* by(revoke, payer)
      }
      assert.strictEqual(yield* refusal(data), custom("InvalidNonce()"))
      assert.isTrue((yield* by(yield* permit({ nonce: 257n }))).succeeded)
    }),
  )

  it.effect("is validated by the account itself once it has code", () =>
    Effect.gen(function* () {
      const { chain, permit, by, refusal, send, payer, stranger } = yield* begin("USDC")
      const delegate = yield* chain.deploy("Delegate")
      yield* chain.setCode(Scene.addressOf(payer), Contracts.delegation(delegate))
      yield* send(stranger.address, payer.address, Scene.refusePlain(true))
      const data = yield* permit()
      assert.strictEqual(yield* refusal(data), custom("InvalidContractSignature()"))
      yield* send(stranger.address, payer.address, Scene.refusePlain(false))
      assert.isTrue((yield* by(data)).succeeded)
    }),
  )

  it.effect("of a smart account is valid if its current owner signed", () =>
    Effect.gen(function* () {
      const { asset, approve, sign, handIn, by, refusal, send, chain, ...scene } =
        yield* begin("USDC")
      const { payer, payee, stranger, balance } = scene
      const account = yield* chain.deploy("SmartAccount", Scene.addressOf(payer))
      yield* chain.fund(asset.token.address, account, 50n)
      const execute = encodeFunctionData({
        abi: Scene.smartAccount,
        functionName: "execute",
        args: [hexOf(asset.token.address), approve],
      })
      assert.isTrue((yield* send(stranger.address, account, execute)).succeeded)
      const data = handIn(yield* sign(), {}, hexOf(account))
      const giveTo = (owner: Hex) =>
        send(
          stranger.address,
          account,
          encodeFunctionData({
            abi: Scene.smartAccount,
            functionName: "setOwner",
            args: [owner],
          }),
        )
      yield* giveTo(stranger.address)
      assert.strictEqual(yield* refusal(data), custom("InvalidContractSignature()"))
      yield* giveTo(payer.address)
      assert.isTrue((yield* by(data)).succeeded)
      assert.strictEqual(yield* balance(payer), 100n)
      assert.strictEqual(yield* balance(payee), 5n)
    }),
  )
})
