/**
 * Runs every `curl` of docs/api.md and docs/testing.md against the service, in order, and compares the response with
 * the page.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { createFlorin } from "../../packages/server/src/Florin.ts"
import { SimulatedChain } from "../../packages/testing/src/SimulatedChain.ts"
import * as Wallet from "../../packages/testing/src/Wallet.ts"

/** What stands in a fence, and the text that follows until the next one that is a call. */
interface Step {
  readonly command: string
  readonly text: string
}

const guide = ["docs/api.md", "docs/testing.md"]
  .map((page) => readFileSync(page, "utf8"))
  .join("\n")
const steps: ReadonlyArray<Step> = guide
  .split(/^(?=```sh\ncurl )/mu)
  .slice(1)
  .map((part) => {
    const [, command = "", text = ""] = /^```sh\n([^]*?)\n```\n([^]*)$/u.exec(part) ?? []
    return { command, text }
  })

type Variables = Map<string, string>

/** The words of a command, as a shell takes them apart: quotes, `$NAME`, and lines that go on. */
const wordsOf = (command: string, variables: Variables): ReadonlyArray<string> => {
  const valueOf = (name: string) => variables.get(name) ?? assert.fail(`nobody kept ${name}`)
  const expanded = (text: string) =>
    text.replaceAll(/\$([A-Z][A-Z0-9_]*)/gu, (_, name: string) => valueOf(name))
  const words = command.replaceAll("\\\n", " ").match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/gu) ?? []
  return words.map((word) =>
    (word.match(/'[^']*'|"[^"]*"|[^'"]+/gu) ?? [])
      .map((part) => {
        if (part.startsWith("'")) return part.slice(1, -1)
        return expanded(part.startsWith('"') ? part.slice(1, -1) : part)
      })
      .join(""),
  )
}

/** The request that `curl` would send. */
const requestOf = (command: string, variables: Variables): Request => {
  const [curl, ...words] = wordsOf(command, variables)
  assert.strictEqual(curl, "curl")
  const headers = new Headers()
  let url = ""
  let method: string | undefined
  let body: string | undefined
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ""
    if (word.startsWith("http")) {
      url = word
      continue
    }
    index += 1
    const value = words[index] ?? assert.fail(`${word} needs a value`)
    if (word === "-X") method = value
    else if (word === "--json") body = value
    else if (word === "-H") headers.append(...splitHeader(value))
    else assert.fail(`the test does not know ${word}`)
  }
  if (body !== undefined) headers.set("Content-Type", "application/json")
  return new Request(url, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers,
    ...(body !== undefined && { body }),
  })
}

const splitHeader = (line: string): [name: string, value: string] => {
  const at = line.indexOf(": ")
  return [line.slice(0, at), line.slice(at + 2)]
}

/** A member by its path: `options[0].id`. */
const at = (value: unknown, path: string): unknown =>
  path
    .split(/[.[\]]+/u)
    .filter((name) => name !== "")
    .reduce<unknown>((from, name) => Object(from)[name], value)

/** Numbers that differ from run to run. */
const times = new Set(["expiresAt", "pollInMs"])

/** Whether a text is what is shown, with anything in place of each `…`. */
const fits = (shown: string, text: string): boolean => {
  const [first = "", ...rest] = shown.split("…")
  if (!text.startsWith(first)) return false
  if (rest.length === 0) return text === first
  const last = rest.at(-1) ?? ""
  return text.length >= first.length + last.length && text.endsWith(last)
}

/** Holds an answer against what the guide shows: every member, none more, and `…` for what may differ. */
const same = (shown: unknown, answer: unknown, path: string): void => {
  if (shown === "…") {
    assert.isDefined(answer, path)
  } else if (typeof shown === "string" && typeof answer === "string") {
    assert.isTrue(fits(shown, answer), `${path}: ${answer} is not ${shown}`)
  } else if (typeof shown === "number" && times.has(path.split(".").at(-1) ?? "")) {
    assert.isNumber(answer, path)
  } else if (typeof shown === "object" && shown !== null) {
    assert.deepStrictEqual(Array.isArray(answer), Array.isArray(shown), path)
    assert.sameMembers(Object.keys(Object(answer)), Object.keys(shown), `${path}: its members`)
    for (const [name, each] of Object.entries(shown))
      same(each, at(answer, name), `${path}.${name}`)
  } else {
    assert.strictEqual(answer, shown, path)
  }
}

const open = async () => {
  const florin = createFlorin({
    payLinkHost: "pay.example.com",
    pages: false,
    chains: SimulatedChain.layerChains({ blocks: "instant", unseenBalance: 1000 }),
    worker: { idleInMs: 20 },
  })
  await florin.workers.start()
  const { operator } = florin
  const { id: partnerId } = await operator.partners.create({ name: "Partner" })
  const key = await operator.keys.issue({ partnerId, mode: "test", name: "Guide" })
  const walletKey = await operator.keys.issue({ mode: "test", wallet: "Wallet" })
  const variables: Variables = new Map([
    ["FLORIN", "http://127.0.0.1:3000"],
    ["KEY", key.secret],
    ["WALLET_KEY", walletKey.secret],
  ])
  return { florin, variables, [Symbol.asyncDispose]: florin.dispose }
}

/** The payer of the guide signs an action of an answer. */
const sign = (action: unknown): Promise<string> => {
  const params = at(action, "data.params")
  return Wallet.make(1).request({
    chainId: String(at(action, "data.chain_id")),
    method: "eth_signTypedData_v4",
    params: Array.isArray(params) ? params : assert.fail("no params"),
  })
}

describe("docs/api.md and docs/testing.md", () => {
  it("contain calls with their responses", () => {
    assert.isAbove(steps.length, 15)
    for (const { command, text } of steps) assert.match(text, /^Returns `\d{3}`/mu, command)
    assert.strictEqual(guide.match(/curl (?!-X|"\$FLORIN)/gu), null, "a call outside the test")
  })

  it("show what the service responds with", async () => {
    await using service = await open()
    const { florin, variables } = service
    const run = async ({ command, text }: Step) => {
      const response = await florin.handler(requestOf(command, variables))
      const answer: unknown = await response.json()
      const said = `${command}\n${JSON.stringify(answer)}`
      assert.strictEqual(String(response.status), /^Returns `(\d{3})`/mu.exec(text)?.[1], said)
      const shown = /^```json\n([^]*?)\n```$/mu.exec(text)?.[1]
      if (shown !== undefined) same(JSON.parse(shown), answer, command)
      const kept = /Keep `([^`]+)` as `(\w+)`/u.exec(text)
      if (kept !== null) variables.set(kept[2] ?? "", String(at(answer, kept[1] ?? "")))
      const known = /the same `([^`]+)` as `(\w+)`/u.exec(text)
      if (known !== null) {
        assert.strictEqual(at(answer, known[1] ?? ""), variables.get(known[2] ?? ""), said)
        assert.strictEqual(response.headers.get("idempotency-replayed"), "true", said)
      }
      const signed = /The wallet signs `([^`]+)`: keep its signature as `(\w+)`/u.exec(text)
      if (signed !== null) variables.set(signed[2] ?? "", await sign(at(answer, signed[1] ?? "")))
    }
    await steps.reduce((before, step) => before.then(() => run(step)), Promise.resolve())
  })
})
