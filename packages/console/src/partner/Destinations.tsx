/**
 * The accounts to which a merchant is paid out: one for each token. Each change says what it does before it is made.
 *
 * @module
 */
import type * as Asset from "@florin/api/wire/Asset"
import type * as Settlement from "@florin/api/wire/Settlement"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useConsole } from "../shell/Console.tsx"
import { at } from "../shell/Path.ts"
import { Card, Code, Pill } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import * as Texts from "./Texts.ts"

const { merchants: texts } = Texts.texts

type One = Settlement.CryptoSettlement

const nameOf = ({ network, symbol }: Asset.Asset) => `${symbol} · ${network.name}`

const tokenName = (assets: ReadonlyArray<Asset.Asset>, id: string): string => {
  const found = assets.find(({ asset }) => asset.toLowerCase() === id.toLowerCase())
  return found === undefined ? id : nameOf(found)
}

const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/u.test(text.trim())

const actsOf = (
  assets: ReadonlyArray<Asset.Asset>,
  merchantId: string,
  settlements: ReadonlyArray<One>,
) => {
  const path = at`/merchants/${merchantId}/settlements/crypto`
  const of = ({ id }: One, method: "PUT" | "DELETE") => {
    const own = `${path}/${encodeURIComponent(id)}`
    return { scope: "manage", method, path: own } as const
  }
  const taken = new Set(settlements.map(({ asset }) => asset.toLowerCase()))
  const options = assets
    .filter(({ asset }) => !taken.has(asset.toLowerCase()))
    .map((each) => [each.asset, nameOf(each)] as const)
  const token = { name: "asset", label: texts.token, kind: "select", options } as const
  /** Registers a destination for a token, or changes one. */
  const editing = (settlement?: One): Act => ({
    ...(settlement === undefined
      ? { ...texts.addDestination, scope: "manage", path }
      : { ...texts.change, ...of(settlement, "PUT") }),
    fields: [
      ...(settlement === undefined ? [token] : []),
      {
        name: "destination",
        ...texts.account,
        maxLength: 42,
        wrong: (text) => (isAddress(text) ? undefined : texts.invalidAccount),
      },
    ],
    note: (get) => {
      const [address, asset] = [get("destination").trim(), settlement?.asset ?? get("asset")]
      return isAddress(address) && <p>{texts.changeNote(tokenName(assets, asset), address)}</p>
    },
    request: (get) => {
      const asset = settlement?.asset ?? get("asset")
      const destination = `${asset.split("/")[0] ?? ""}:${get("destination").trim()}`
      return settlement === undefined ? { settlements: [{ asset, destination }] } : { destination }
    },
  })
  /** Sends the signature with which the account shows that it belongs to the merchant. */
  const proving = (settlement: One): Act => ({
    ...texts.prove,
    ...of(settlement, "PUT"),
    body: [texts.prove.body, <pre>{settlement.statement}</pre>],
    fields: [{ name: "proof", ...texts.proof }],
    request: { destination: settlement.destination },
  })
  const removal = (settlement: One): Act => {
    const { asset, destination } = settlement
    const body = texts.delete.body(tokenName(assets, asset), Reader.short(destination))
    return { ...texts.delete, ...of(settlement, "DELETE"), body, isDangerous: true }
  }
  return { editing, proving, removal, isComplete: options.length === 0 }
}

export const Destinations = ({
  assets,
  merchantId,
  settlements,
}: {
  readonly assets: ReadonlyArray<Asset.Asset>
  readonly merchantId: string
  readonly settlements: ReadonlyArray<One>
}) => {
  const { may } = useConsole()
  const acts = actsOf(assets, merchantId, settlements)
  const button = (act: Act) => <ActButton act={act} look="small" />
  const line = (settlement: One) => (
    <>
      <div class="fields">
        <strong>{tokenName(assets, settlement.asset)}</strong>
        <Code name={texts.account.label} text={settlement.destination} isWhole />
        {settlement.takesEffectAt === undefined ? (
          <span>
            <Pill tone="good">{texts.inEffect}</Pill>
          </span>
        ) : (
          <span class="note">{texts.takesEffect(Reader.time(settlement.takesEffectAt))}</span>
        )}
      </div>
      {may("manage") && (
        <span class="actions">
          {settlement.statement !== undefined && button(acts.proving(settlement))}
          {button(acts.editing(settlement))}
          {button(acts.removal(settlement))}
        </span>
      )}
    </>
  )
  return (
    <Card
      title={texts.destinations}
      head={!acts.isComplete && button(acts.editing())}
      note={texts.destinationsNote}
      lines={settlements.map(line)}
    >
      {settlements.length === 0 && <p>{texts.noDestinations}</p>}
    </Card>
  )
}
