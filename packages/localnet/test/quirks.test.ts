/**
 * The differences between tokens, one rule each.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Eip712 from "@florin/core/domain/eip155/Eip712"
import * as Effect from "effect/Effect"
import { encodeFunctionData, keccak256, parseAbi } from "viem/utils"
import * as Contracts from "../src/Contracts.ts"
import * as Scene from "./scene.ts"

const { addressOf, custom, handIn, sign, token } = Scene

const yes = `0x${"1".padStart(64, "0")}`
const no = `0x${"0".repeat(64)}`

/** A payer's authorizations to the payee, ready to be handed in: by the payee, and by anybody. */
const received = Effect.fnUntraced(function* (symbol: string) {
  const scene = yield* Scene.withAsset(symbol)
  const message = scene.authorization()
  const signature = yield* sign(scene.payer, scene.asset, "Receive", message)
  const other = scene.authorization({ nonce: keccak256("0x0a") })
  const byAnybody = yield* sign(scene.payer, scene.asset, "Transfer", other)
  const { payer, asset, stranger } = scene
  const cancelling = yield* Scene.signCancel(payer, asset, message)
  const terms = { spender: stranger.address, nonce: 0n, deadline: message.validBefore }
  const calls = {
    data: handIn("Receive", message, signature),
    byAnybody: handIn("Transfer", other, byAnybody),
    cancel: Scene.cancel(payer, message.nonce, cancelling),
    permit: yield* Scene.permit(payer, asset, terms, "bytes"),
  }
  const { approve, transfer, transferFrom } = scene
  const all = [...Object.values(calls), transfer(1n), transferFrom(1n), approve(1n)]
  return { ...scene, message, ...calls, all }
})

for (const { chainId, symbol } of [
  { chainId: 8453, symbol: "USDC" },
  { chainId: 8453, symbol: "EURC" },
]) {
  Scene.onChain(chainId)(`${symbol} on ${chainId}`, (it) => {
    it.effect("has a version", () =>
      Effect.gen(function* () {
        const { reads } = yield* Scene.withAsset(symbol)
        const version = yield* reads(encodeFunctionData({ abi: token, functionName: "version" }))
        assert.include(version, "32".padEnd(64, "0"))
      }),
    )

    it.effect("refuses transfers from and to a blocked account, but not its approvals", () =>
      Effect.gen(function* () {
        const scene = yield* received(symbol)
        const { at, chain, sends, refuses, isBlocked, payer, payee, stranger } = scene
        const refusal = "Blacklistable: account is blacklisted"
        yield* chain.block(at, addressOf(payer), true)
        assert.isTrue(yield* isBlocked("isBlacklisted"))
        assert.strictEqual(yield* refuses(payee, scene.data), refusal)
        assert.strictEqual(yield* refuses(stranger, scene.byAnybody), refusal)
        assert.strictEqual(yield* refuses(payer, scene.transfer(1n)), refusal)
        assert.isTrue((yield* sends(payer, scene.approve(9n))).succeeded)
        assert.strictEqual(yield* refuses(stranger, scene.transferFrom(1n)), refusal)
        yield* chain.block(at, addressOf(payer), false)
        yield* chain.block(at, addressOf(payee), true)
        assert.strictEqual(yield* refuses(payee, scene.data), refusal)
        assert.strictEqual(yield* refuses(payer, scene.transfer(1n)), refusal)
        yield* chain.block(at, addressOf(payee), false)
        assert.isTrue((yield* sends(payee, scene.data)).succeeded)
        assert.isFalse(yield* isBlocked("isBlacklisted"))
      }),
    )

    it.effect("refuses a used authorization", () =>
      Effect.gen(function* () {
        const { data, sends, refuses, balance, payee } = yield* received(symbol)
        yield* sends(payee, data)
        const refusal = "FiatTokenV2: authorization is used or canceled"
        assert.strictEqual(yield* refuses(payee, data), refusal)
        assert.isFalse((yield* sends(payee, data)).succeeded)
        assert.strictEqual(yield* balance(payee), 5n)
      }),
    )

    it.effect("refuses everything while it is paused", () =>
      Effect.gen(function* () {
        const scene = yield* received(symbol)
        const { at, chain, sends, refuses, reads, payer, payee } = scene
        const paused = encodeFunctionData({ abi: token, functionName: "paused" })
        yield* chain.pause(at, true)
        assert.strictEqual(yield* reads(paused), yes)
        for (const call of scene.all) {
          assert.strictEqual(yield* refuses(payer, call), "Pausable: paused")
        }
        yield* chain.pause(at, false)
        assert.isTrue((yield* sends(payee, scene.data)).succeeded)
      }),
    )

    it.effect("can be minted, paused and blocked by any account", () =>
      Effect.gen(function* () {
        const { sends, reads, isBlocked, balance, payer, stranger } = yield* Scene.withAsset(symbol)
        const { address } = payer
        yield* sends(
          stranger,
          encodeFunctionData({ abi: token, functionName: "mint", args: [address, 5n] }),
        )
        assert.strictEqual(yield* balance(payer), 105n)
        yield* sends(
          stranger,
          encodeFunctionData({ abi: token, functionName: "setBlocked", args: [address, true] }),
        )
        assert.isTrue(yield* isBlocked("isBlacklisted"))
        const paused = encodeFunctionData({ abi: token, functionName: "paused" })
        for (const [value, answer] of [
          [true, yes],
          [false, no],
        ] as const) {
          yield* sends(
            stranger,
            encodeFunctionData({ abi: token, functionName: "setPaused", args: [value] }),
          )
          assert.strictEqual(yield* reads(paused), answer)
        }
      }),
    )
  })
}

