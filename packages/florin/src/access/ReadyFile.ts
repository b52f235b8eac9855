/**
 * A JSON file with all that a program needs to use a development service. It exists exactly while the service is ready.
 *
 * @module
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Holder from "./Holder.ts"
import type * as Place from "./Place.ts"
import * as PrivateFile from "./PrivateFile.ts"

/** A chain by its number, with the URL of its node. */
export interface Reached extends Schema.Schema.Type<typeof Reached> {}
export const Reached = Schema.Struct({ chainId: Schema.Int, rpcUrl: Schema.String })

/** The keys of one mode, and the merchant to try them with. */
export interface Issued extends Schema.Schema.Type<typeof Issued> {}
export const Issued = Schema.Struct({
  partnerKey: Schema.String,
  walletKey: Schema.String,
  merchantId: Schema.String,
})

export interface Ready extends Schema.Schema.Type<typeof Ready> {}
export const Ready = Schema.Struct({
  pid: Schema.Int,
  baseUrl: Schema.String,
  payLinkHost: Schema.String,
  /** Test keys and their merchant. */
  ...Issued.fields,
  /** The same for live payments, which use the same local chains. */
  live: Issued,
  chains: Schema.Array(Reached),
  /** Test wallets that hold every token and gas. */
  wallets: Schema.Array(Schema.Struct({ address: Schema.String, privateKey: Schema.String })),
  /** The accounts that collect, settle and refund. */
  relayers: Schema.Array(Schema.String),
})

const ReadyJson = Schema.fromJsonString(Ready)
const encode = Schema.encodeSync(ReadyJson)
const decode = Schema.decodeUnknownOption(ReadyJson)

/** The default path of the file. */
export const inPlace = ({ home }: Place.Lasting): string => join(home, "ready.json")

/** Writes the file, and removes it when the scope ends. */
export const keep = (path: string, ready: Ready) =>
  Effect.acquireRelease(PrivateFile.write(path, `${encode(ready)}\n`), () =>
    Effect.ignore(PrivateFile.remove(path)),
  )

/** The service that runs in a place, if there is one. */
export const findRunning = (place: Place.Lasting): Option.Option<Ready> =>
  Option.filter(decode(PrivateFile.read(inPlace(place))), ({ pid }) =>
    Option.exists(Holder.find(place), (holder) => holder.pid === pid),
  )
