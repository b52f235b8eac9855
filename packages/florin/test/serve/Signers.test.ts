/**
 * A process that works and has no key of its own: Web3Signer signs on one chain, and a program on the other.
 *
 * @module
 */
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { makePartner, pay } from "@florin/client"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import * as Asked from "../../../signers/test-support/asked.ts"
import * as FakeWeb3Signer from "../../../signers/test-support/fakeWeb3Signer.ts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const [base, polygon] = [8453, 137]

/** The key behind the program; that behind the fake Web3Signer is its own. */
const behindProgram = Wallet.make(80)
const fakeProgram = fileURLToPath(
  new URL("../../../signers/test-support/fakeProgram.ts", import.meta.url),
)

/** A machine with much else to do takes minutes. */
const timeout = 360_000

const payWith =
  (web3signer: FakeWeb3Signer.Fake) =>
  async (database: string, chains: ReadonlyArray<LocalChains.Reached>): Promise<void> => {
    const addresses = [Asked.address, Eip155.formatAddress(behindProgram.address)]
    await Promise.all(
      chains.flatMap((chain) => addresses.map((address) => Serving.giveGas(chain, address))),
    )
    const signers = [
      { address: `${base}=${addresses[0]}`, web3signer: web3signer.url },
      {
        address: `${polygon}=${addresses[1]}`,
        // An operator's program has its secrets somewhere: here they are in its arguments.
        program: [
          "/usr/bin/env",
          `FAKE_KEY=${behindProgram.privateKey.slice(2)}`,
          execPath,
          fakeProgram,
        ],
        signWithinInMs: 20_000,
      },
    ]
    const variables = {
      ...Serving.variables(database, chains),
      FLORIN_TEST_SIGNERS: JSON.stringify(signers),
    }
    // All processes share the setting: those that answer take the addresses out of it.
    const begin = (role: "api" | "worker") =>
      Serving.serve(variables, "--role", role, "--port", "0")
    const [api, worker] = await Promise.all([begin("api"), begin("worker")])
    assert.notInclude(api.said.err, "holds keys")
    const { merchantId, partnerKey, walletKey } = await Serving.register(database, api.url)
    const partner = makePartner({ baseUrl: api.url, apiKey: partnerKey, merchantId })
    const [payer = assert.fail("there is nobody")] = LocalChains.wallets
    const payOn = async (chainId: number) => {
      const { gatewayUrl, paymentId } = await partner.payments.create({
        referenceId: `on ${chainId}`,
        amount: { unit: "iso4217/USD", value: "1250" },
      })
      const paid = await pay(gatewayUrl, {
        baseUrl: api.url,
        payLinkHost: Serving.payLinkHost,
        apiKey: walletKey,
        accounts: [Eip155.formatAccount(payer.account(chainId))],
        signer: Payer.signer(payer, chains),
        maxPollMs: 1000,
      })
      assert.strictEqual(paid._tag, "Succeeded")
      await Serving.until(async () => (await partner.payments.get(paymentId)).settlement !== null)
    }

    // While Web3Signer lies nothing goes out, and payments where others sign are not in its way.
    web3signer.tell("another recipient")
    const onBase = payOn(base)
    await Serving.until(() => /level=ERROR .*returned another to than/u.test(worker.said.err))
    await payOn(polygon)
    web3signer.tell(undefined)
    await onBase

    const books = await Program.runIn(variables, "reconcile")
    assert.strictEqual(books.code, 0, books.out + books.err)
    for (const { err } of [api.said, worker.said]) {
      for (const secret of [Asked.key.slice(2), behindProgram.privateKey.slice(2), web3signer.url])
        assert.notInclude(err, secret)
    }
    await Promise.all([api, worker].map((each) => Serving.end(each, "SIGTERM")))
  }

describe("florin serve with signers", () => {
  it.live(
    "S16: collects and pays out with Web3Signer and a program, and sends nothing that either made up",
    () =>
      Effect.scoped(
        Effect.flatMap(FakeWeb3Signer.start(), (fake) =>
          Serving.on([base, polygon], payWith(fake)),
        ),
      ),
    timeout,
  )
})
