/**
 * Runs `florin serve`, as a service manager does, on local chains and a database.
 *
 * @module
 */
import type { ChildProcess } from "node:child_process"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Postgres from "@florin/postgres/Postgres"
import * as Confusables from "@florin/server/Confusables"
import { Effect, Layer, Redacted } from "effect"
import * as Databases from "../../postgres/test-support/databases.ts"
import * as FirstPartner from "../src/dev/FirstPartner.ts"
import * as LocalChains from "../src/dev/LocalChains.ts"
import * as Program from "./program.ts"

export interface Served extends Program.Started {
  readonly url: string
}

const listening: ReadonlyArray<RegExp> = [
  /message=ready .*url=http:/u,
  /Do not use this for real money/u,
  /Ready for commands/u,
]

/** Resolves once it says that it is ready; rejects where it ends before. */
const ready = ({ child, said }: Program.Started): Promise<void> =>
  new Promise((resolve, reject) => {
    const looking = setInterval(() => {
      if (!listening.some((form) => form.test(said.out + said.err))) return
      clearInterval(looking)
      resolve()
    }, 50)
    child.once("close", () => {
      clearInterval(looking)
      reject(new Error(`it ended before it was ready: ${said.out}${said.err}`))
    })
  })

/** Runs it until it is ready, with nothing in its environment but what is given. */
export const serve = async (
  variables: { readonly [name: string]: string },
  ...args: ReadonlyArray<string>
): Promise<Served> => {
  const started = Program.start(["serve", ...args], variables)
  await ready(started)
  const [url = ""] =
    /http:\/\/(?:127\.0\.0\.1|localhost):\d+/u.exec(started.said.out + started.said.err) ?? []
  return { ...started, url }
}

/** Ends it, politely or not. */
export const end = (
  { child, ended }: { readonly child: ChildProcess; readonly ended: Promise<Program.Ended> },
  signal: "SIGINT" | "SIGTERM" | "SIGKILL",
): Promise<Program.Ended> => {
  child.kill(signal)
  return ended
}

export const payLinkHost = "pay.example.com"

/** What all processes of a service are given, for test payments on local chains. */
export const variables = (database: string, chains: ReadonlyArray<LocalChains.Reached>) => {
  const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")
  const ofEach = (of: (id: number, rpcUrl: string) => string) =>
    chains.map(({ chainId, rpcUrl }) => of(chainId, rpcUrl)).join(" ")
  return {
    DATABASE_URL: database,
    FLORIN_CHAINS: ofEach((id) => `${id}.finality=2`),
    FLORIN_PAY_LINK_HOST: payLinkHost,
    FLORIN_SEAL_KEY: key(1),
    FLORIN_VAULT_KEY: key(2),
    FLORIN_TEST_RPC: ofEach((id, rpcUrl) => `${id}=${rpcUrl}`),
  }
}

/** Local chains and an empty database, for as long as the work lasts; processes that still run then are ended. */
export const on = (
  ids: ReadonlyArray<number>,
  work: (
    database: string,
    chains: ReadonlyArray<LocalChains.Reached>,
    directory: string,
  ) => Promise<void>,
) =>
  Effect.gen(function* () {
    const chains = yield* LocalChains.start(
      ids.map((id) => Eip155.chainId(id)),
      null,
    )
    const database = yield* Databases.address("empty")
    yield* Effect.promise(() =>
      Program.inDirectory((directory) => work(database, chains, directory)),
    )
  }).pipe(Effect.scoped)

/** An account that has gas and no token: what the ledger says is all that it may hold. */
export const giveGas = ({ rpcUrl }: Pick<LocalChains.Reached, "rpcUrl">, address: string) =>
  fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "anvil_setBalance",
      params: [address, "0xde0b6b3a7640000"],
    }),
  })

/** A partner with keys and a merchant, made beside the processes that run. */
export const register = (database: string, baseUrl: string) =>
  FirstPartner.register(baseUrl).pipe(
    Effect.provide(
      Layer.mergeAll(
        Postgres.layer({ url: Redacted.make(database) }),
        Identifiers.layer,
        Confusables.layer,
      ),
    ),
    Effect.map(({ test }) => test),
    Effect.runPromise,
  )

export const pause = (waitInMs: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, waitInMs))

/** Looks again and again until it is so. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  if (await isSo()) return undefined
  await pause(100)
  return until(isSo)
}

/** What it says once it can serve: a busy machine does not read all that it needs within the 2 s of a look. */
export const becomesReady = async (url: string): Promise<unknown> => {
  const answer = await fetch(`${url}/readyz`)
  if (answer.status === 200) return answer.json()
  await pause(100)
  return becomesReady(url)
}
