/**
 * The accounts to which a merchant is paid out: one for each token. Each change says what it does before it is made.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import { type Destination, destinationsCard } from "../screens/DestinationsCard.tsx"
import * as Tokens from "../screens/Tokens.ts"
import { type Act, ActButton } from "../shell/Act.tsx"
import { select } from "../shell/Form.tsx"
import { at } from "../shell/Path.ts"
import * as Reader from "../shell/Reader.ts"
import * as Texts from "./Texts.ts"

const { merchants: texts, words } = Texts.texts

const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/u.test(text.trim())

/** The destinations of a merchant, with what can be done about each. */
export const destinations = (
  { id: merchantId, settlements: { crypto: settlements } }: Merchant.Profile,
  tokens: Tokens.Tokens,
) => {
  const path = at`/merchants/${merchantId}/settlements/crypto`
  const of = ({ id }: Destination, method: "PUT" | "DELETE") => {
    const own = `${path}/${encodeURIComponent(id)}`
    return { scope: "manage", method, path: own } as const
  }
  const taken = new Set(settlements.map(({ asset }) => asset.toLowerCase()))
  const options = tokens
    .filter(({ asset }) => !taken.has(asset.toLowerCase()))
    .map(({ asset, display }) => [asset, Reader.token(display)] as const)
  /** Registers a destination for a token, or changes one. */
  const editing = (settlement?: Destination): Act => ({
    ...(settlement === undefined
      ? { ...texts.addDestination, scope: "manage", path }
      : { ...texts.change, ...of(settlement, "PUT") }),
    fields: [
      ...(settlement === undefined ? [select("asset", words.token, options)] : []),
      {
        name: "destination",
        ...texts.account,
        maxLength: 42,
        wrong: (text) => (isAddress(text) ? undefined : texts.invalidAccount),
      },
    ],
    note: (get) => {
      const [address, asset] = [get("destination").trim(), settlement?.asset ?? get("asset")]
      return isAddress(address) && <p>{texts.changeNote(Tokens.nameOf(tokens, asset), address)}</p>
    },
    request: (get) => {
      const asset = settlement?.asset ?? get("asset")
      const destination = `${asset.split("/")[0] ?? ""}:${get("destination").trim()}`
      return settlement === undefined ? { settlements: [{ asset, destination }] } : { destination }
    },
  })
  /** Sends the signature with which the account shows that it belongs to the merchant. */
  const proving = (settlement: Destination): Act => ({
    ...texts.prove,
    ...of(settlement, "PUT"),
    body: [texts.prove.body, <pre>{settlement.statement}</pre>],
    fields: [{ name: "proof", ...texts.proof }],
    request: { destination: settlement.destination },
  })
  const removal = (settlement: Destination): Act => {
    const { asset, destination } = settlement
    const body = texts.delete.body(Tokens.nameOf(tokens, asset), Reader.short(destination))
    return { ...texts.delete, ...of(settlement, "DELETE"), body, isDangerous: true }
  }
  const button = (act: Act) => <ActButton act={act} look="small" />
  return destinationsCard(
    settlements,
    tokens,
    (each) => (
      <>
        {each.statement !== undefined && button(proving(each))}
        {button(editing(each))}
        {button(removal(each))}
      </>
    ),
    options.length > 0 && button(editing()),
  )
}
