/**
 * `florin serve` with a secret in every setting that may hold one, and everything that it writes.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Wallet from "@florin/testing/Wallet"
import type * as LocalChains from "../../src/dev/LocalChains.ts"
import * as Program from "../program.ts"
import * as Serving from "../serving.ts"
import * as Listener from "./Listener.ts"
import type * as Plants from "./Plants.ts"

const fakeProgram = fileURLToPath(
  new URL("../../../signers/test-support/fakeProgram.ts", import.meta.url),
)

/** A program that signs; while a file is there it fails, and tells all that it was told. */
const signing = 'if [ -e "$0" ]; then cat >&2; echo "$FAKE_KEY" >&2; exit 3; fi; exec "$1" "$2"'

export const signedChain = 8453
export const keyedChain = 10

/** Starts an API process and a worker. */
export const begin = async (
  plants: Plants.Plants,
  database: string,
  chains: ReadonlyArray<LocalChains.Reached>,
  directory: string,
) => {
  const written: Array<{ readonly sink: Plants.Sink; readonly text: string }> = []
  const note = (sink: Plants.Sink, text: string) => {
    written.push({ sink, text })
  }
  /** What was just written shows a secret to whom it is for, once: it is looked for in everything else. */
  const forgive = (secret: string) => {
    const last = written.pop() ?? assert.fail("nothing was written")
    assert.include(last.text, secret)
    written.push({ ...last, text: last.text.replace(secret, "") })
  }
  const keys = (what: string) =>
    [1, 2].map((number) => {
      const bytes = randomBytes(32)
      const text = bytes.toString("base64")
      plants.value(`${what} ${number}`, text, bytes)
      return text
    })
  const privateKey = (what: string) => {
    const bytes = randomBytes(32)
    plants.value(what, bytes.toString("hex"), bytes)
    return Wallet.make(bytes.toString("hex"))
  }
  const [keyed, signed] = [privateKey("relayer's private key"), privateKey("signer's private key")]
  await Promise.all(
    chains.flatMap((chain) =>
      [keyed, signed].map(({ address }) => Serving.giveGas(chain, address)),
    ),
  )

  const nodeOf = (id: number) =>
    chains.find(({ chainId }) => chainId === id)?.rpcUrl ?? assert.fail()
  const pass =
    (to: string): Listener.Respond =>
    async ({ body }) => {
      const answer = await fetch(to, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      })
      return { status: answer.status, body: await answer.text() }
    }
  const [first, second, other] = await Promise.all(
    [signedChain, signedChain, keyedChain].map((id) => Listener.make(pass(nodeOf(id)))),
  )
  if (first === undefined || second === undefined || other === undefined) return assert.fail()
  const collector = await Listener.make(() => ({ status: 200, body: "{}" }))
  const receiver = await Listener.make(() => ({ status: 200, body: "" }))
  const alerts = await Listener.make(() => ({ status: 200, body: "" }))
  const rates = await Listener.make(Listener.repeating(401))
  const logos = await Listener.make(Listener.repeating(404))
  const brokenSigner = join(directory, "broken")

  const databaseUrl = new URL(database)
  databaseUrl.password = plants.text("database's password")
  const down = "127.0.0.1:1"
  const rpc = [
    `${signedChain}=${first.url}/v2/${plants.text("node's key in its path")}?apikey=${plants.text("node's key in its query")}`,
    `${signedChain}=http://${plants.text("node's user")}:${plants.text("node's password")}@${down}/${plants.text("key of a node that is down")}`,
    `${signedChain}=${second.url}/${plants.text("second node's key")}`,
    `${keyedChain}=${other.url}/${plants.text("another node's key")}`,
  ]
  const address = (of: Wallet.Wallet) => Eip155.formatAddress(of.address)
  const signers = [
    {
      address: `${signedChain}=${address(signed)}`,
      program: ["/bin/sh", "-c", signing, brokenSigner, execPath, fakeProgram],
      environment: ["FAKE_KEY"],
      signWithinInMs: 20_000,
    },
  ]
  const config = join(directory, "florin.json")
  writeFileSync(
    config,
    JSON.stringify({
      sealKey: keys("seal key"),
      otlpHeaders: [`authorization=Bearer%20${plants.text("collector's token")}`],
      testSigners: signers,
      chains: { [signedChain]: { finality: 2 }, [keyedChain]: { finality: 2 } },
    }),
    { mode: 0o600 },
  )
  const alertKey = randomBytes(32)
  const alertSecret = `whsec_${alertKey.toString("base64")}`
  plants.value("secret of the operator's webhook", alertSecret, alertKey)
  const variables = {
    DATABASE_URL: databaseUrl.href,
    FAKE_KEY: signed.privateKey.slice(2),
    FLORIN_CONFIG: config,
    FLORIN_PAY_LINK_HOST: Serving.payLinkHost,
    FLORIN_VAULT_KEY: keys("vault key").join(" "),
    FLORIN_TEST_RPC: rpc.join(" "),
    FLORIN_TEST_RELAYER_KEYS: `${keyedChain}=${keyed.privateKey}`,
    FLORIN_OTLP: `${collector.url}/${plants.text("collector's path")}`,
    FLORIN_RATE_FILE: `${rates.url}/${plants.text("path of the rates")}?token=${plants.text("token of the rates")}`,
    FLORIN_ALERT_URL: `${alerts.url}/${plants.text("path of the operator's webhook")}?token=${plants.text("token of the operator's webhook")}`,
    FLORIN_ALERT_SECRET: alertSecret,
    FLORIN_ALERT_SECONDS: "1",
    FLORIN_COLLECT: "always",
    FLORIN_TERMS_URL: "https://pay.example.com/terms",
    FLORIN_PRIVACY_URL: "https://pay.example.com/privacy",
    FLORIN_PROVE_DESTINATIONS: "true",
    FLORIN_PRIVATE_WEBHOOKS: "true",
    FLORIN_PRIVATE_LOGOS: "true",
    FLORIN_LEGACY_LIST: "true",
    FLORIN_FIELD_HEADER: "X-Old-Version",
    FLORIN_PROXY_HEADER: "X-Forwarded-For",
    FLORIN_RATE_LIMIT: "0",
    FLORIN_APP: "test:pocket",
    FLORIN_LOG_FORMAT: "json",
  }
  const start = (role: string) =>
    Serving.serve(variables, "--role", role, "--port", "0", "--operator-port", "0")
  const [api, worker] = [await start("api"), await start("worker")]
  const operatorUrls = [api, worker].map(
    ({ said }) =>
      /operator's port is open.*? url=(http:\S+)/u.exec(said.err + said.out)?.[1] ??
      assert.fail("no operator's port"),
  )

  const [, url] = /message=ready .*url=(\S+)/u.exec(api.said.err) ?? []
  const baseUrl = url ?? assert.fail("it does not say where it listens")

  const look = async (sink: Plants.Sink, at: string) => {
    const answer = await fetch(at)
    note(sink, `${JSON.stringify([...answer.headers])} ${await answer.text()}`)
  }
  return {
    url: baseUrl,
    worker,
    variables,
    /** What the nodes of the chain that is signed for respond from now on. */
    tellNodes: (respond: Listener.Respond | null) => {
      for (const each of [first, second]) each.tell(respond)
    },
    collector,
    receiver,
    alerts,
    logos,
    brokenSigner,
    note,
    forgive,
    /** What a command of the operator's says. */
    command: async (...words: ReadonlyArray<string>) => {
      const ended = await Program.runIn(variables, ...words)
      note(
        words[0] === "audit" ? "audit" : "command",
        `${words.join(" ")}: ${ended.out}${ended.err}`,
      )
      return ended
    },
    /** Reads what is to be asked for. */
    look: () =>
      Promise.all([
        ...[baseUrl, ...operatorUrls].flatMap((base) =>
          ["/healthz", "/readyz"].map((path) => look("health", `${base}${path}`)),
        ),
        ...operatorUrls.map((base) => look("metric", `${base}/metrics`)),
      ]),
    /** Ends both, and answers all that was written. */
    end: async () => {
      await Promise.all([api, worker].map((each) => Serving.end(each, "SIGTERM")))
      for (const { said } of [api, worker]) note("log", said.out + said.err)
      const collected = { traces: "trace", metrics: "metric", logs: "collector's log" } as const
      for (const { body, url: path } of collector.received) {
        for (const [name, sink] of Object.entries(collected))
          if (path.endsWith(name)) note(sink, body)
      }
      for (const { body, headers } of receiver.received) {
        note("webhook", `${JSON.stringify(headers)} ${body}`)
      }
      for (const { body, headers } of alerts.received) {
        note("alert", `${JSON.stringify(headers)} ${body}`)
      }
      for (const each of [first, second, other, collector, receiver, alerts, rates, logos])
        each.close()
      return written
    },
  }
}