Scene.onChain(42220)("USDC on Celo", (it) => {
  it.effect("logs more Transfers while it pays for gas", () =>
    Effect.gen(function* () {
      const { data, at, chain, sends, transfer, balance, payer, payee } = yield* received("USDC")
      yield* chain.fund(at, addressOf(payee), 5000n)
      yield* chain.setTakesGas(at, true)
      const { transfers } = yield* sends(payee, data)
      yield* sends(
        payee,
        encodeFunctionData({ abi: token, functionName: "setTakesGas", args: [false] }),
      )
      assert.deepStrictEqual((yield* sends(payer, transfer(0n))).events, ["Transfer"])
      const zero = Caip.Address.make(`0x${"0".repeat(40)}`)
      const [from, to] = [addressOf(payer), addressOf(payee)]
      assert.deepStrictEqual(
        transfers.map((each) => [each.from, each.value]),
        [
          [to, 1000n],
          [from, 5n],
          [zero, 1000n],
          [to, 100n],
          [to, 200n],
        ],
      )
      assert.deepStrictEqual(transfers[1], { from, to, value: 5n })
      assert.strictEqual(yield* balance(payee), 5005n - 300n)
      assert.strictEqual(yield* balance(payer), 95n)
    }),
  )
})

for (const symbol of ["PYUSD", "USDG"]) {
  Scene.onChain(1)(`${symbol} on 1`, (it) => {
    it.effect("does nothing for a used authorization, and succeeds", () =>
      Effect.gen(function* () {
        const { data, chain, message, sends, reads, balance, payee, refuses } =
          yield* received(symbol)
        yield* sends(payee, data)
        const again = yield* sends(payee, data)
        assert.isTrue(again.succeeded)
        assert.deepStrictEqual(again.events, ["AuthorizationAlreadyUsed"])
        assert.strictEqual(yield* balance(payee), 5n)
        const forged = handIn("Receive", { ...message, value: 50n }, `0x${"00".repeat(65)}`)
        assert.isTrue((yield* sends(payee, forged)).succeeded)
        assert.strictEqual(yield* balance(payee), 5n)
        assert.strictEqual(yield* Effect.map(reads("0x313ce567"), BigInt), 6n)
        const late = { ...message, validBefore: BigInt(yield* chain.nowInS) - 1n }
        assert.strictEqual(
          yield* refuses(payee, handIn("Receive", late, `0x${"00".repeat(65)}`)),
          custom("AuthorizationExpired()"),
        )
      }),
    )

    it.effect("does nothing for a cancelled authorization, nor for a second cancellation", () =>
      Effect.gen(function* () {
        const { data, cancel, sends, balance, payee } = yield* received(symbol)
        yield* sends(payee, cancel)
        assert.deepStrictEqual((yield* sends(payee, data)).events, ["AuthorizationAlreadyUsed"])
        assert.deepStrictEqual((yield* sends(payee, cancel)).events, ["AuthorizationAlreadyUsed"])
        assert.strictEqual(yield* balance(payee), 0n)
      }),
    )

    it.effect("refuses transfers and approvals of a frozen account", () =>
      Effect.gen(function* () {
        const scene = yield* received(symbol)
        const { at, chain, sends, refuses, isBlocked, payer, payee } = scene
        const refusal = custom("AddressFrozen()")
        for (const frozen of [addressOf(payer), addressOf(payee)]) {
          yield* chain.block(at, frozen, true)
          assert.strictEqual(yield* isBlocked("isFrozen"), frozen === addressOf(payer))
          assert.strictEqual(yield* refuses(payee, scene.data), refusal)
          assert.strictEqual(yield* refuses(payer, scene.transfer(1n)), refusal)
          yield* chain.block(at, frozen, false)
        }
        yield* chain.block(at, addressOf(payer), true)
        for (const call of [scene.approve(1n), scene.cancel, scene.permit]) {
          assert.strictEqual(yield* refuses(payer, call), refusal)
        }
        yield* chain.block(at, addressOf(payer), false)
        assert.isTrue((yield* sends(payee, scene.data)).succeeded)
      }),
    )

    it.effect("refuses everything while it is paused", () =>
      Effect.gen(function* () {
        const scene = yield* received(symbol)
        const { at, chain, sends, refuses, payee } = scene
        yield* chain.pause(at, true)
        for (const call of scene.all) {
          assert.strictEqual(yield* refuses(payee, call), custom("ContractPaused()"))
        }
        yield* chain.pause(at, false)
        assert.isTrue((yield* sends(payee, scene.data)).succeeded)
      }),
    )

    it.effect("reverts with the reason if balance or allowance is too low", () =>
      Effect.gen(function* () {
        const { sends, refuses, approve, transfer, transferFrom, payer, stranger } =
          yield* Scene.withAsset(symbol)
        assert.strictEqual(yield* refuses(payer, transfer(101n)), custom("InsufficientFunds()"))
        yield* sends(payer, approve(4n))
        const refusal = yield* refuses(stranger, transferFrom(5n))
        assert.strictEqual(refusal, custom("InsufficientAllowance()"))
      }),
    )
  })
}

