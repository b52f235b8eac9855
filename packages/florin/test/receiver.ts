/**
 * A partner's webhook receiver: it accepts, refuses, or never responds.
 *
 * @module
 */
import type { ServerResponse } from "node:http"
import { assert } from "@effect/vitest"
import { makePartner } from "@florin/client"
import * as Schema from "effect/Schema"
import * as Listening from "./listening.ts"
import * as Program from "./program.ts"
import * as Serving from "./serving.ts"

const readBody = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      type: Schema.String,
      timestamp: Schema.String,
      data: Schema.Struct({ paymentId: Schema.String }),
    }),
  ),
)

/** What a receiver does with a call: a status that it answers, or nothing for as long as the caller waits. */
export type Manner = number | "hang"

interface Received {
  readonly type: string
  readonly paymentId: string
  /** How long after what happened it came. */
  readonly lagInMs: number
}

export interface Receiver {
  readonly url: string
  /** Calls that came until now. */
  readonly received: ReadonlyArray<Received>
  /** The payments of the calls that it answered. */
  readonly answered: ReadonlySet<string>
  /** How many calls were unanswered at the same time at most. */
  readonly atOnceMax: () => number
  /** From now on it does this; calls that hang are answered if it answers. */
  readonly behave: (manner: Manner) => void
  readonly close: () => void
}

export const make = async (initial: Manner): Promise<Receiver> => {
  let manner = initial
  let most = 0
  const open = new Map<ServerResponse, string>()
  const answered = new Set<string>()
  const received: Array<Received> = []
  const answer = (response: ServerResponse, paymentId: string) => {
    if (manner === "hang") return
    response.writeHead(manner).end()
    answered.add(paymentId)
  }
  const listening = await Listening.start(({ body }, response) => {
    const { data, timestamp, type } = readBody(body)
    open.set(response, data.paymentId)
    most = Math.max(most, open.size)
    response.once("close", () => open.delete(response))
    const lagInMs = Date.now() - Date.parse(timestamp)
    received.push({ type, paymentId: data.paymentId, lagInMs })
    answer(response, data.paymentId)
  })
  return {
    ...listening,
    received,
    answered,
    atOnceMax: () => most,
    behave: (next) => {
      manner = next
      for (const [response, paymentId] of open) answer(response, paymentId)
    },
  }
}

const readPartners = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ partners: Schema.Array(Schema.Struct({ id: Schema.String })) }),
  ),
)

/** A new partner with a merchant, of which each event is sent to a receiver. */
export const partnerOf = async (
  { url }: Pick<Receiver, "url">,
  database: string,
  baseUrl: string,
  variables: { readonly [name: string]: string },
) => {
  const florin = async (...args: ReadonlyArray<string>) => {
    const { code, err, out } = await Program.runIn(variables, ...args, "--json")
    assert.strictEqual(code, 0, out + err)
    return out
  }
  const partners = async () =>
    readPartners(await florin("partners", "list")).partners.map(({ id }) => id)
  const before = new Set(await partners())
  const issued = await Serving.register(database, baseUrl)
  const partnerId = (await partners()).find((each) => !before.has(each))
  const of = ["--partner", partnerId ?? assert.fail("there is no partner"), "--mode", "test"]
  await florin("webhooks", "endpoints", "create", url, ...of)
  const { merchantId, partnerKey, walletKey } = issued
  return { walletKey, client: makePartner({ baseUrl, apiKey: partnerKey, merchantId }) }
}
