/**
 * The ways in which payers hand over single tokens, as an operator writes them: `eip155:1/erc20:0x…=permit2,transfer`.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Setting from "./Setting.ts"

/** By {@link Caip.tokenKey}. */
type TokenFlows = ReadonlyMap<string, PaymentOption.Flows>

export const names = Eip155.flows.join(", ")

const expected = `a token and its flows, each once, such as eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7=permit2,transfer; flows are ${names}`

const decodeFlows = Schema.decodeUnknownOption(
  Schema.NonEmptyArray(Schema.Literals(Eip155.flows)).check(Schema.isUnique()),
)

const row = (text: string): Option.Option<readonly [string, PaymentOption.Flows]> =>
  Option.all([
    Option.map(
      Result.getSuccess(Eip155.parseToken(Setting.subjectOf(text), "ignored")),
      Caip.tokenKey,
    ),
    decodeFlows(text.slice(Setting.subjectOf(text).length + 1).split(",")),
  ])

/** Each token may be named once. */
const parse = (texts: ReadonlyArray<string>): Option.Option<TokenFlows> =>
  Option.filter(
    Option.map(Option.all(texts.map(row)), (rows) => new Map(rows)),
    (flows) => flows.size === texts.length,
  )

/** The values of the setting. */
export const kind = { metavar: "TOKEN=FLOWS", expected, parse }
