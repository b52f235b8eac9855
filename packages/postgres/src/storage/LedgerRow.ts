/**
 * A ledger transaction as columns: its postings are arrays of the numbers of their accounts and of their deltas. This is a
 * fifth of a document, and the ledger is the part of a payment that is kept for longest.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as Document from "./Document.ts"

const document = Document.of(Ledger.Transaction)

export const columns = { kind: "text", tokens: "text[]", accounts: "text[]", deltas: "numeric[]" }

/** Postings in one token, which nearly all are, name it once. */
export const of = ({ kind, postings }: Ledger.Transaction) => {
  const tokens = postings.map(({ token }) => Caip.tokenKey(token))
  return {
    kind,
    tokens: new Set(tokens).size === 1 ? tokens.slice(0, 1) : tokens,
    accounts: postings.map(({ account }) => Ledger.accountKey(account)),
    deltas: postings.map(({ delta }) => delta.toString()),
  }
}

/** A row as JSON: a pool of the application may leave arrays of the database as text. */
const Row = Schema.Struct({
  kind: Schema.String,
  tokens: Schema.Array(Schema.String),
  accounts: Schema.Array(Schema.String),
  deltas: Schema.Array(Schema.String),
})
const rowDocument = Document.of(Row)

/** An account on a chain, or a token, whose key is its CAIP-2 chain and its address. */
const onChain = ([namespace, reference, address = ""]: ReadonlyArray<string>) => ({
  chainId: `${namespace}:${reference}`,
  address,
})

/** The account of a key of `Ledger.accountKey`, as JSON. */
const accountOf = (key: string): Schema.Json => {
  const [kind, ...rest] = key.split(":")
  const [first = "", second = ""] = rest
  switch (kind) {
    case "payer":
      return { _tag: "Payer", account: onChain(rest) }
    case "collecting":
      return { _tag: "Collecting", ...onChain(rest) }
    case "owed":
      return { _tag: "Owed", merchantId: first, address: second }
    case "kept":
      return { _tag: "Kept", merchantId: first, address: second }
    case "fees":
      return { _tag: "Fees", partnerId: first }
    case "settled":
      return { _tag: "Settled", merchantId: first, destination: onChain(rest.slice(1)) }
    case "suspense":
      return { _tag: "Suspense", address: first }
    case "debt":
      return { _tag: "Debt", merchantId: first }
    case "loss":
      return { _tag: "Loss" }
    case "operator":
      return { _tag: "Operator" }
    case "transit":
      return { _tag: "Transit" }
    default:
      return null
  }
}

const decode = Effect.fnUntraced(function* (row: Document.Row) {
  const { accounts, deltas, kind, tokens } = yield* rowDocument.decode(row.document)
  return yield* document.decode({
    kind,
    postings: accounts.map((account, place) => ({
      account: accountOf(account),
      token: onChain((tokens[place] ?? tokens[0] ?? "").split(":")),
      delta: deltas[place],
    })),
  })
})

/** The transactions that a condition finds, in the order in which they were written. */
export const all = (
  sql: SqlClient,
  where: Fragment,
): Effect.Effect<ReadonlyArray<Ledger.Transaction>, SqlError> =>
  Effect.flatMap(
    sql<Document.Row>`SELECT jsonb_build_object('kind', kind, 'tokens', florin.named(short_tokens), 'accounts', florin.named(short_accounts),
        'deltas', deltas::text[]) AS document
      FROM florin.ledger_transactions WHERE ${where} ORDER BY position`,
    Effect.forEach(decode),
  )
