/**
 * The deny list of real processes on PostgreSQL, which are killed while it is cut.
 *
 * @module
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import type * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"

const timeout = 360_000

const accounts = Array.from({ length: 30 }, (_, index) => Wallet.make(index + 1).address)

const cutThroughKill = async (
  database: string,
  chains: ReadonlyArray<LocalChains.Reached>,
  directory: string,
): Promise<void> => {
  const path = join(directory, "deny.txt")
  const write = (count: number) => writeFileSync(path, accounts.slice(0, count).join("\n"))
  const variables = {
    ...Serving.variables(database, chains),
    FLORIN_TEST_RELAYERS: Eip155.formatAddress(Wallet.make(78).address),
    FLORIN_DENY_LIST: path,
  }
  const begin = () => Serving.serve(variables, "--role", "api", "--port", "0")
  const florin = (...args: ReadonlyArray<string>) => Program.runIn(variables, ...args)
  const shown = async () => JSON.parse((await florin("screening", "show", "--json")).out)
  const isRefused = () => Serving.until(async () => (await shown()).refused !== null)
  const says = (started: Serving.Served, text: string) =>
    Serving.until(() => (started.said.out + started.said.err).includes(text))

  write(30)
  const [first, second] = [await begin(), await begin()]
  write(0)
  await isRefused()
  await says(second, "the last good list stays in force")
  await Serving.end(first, "SIGKILL")
  write(20)
  const third = await begin()
  await says(third, "the last good list stays in force")
  await Serving.until(async () => (await shown()).refused?.listed === 20)
  rmSync(path)
  await says(third, "cannot be read")
  const { inForce, refused } = await shown()
  assert.deepStrictEqual([inForce, refused.lost.length], [30, 10])

  const status = await florin("status")
  assert.strictEqual(status.code, 1)
  assert.include(status.out.replaceAll(/\s+/gu, " "), "The deny list lost 10 of 30 addresses")
  assert.include(status.out, `florin screening confirm ${refused.digest}`)
  const unknown = await florin("screening", "confirm", "0".repeat(16))
  assert.strictEqual(unknown.code, 2)
  assert.include(unknown.err, "digest: is not that of the list that waits")

  write(20)
  const confirmed = await florin("screening", "confirm", refused.digest)
  assert.strictEqual(confirmed.code, 0, confirmed.err)
  assert.include((await florin("audit")).out, "denyList.confirmed")
  await Promise.all(
    [second, third].map((each) => says(each, "addresses were taken off the deny list")),
  )
  assert.deepStrictEqual(await shown(), { inForce: 20, refused: null })
  await Promise.all([second, third].map((each) => Serving.end(each, "SIGKILL")))
  const last = await begin()
  assert.notInclude(last.said.err, "the last good list stays in force")
  assert.deepStrictEqual(await shown(), { inForce: 20, refused: null })
  await Serving.end(last, "SIGTERM")
}

describe("florin serve with a deny list", () => {
  it.live(
    "S38: keeps the last good list through kills and restarts until the operator confirms a shorter one",
    () => Serving.on([8453], cutThroughKill),
    timeout,
  )
})