Scene.onChain(42161)("USDT0 on 42161", (it) => {
  it.effect("lets a blocked account receive tokens, but make no call", () =>
    Effect.gen(function* () {
      const scene = yield* received("USDT0")
      const { at, chain, sends, refuses, balance, isBlocked, payer, payee, stranger } = scene
      const refusal = "transfers are blocked for user"
      yield* chain.block(at, addressOf(payee), true)
      assert.strictEqual(yield* refuses(payee, scene.data), refusal)
      assert.strictEqual(yield* refuses(payee, scene.byAnybody), refusal)
      assert.isTrue((yield* sends(payer, scene.transfer(1n))).succeeded)
      assert.strictEqual(yield* balance(payee), 1n)
      yield* chain.block(at, addressOf(payee), false)

      yield* chain.block(at, addressOf(payer), true)
      assert.isTrue(yield* isBlocked("isBlocked"))
      assert.strictEqual(yield* refuses(payer, scene.transfer(1n)), refusal)
      assert.isTrue((yield* sends(payer, scene.approve(9n))).succeeded)
      assert.strictEqual(yield* refuses(stranger, scene.transferFrom(1n)), "")
      assert.isTrue((yield* sends(payee, scene.data)).succeeded)
      assert.strictEqual(yield* balance(payee), 6n)
    }),
  )

  it.effect("has a domain that follows its name, and no version function", () =>
    Effect.gen(function* () {
      const { asset, data, sends, refuses, reads, payee, stranger } = yield* received("USDT0")
      const separator = encodeFunctionData({ abi: token, functionName: "DOMAIN_SEPARATOR" })
      const rename = (name: string) =>
        sends(
          stranger,
          encodeFunctionData({
            abi: token,
            functionName: "updateNameAndSymbol",
            args: [name, name],
          }),
        )
      yield* Effect.flip(reads(encodeFunctionData({ abi: token, functionName: "version" })))
      yield* rename("USDT zero")
      const { domain, separatorPin } = Details.of(asset)
      assert.isDefined(domain)
      if (domain === undefined) return
      assert.strictEqual(
        yield* reads(separator),
        Eip712.separator({ ...domain, name: "USDT zero" }),
      )
      assert.strictEqual(yield* refuses(payee, data), "EIP3009: invalid signature")
      yield* rename(domain.name)
      assert.strictEqual(yield* reads(separator), separatorPin)
      assert.isTrue((yield* sends(payee, data)).succeeded)
    }),
  )
})

