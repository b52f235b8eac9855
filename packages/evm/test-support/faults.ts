/**
 * An unreliable node: a proxy of a real node that injects a fault into each call by a plan. A plan is a number. The
 * same call, repeated as often, always gets the same fault.
 *
 * @module
 */
import type * as LocalChain from "@florin/localnet/LocalChain"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Lies from "./lies.ts"
import * as Locals from "./locals.ts"
import * as Node from "./node.ts"
import * as Seed from "./seed.ts"

/** What befalls a whole request. */
const ofRequests = ["dropped", "lost", "too often", "broken", "delayed"] as const
/** What befalls one call of it. */
const ofCalls = ["stale", "null", "busy", "wrong"] as const
export const faults = [...ofRequests, ...ofCalls]
export type Fault = (typeof faults)[number]

const delayMaxInMs = 300
/** How far off a height or a nonce may be. */
const offBy = [-3, -2, -1, 1, 2, 3]

const Numbered = Schema.StructWithRest(Schema.Struct({ number: Schema.String }), [
  Schema.Record(Schema.String, Schema.Unknown),
])
const isNumbered = Schema.is(Numbered)
const isText = Schema.is(Schema.String)

const moved = (quantity: string, by: number): string =>
  `0x${Math.max(0, Number(quantity) + by).toString(16)}`

/** An answer with another height or nonce; undefined where it has none. */
const falsified = ({ method }: Node.Call, result: unknown, by: number): unknown => {
  if (method === "eth_getTransactionCount" && isText(result)) return moved(result, by)
  if (method === "eth_getBlockByNumber" && isNumbered(result)) {
    return { ...result, number: moved(result.number, by) }
  }
  return undefined
}

export interface Faulty {
  readonly url: string
  /** From now on it cannot be relied on. */
  readonly begin: () => void
  /** And now it can again. */
  readonly end: () => void
  /** From now on nobody gets a response from it, or everybody again. */
  readonly connect: (connected: boolean) => void
  /** What befell how many calls. */
  readonly befell: ReadonlyMap<Fault, number>
}

const keyOf = ({ method, params }: Node.Call): string => `${method} ${JSON.stringify(params)}`

/** Starts such a node before a chain; `share` of all calls are befallen by something. */
export const make = Effect.fnUntraced(function* (
  local: LocalChain.LocalChain,
  plan: number,
  share: number,
) {
  let isFaulty = false
  let isConnected = true
  const times = new Map<string, number>()
  const earlier = new Map<string, unknown>()
  const befell = new Map<Fault, number>()

  /** One of some faults, or none, for the next time that this is asked. */
  const chosenOf = <F extends Fault>(some: ReadonlyArray<F>, asked: string): F | null => {
    const time = (times.get(asked) ?? 0) + 1
    times.set(asked, time)
    if (!isFaulty || Seed.at(plan, `${asked} ${time}`) >= share) return null
    return some[Math.floor(Seed.at(plan, `${asked} ${time} which`) * some.length)] ?? null
  }
  const note = (fault: Fault) => befell.set(fault, (befell.get(fault) ?? 0) + 1)

  /** What a call comes to: its true answer, unless something befell it. */
  const outcomeOf = (call: Node.Call, fault: Fault | null, truth: Node.Outcome): Node.Outcome => {
    const key = keyOf(call)
    const before = earlier.get(key)
    if (truth.result !== undefined) earlier.set(key, truth.result)
    switch (fault) {
      case "stale":
        return before === undefined ? truth : { result: before }
      case "null":
        return { result: null }
      case "busy":
        return { error: { code: -32_005, message: "limit exceeded" } }
      case "wrong": {
        const index = Math.floor(Seed.at(plan, `${key} off by`) * offBy.length)
        const result = falsified(call, truth.result, offBy[index] ?? 1)
        return result === undefined ? truth : { result }
      }
      default:
        return truth
    }
  }

  const node = yield* Node.make(async (calls, body) => {
    if (!isConnected) return "cut"
    const whole = chosenOf(ofRequests, `request ${calls.map(keyOf).join()}`)
    const chosen = calls.map((call) => chosenOf(ofCalls, keyOf(call)))
    for (const fault of [whole, ...chosen]) if (fault !== null) note(fault)
    if (whole === "dropped") return "cut"
    if (whole === "too often") return { status: 429, body: "slow down" }
    if (whole === "delayed") {
      await new Promise((resolve) => {
        setTimeout(resolve, Seed.at(plan, body) * delayMaxInMs)
      })
    }
    // What a node says to have taken before, and now again, it does not take.
    const isTaken = (call: Node.Call, index: number) =>
      chosen[index] !== "busy" && !(chosen[index] === "stale" && earlier.has(keyOf(call)))
    const taken = calls.filter(isTaken)
    const answered =
      taken.length === 0 ? "[]" : await Locals.passOn(local, JSON.stringify(taken.map(asSent)))
    if (whole === "lost") return "cut"
    if (whole === "broken") return { body: answered.slice(0, -2) }
    const truths = new Map(Lies.readAnswers(answered).map((each) => [each.id, each]))
    return Node.json(
      calls.map((call, index) => ({
        jsonrpc: "2.0",
        id: call.id,
        ...outcomeOf(call, chosen[index] ?? null, truths.get(call.id) ?? {}),
      })),
    )
  })

  const faulty: Faulty = {
    url: Redacted.value(node.url),
    begin: () => {
      isFaulty = true
    },
    end: () => {
      isFaulty = false
    },
    connect: (connected) => {
      isConnected = connected
    },
    befell,
  }
  return faulty
})

const asSent = (call: Node.Call) => ({ jsonrpc: "2.0", ...call })
