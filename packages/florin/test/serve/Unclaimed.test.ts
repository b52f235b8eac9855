/**
 * Money that arrives without a report: real processes find, keep and refund it, on anvil and PostgreSQL, even if the
 * worker is killed.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import { createWalletClient, erc20Abi, http, publicActions } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Payer from "../../src/dev/Payer.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const chainId = Eip155.chainId(8453)
/** A machine with much else to do takes minutes. */
const timeout = 360_000
const relayer = Wallet.make(117)

const usdc =
  BuiltIn.catalog.assets.find(
    ({ symbol, token }) => symbol === "USDC" && token.chainId === chainId,
  ) ?? assert.fail("there is no USDC")
const token = Payer.hex(usdc.token.address)

const nobodyReports = async (
  database: string,
  chains: ReadonlyArray<LocalChains.Reached>,
): Promise<void> => {
  const [reached = assert.fail("there is no chain")] = chains
  const [payer = assert.fail("nobody pays")] = LocalChains.wallets
  await Serving.giveGas(reached, relayer.address)
  const client = createWalletClient({
    account: privateKeyToAccount(Payer.hex(payer.privateKey)),
    transport: http(reached.rpcUrl),
  }).extend(publicActions)
  const held = (address: string) =>
    client.readContract({
      abi: erc20Abi,
      address: token,
      functionName: "balanceOf",
      args: [Payer.hex(address)],
    })
  const send = (quantity: bigint) =>
    client.writeContract({
      chain: null,
      abi: erc20Abi,
      address: token,
      functionName: "transfer",
      args: [Payer.hex(relayer.address), quantity],
    })
  const variables = {
    ...Serving.variables(database, chains),
    FLORIN_TEST_RELAYER_KEYS: relayer.privateKey,
  }
  const florin = async (...args: ReadonlyArray<string>) => {
    const { code, err, out } = await Program.runIn(variables, ...args, "--json")
    assert.strictEqual(code, 0, out + err)
    return JSON.parse(out)
  }
  const work = () => Serving.serve(variables, "--role", "worker", "--port", "0")
  const unclaimed = async (): Promise<ReadonlyArray<Record<string, string>>> =>
    (await florin("unclaimed", "list")).inflows

  const first = await work()
  // Its first look at the chain, from which on nothing is missed.
  await Serving.pause(3000)
  const before = await held(payer.address)
  const hashes = [await send(9_990_000n), await send(3_000_000n)]
  await Serving.end(first, "SIGKILL")
  const second = await work()
  await Serving.until(async () => (await unclaimed()).length === hashes.length)
  const found = await unclaimed()
  assert.sameMembers(
    found.map(({ txId }) => txId),
    hashes,
  )
  await florin("reconcile")
  for (const { id = "" } of found) {
    // oxlint-disable-next-line no-await-in-loop -- One after the other.
    await florin("unclaimed", "return", id)
  }
  await Serving.until(async () => (await held(payer.address)) === before)
  assert.deepStrictEqual(await unclaimed(), [])
  assert.strictEqual(await held(relayer.address), 0n)
  await florin("reconcile")
  await Serving.end(second, "SIGTERM")
}

describe("money that no payer reports", () => {
  it.live(
    "S17: is found, kept for its sender, and refunded once, even if a worker is killed",
    () => Serving.on([8453], nobodyReports),
    timeout,
  )
})