Scene.onChain(1)("USDT on 1", (it) => {
  it.effect("returns no value from a transfer", () =>
    Effect.gen(function* () {
      const { at, call, sends, approve, transfer, transferFrom, payer, stranger } =
        yield* Scene.withAsset("USDT")
      yield* sends(payer, approve(9n))
      assert.strictEqual(yield* call(payer.address, at, transfer(1n)), "0x")
      assert.strictEqual(yield* call(payer.address, at, approve(0n)), "0x")
      assert.strictEqual(yield* call(stranger.address, at, transferFrom(1n)), "0x")
    }),
  )

  it.effect("sets an allowance again only from 0", () =>
    Effect.gen(function* () {
      const { sends, refuses, allowance, approve, transferFrom, balance, payer, payee, stranger } =
        yield* Scene.withAsset("USDT")
      yield* sends(payer, approve(9n))
      assert.strictEqual(yield* refuses(payer, approve(10n)), "")
      assert.isFalse((yield* sends(payer, approve(10n))).succeeded)
      assert.strictEqual(yield* allowance, 9n)
      assert.isTrue((yield* sends(stranger, transferFrom(4n))).succeeded)
      assert.strictEqual(yield* allowance, 5n)
      assert.strictEqual(yield* refuses(stranger, transferFrom(6n)), "")
      yield* sends(payer, approve(0n))
      yield* sends(payer, approve(10n))
      assert.strictEqual(yield* allowance, 10n)
      assert.strictEqual(yield* balance(payee), 4n)
    }),
  )

  it.effect("does not reduce an unlimited allowance", () =>
    Effect.gen(function* () {
      const { sends, allowance, approve, transferFrom, payer, stranger } =
        yield* Scene.withAsset("USDT")
      const endless = 2n ** 256n - 1n
      yield* sends(payer, approve(endless))
      yield* sends(stranger, transferFrom(4n))
      assert.strictEqual(yield* allowance, endless)
    }),
  )

  it.effect("keeps a fee if it is configured, up to a maximum", () =>
    Effect.gen(function* () {
      const { at, chain, sends, transfer, balance, payer, payee } = yield* Scene.withAsset("USDT")
      const basisPoints = 1000n
      yield* chain.setTransferFee(at, basisPoints, 3n)
      const { transfers } = yield* sends(payer, transfer(20n))
      assert.deepStrictEqual(
        transfers.map(({ value }) => value),
        [2n, 18n],
      )
      yield* sends(payer, transfer(80n))
      yield* sends(
        payee,
        encodeFunctionData({ abi: token, functionName: "setParams", args: [0n, 0n] }),
      )
      yield* chain.fund(at, addressOf(payer), 1n)
      assert.strictEqual((yield* sends(payer, transfer(1n))).transfers.length, 1)
      assert.strictEqual(yield* balance(payer), 0n)
      assert.strictEqual(yield* balance(payee), 96n)
    }),
  )

  it.effect("refuses transfers from a blocked account, and everything while it is paused", () =>
    Effect.gen(function* () {
      const { at, chain, sends, refuses, isBlocked, balance, payer, payee, stranger, ...scene } =
        yield* Scene.withAsset("USDT")
      const { approve, transfer, transferFrom } = scene
      yield* sends(payer, approve(9n))
      yield* chain.block(at, addressOf(payer), true)
      assert.isTrue(yield* isBlocked("isBlackListed"))
      assert.strictEqual(yield* refuses(payer, transfer(1n)), "")
      assert.strictEqual(yield* refuses(stranger, transferFrom(1n)), "")
      yield* chain.block(at, addressOf(payer), false)
      yield* chain.block(at, addressOf(payee), true)
      assert.isTrue((yield* sends(payer, transfer(1n))).succeeded)
      yield* chain.pause(at, true)
      assert.strictEqual(yield* refuses(payer, transfer(1n)), "")
      assert.strictEqual(yield* refuses(stranger, transferFrom(1n)), "")
      yield* chain.pause(at, false)
      assert.strictEqual(yield* refuses(payer, transfer(100n)), "")
      assert.strictEqual(yield* balance(payee), 1n)
    }),
  )
})

