/**
 * What a request that waits for a second person means: what it is about, by name, and every member of its body.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as Approval from "@florin/api/wire/Approval"
import type * as Settlement from "@florin/api/wire/Settlement"
import { isObject } from "@florin/client/Connection"
import { useGet } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Id } from "../shell/Id.tsx"
import { useLoad } from "../shell/Load.ts"
import { named } from "../shell/Messages.ts"
import { at } from "../shell/Path.ts"
import { type Fact, Facts, foreign } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import * as Texts from "../shell/Texts.ts"
import * as Tokens from "./Tokens.ts"

const { access, mode, secondPerson: texts, words } = Texts.texts

/** What it does, in the reader's language if this release knows it. */
export const wordsOf = ({ does, operation }: Approval.Approval): string => {
  const name = operation.replace(/^operator\./u, "").replace(".", "_")
  return name in texts.operations ? named(texts.operations, name) : does
}

type Get = ReturnType<typeof useGet>

/** What the API may have of something. */
interface Found {
  readonly id?: string
  readonly name?: string
  readonly amount?: Amount.Amount
  readonly destination?: string
  readonly settlements?: Settlement.Settlements
}

/** Where the API has something, by the beginning of its id. Keys are only in their list. */
const sources = { mrch: "/merchants", prtn: "/partners", out: "/outflows", key: "/keys" } as const

/** What an id is of; undefined if it cannot be read. */
const find = async (id: string, get: Get, signal: AbortSignal): Promise<Found | undefined> => {
  type Response = Found & { readonly merchant?: Found; readonly keys?: ReadonlyArray<Found> }
  const source = Object.entries(sources).find(([begin]) => id.startsWith(`${begin}_`))?.[1]
  if (source === undefined) return undefined
  try {
    const path = source === "/keys" ? source : `${source}${at`/${id}`}`
    const response = await get<Response>(path, signal)
    return response.merchant ?? response.keys?.find((key) => key.id === id) ?? response
  } catch {
    return undefined
  }
}

const isAmount = (value: unknown): value is Amount.Quantity =>
  isObject(value) && "unit" in value && "value" in value

/** The text of a member of a body, as screens show it. */
const textOf = (
  name: string,
  value: unknown,
  tokens: Tokens.Tokens,
  roles: { readonly [role: string]: string },
): string => {
  if (isAmount(value)) {
    const display = Tokens.displayOf(tokens, value.unit)
    return display === undefined
      ? JSON.stringify(value)
      : [Reader.amount({ ...value, display }), display.networkName].filter(Boolean).join(" · ")
  }
  const text = Array.isArray(value) ? value.join(", ") : `${value}`
  switch (name) {
    case "asset":
      return Tokens.nameOf(tokens, text)
    case "mode":
      return named(mode, text)
    case "role":
      return named(roles, text)
    case "scopes":
      return text.replaceAll(/\w+/gu, (scope) => named(access.scope, scope))
    case "use":
      return named(access.uses, text)
    default:
      return typeof value === "string" ? text : named(texts.is, text)
  }
}

/** Members that are compared character by character. */
const accounts = new Set(["account", "destination", "from", "key", "to", "txId"])

/** Every member, by its name or by where it is. Nothing of a body is left out, also if it is empty. */
const membersOf = (
  of: object,
  path: string,
  text: (name: string, value: unknown) => string,
): ReadonlyArray<Fact> =>
  Object.entries(of).flatMap(([name, value]: readonly [string, unknown]) => {
    const isList = Array.isArray(value) && !value.some(isObject)
    if (isObject(value) && !isAmount(value) && !isList)
      return membersOf(value, `${path}${name}.`, text)
    const isKnown = Object.hasOwn(texts.members, name)
    const label = isKnown ? named(texts.members, name) : <code>{`${path}${name}`}</code>
    const shown = foreign(text(name, value) || "–")
    return [[label, accounts.has(name) ? <code>{shown}</code> : shown]]
  })

export const Meaning = ({
  of: { body, id, method, path },
  tokens,
}: {
  readonly of: Approval.Approval
  readonly tokens: Tokens.Tokens
}) => {
  const { face } = useConsole().session
  const get = useGet()
  const ids = path.split("/").filter((part) => /^[a-z]+_/u.test(part))
  const subjects = useLoad(id, (signal) => Promise.all(ids.map((each) => find(each, get, signal))))
  const settled = new Set(
    subjects.value?.flatMap((found) => found?.settlements?.crypto.map((each) => each.id) ?? []),
  )
  const facts = ids.flatMap((each, index): ReadonlyArray<Fact> => {
    const { amount, destination, name, settlements } = subjects.value?.[index] ?? {}
    const settlement = settlements?.crypto.find((one) => ids.includes(one.id))
    const isSaid = settled.has(each)
    const kind = named(texts.kinds, each.split("_")[0] ?? each)
    return [
      [kind, !isSaid && <Id of={each} name={name ?? (amount && Reader.amount(amount))} />],
      [texts.members.to, destination && <code>{destination}</code>],
      [texts.members.asset, settlement && Tokens.nameOf(tokens, settlement.asset)],
      [texts.before, settlement && <code>{settlement.destination}</code>],
    ]
  })
  const text = (name: string, value: unknown) => textOf(name, value, tokens, access.roles[face])
  return (
    <Facts
      of={[
        ...facts,
        ...membersOf(body ?? {}, "", text),
        [
          words.request,
          <code>
            {method} {path}
          </code>,
        ],
      ]}
    />
  )
}