for (const symbol of ["USDC", "USDT"]) {
  Scene.onChain(56)(`${symbol} on 56`, (it) => {
    it.effect("moves and logs transfers, also by allowance, and has no other functions", () =>
      Effect.gen(function* () {
        const { at, call, chain, sends, transfer, approve, transferFrom, balance, ...scene } =
          yield* Scene.withAsset(symbol)
        const { payer, payee, stranger } = scene
        assert.strictEqual(yield* call(payer.address, at, transfer(1n)), yes)
        yield* sends(payer, approve(9n))
        yield* sends(payer, approve(8n))
        assert.strictEqual(yield* call(stranger.address, at, transferFrom(8n)), yes)
        yield* sends(stranger, transferFrom(8n))
        yield* sends(payer, transfer(1n))
        assert.strictEqual(yield* balance(payee), 9n)
        assert.strictEqual(
          yield* scene.refuses(payer, transfer(92n)),
          "ERC20: transfer amount exceeds balance",
        )
        assert.strictEqual(
          yield* scene.refuses(stranger, transferFrom(1n)),
          "ERC20: transfer amount exceeds allowance",
        )
        for (const impossible of [
          chain.pause(at, true),
          chain.block(at, addressOf(payer), true),
          chain.setTransferFee(at, 1n, 1n),
          chain.setTakesGas(at, true),
        ]) {
          const { message } = yield* Effect.flip(impossible)
          assert.include(message, Eip155.formatToken(scene.asset.token))
        }
      }),
    )
  })
}

Scene.onChain(137)("USDT on 137", (it) => {
  const permit = Effect.fnUntraced(function* (deadline: bigint, nonce = 0n) {
    const scene = yield* Scene.withAsset("USDT")
    const spender = scene.stranger.address
    const data = yield* Scene.permit(
      scene.payer,
      scene.asset,
      { spender, nonce, deadline },
      "parts",
    )
    return { ...scene, data }
  })

  it.effect("accepts a permit with deadline 0 at any time, once", () =>
    Effect.gen(function* () {
      const { data, sends, refuses, allowance, stranger } = yield* permit(0n)
      assert.isTrue((yield* sends(stranger, data)).succeeded)
      assert.strictEqual(yield* allowance, 7n)
      assert.strictEqual(yield* refuses(stranger, data), "USDT0: INVALID-PERMIT")
    }),
  )

  it.effect("refuses a permit after its deadline, and of another nonce", () =>
    Effect.gen(function* () {
      const late = yield* permit(1n)
      assert.strictEqual(yield* late.refuses(late.stranger, late.data), "USDT0: PERMIT-EXPIRED")
      const other = yield* permit(0n, 1n)
      assert.strictEqual(yield* other.refuses(other.stranger, other.data), "USDT0: INVALID-PERMIT")
    }),
  )

  it.effect("accepts either form of s, and never asks the account", () =>
    Effect.gen(function* () {
      const { asset, chain, sends, allowance, payer, stranger } = yield* permit(0n)
      yield* chain.setCode(addressOf(payer), Contracts.delegation(yield* chain.deploy("FakeToken")))
      const message = {
        owner: payer.address,
        spender: stranger.address,
        value: 7n,
        nonce: 0n,
        deadline: 0n,
      }
      const signature = yield* Effect.promise(() =>
        payer.signTypedData({
          domain: Scene.domainOf(asset),
          types: Scene.types,
          primaryType: "Permit",
          message,
        }),
      )
      const args = [payer.address, stranger.address, 7n, 0n] as const
      const data = encodeFunctionData({
        abi: Scene.inParts,
        functionName: "permit",
        args: [...args, ...Scene.parts(Scene.flipped(signature))],
      })
      assert.isTrue((yield* sends(stranger, data)).succeeded)
      assert.strictEqual(yield* allowance, 7n)
    }),
  )

  it.effect("refuses transfers from a blocked account, but not to it", () =>
    Effect.gen(function* () {
      const { at, chain, sends, refuses, isBlocked, payer, payee, stranger, ...scene } =
        yield* Scene.withAsset("USDT")
      const { approve, transfer, transferFrom } = scene
      yield* sends(payer, approve(9n))
      yield* chain.block(at, addressOf(stranger), true)
      assert.strictEqual(yield* refuses(stranger, transferFrom(1n)), "USDT0: sender is blocked")
      yield* chain.block(at, addressOf(stranger), false)
      yield* chain.block(at, addressOf(payee), true)
      assert.isTrue((yield* sends(payer, transfer(1n))).succeeded)
      yield* chain.block(at, addressOf(payer), true)
      assert.isTrue(yield* isBlocked("isBlocked"))
      assert.strictEqual(yield* refuses(payer, transfer(1n)), "USDT0: from is blocked")
      assert.strictEqual(yield* refuses(stranger, transferFrom(1n)), "USDT0: from is blocked")
    }),
  )
})

Scene.onChain(1)("a fake token", (it) => {
  it.effect("logs transfers that never happened", () =>
    Effect.gen(function* () {
      const { chain, send, payer, payee, stranger } = yield* Scene.begin
      const fake = yield* chain.deploy("FakeToken")
      const data = encodeFunctionData({
        abi: parseAbi(["function pretend(address from, address to, uint256 value)"]),
        args: [payer.address, payee.address, 10n ** 30n],
      })
      const { transfers } = yield* send(stranger.address, fake, data)
      const [from, to] = [addressOf(payer), addressOf(payee)]
      assert.deepStrictEqual(transfers, [{ from, to, value: 10n ** 30n }])
    }),
  )
})

Scene.onChain(1)("a smart account that is not deployed yet", (it) => {
  const factory = parseAbi([
    "function createAccount(address owner, uint256 salt) returns (address)",
    "function accountOf(address owner, uint256 salt) view returns (address)",
  ])
  it.effect("is deployed at its predicted address, and belongs to its owner", () =>
    Effect.gen(function* () {
      const { at, asset, authorization, chain, call, send, sends, balance, payer, payee } =
        yield* Scene.withAsset("USDC")
      const maker = yield* chain.deploy("SmartAccountFactory")
      const args = [payer.address, 3n] as const
      const foretold = yield* call(
        payer.address,
        maker,
        encodeFunctionData({ abi: factory, functionName: "accountOf", args }),
      )
      const account = Caip.Address.make(`0x${foretold.slice(26)}`)
      yield* chain.fund(at, account, 5n)
      const message = authorization({ from: Scene.hexOf(account), nonce: keccak256("0x02") })
      const data = handIn("Receive", message, yield* sign(payer, asset, "Receive", message))
      assert.isFalse((yield* sends(payee, data)).succeeded)
      const create = encodeFunctionData({ abi: factory, functionName: "createAccount", args })
      assert.isTrue((yield* send(payer.address, maker, create)).succeeded)
      assert.isTrue((yield* sends(payee, data)).succeeded)
      assert.strictEqual(yield* balance(payee), 5n)
      assert.isTrue((yield* send(payer.address, maker, create)).succeeded)
    }),
  )
})
