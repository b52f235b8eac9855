/**
 * What each account of the service has of each token, whose it is, and whether the chain agrees; and the operator's own
 * money: recorded when it comes or goes without the service, moved, and withdrawn.
 *
 * @module
 */
import type * as Balance from "@florin/api/wire/Balance"
import type * as Outflow from "@florin/api/wire/Outflow"
import type * as Relayer from "@florin/api/wire/Relayer"
import * as TypedAmount from "@florin/pages/TypedAmount"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { type Get, required, select } from "../shell/Form.tsx"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import {
  Card,
  codeFact,
  type Fact,
  Facts,
  line,
  meter,
  ModePill,
  Pill,
  Record,
} from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { go } from "../shell/Route.tsx"
import { chainOf, liveFirst, modeFilter } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { accounts: texts, float, words } = Texts.texts

type Account = Balance.List["accounts"][number]

const movements = ["put", "take", "move", "withdraw"] as const

const parts = ["owed", "reserved", "suspense", "float"] as const

/** What is known of an account where money moves. */
type Place = Pick<Account, "account" | "display" | "mode"> & {
  readonly ledger: Pick<Account["ledger"], "unit">
  readonly float?: Account["float"]
}

const keyOf = ({ account, ledger, mode }: Place) => `${mode} ${account} ${ledger.unit}`

const agreement = ({ display, ledger, onChain }: Account) => {
  if (onChain === null) return <Pill tone="caution">{texts.silent}</Pill>
  const difference = BigInt(onChain.value) - BigInt(ledger.value)
  if (difference === 0n) return <Pill tone="good">{texts.agrees}</Pill>
  const text = Reader.amount({ ...ledger, value: `${difference}`.replace("-", ""), display })
  return <Pill tone="bad">{difference > 0n ? texts.more(text) : texts.less(text)}</Pill>
}

const card = (of: Account) => {
  const { account, display, ledger, mode, onChain } = of
  const amount = (value: Account["ledger"]) => (
    <span class="amount">{Reader.amount({ ...value, display })}</span>
  )
  return (
    <Record
      title={Reader.token(display)}
      mode={mode}
      head={agreement(of)}
      facts={[
        ...parts.map((part): Fact => {
          const dot = <span class={`dot ${part}`} aria-hidden="true" />
          return [[dot, " ", texts.parts[part]], amount(of[part])]
        }),
        [texts.onChain, onChain !== null && amount(onChain)],
        codeFact(words.account, account),
      ]}
    >
      <p class="big">{Reader.amount({ ...ledger, display })}</p>
      {meter(ledger.value, ...parts.map((part) => [part, of[part].value] as const))}
    </Record>
  )
}

const tokensOf = ({ tokens }: Balance.List) =>
  tokens.length > 0 && (
    <Card
      title={texts.tokens}
      lines={tokens.map(({ debt, display, fees, mode }) => {
        const [earned = "", owed = ""] = [fees, debt].map((sum) =>
          Reader.amount({ ...sum, display }),
        )
        return line(
          [Reader.token(display), " ", <ModePill mode={mode} />],
          `${texts.fees(earned)} · ${texts.debt(owed)}`,
        )
      })}
    />
  )

type Movement = (typeof movements)[number]

const nameOf = ({ account, display, mode }: Place) =>
  `${Reader.token(display)} · ${Reader.short(account)}${mode === "test" ? ` · ${Texts.texts.mode.test}` : ""}`

/**
 * Records, moves or withdraws the operator's own money. `own` are all accounts of the service, also those that have
 * nothing yet.
 */
export const movementAct = (
  movement: Movement,
  accounts: ReadonlyArray<Place>,
  own: Relayer.List["relayers"],
  first: Place,
): Act<Outflow.Outflow> => {
  const isSent = movement === "move" || movement === "withdraw"
  const ownOf = (get: Get) => accounts.find((each) => keyOf(each) === get("account")) ?? first
  const valueOf = (get: Get) => TypedAmount.parse(get("amount"), ownOf(get).display.decimals)
  const amountOf = (get: Get) => {
    const { display, ledger } = ownOf(get)
    return { unit: ledger.unit, value: valueOf(get) ?? "0", display }
  }
  /** A bare address is on the chain of the account. */
  const targetOf = (get: Get) => {
    const to = get("to").trim()
    return to.includes(":") ? to : `${chainOf(ownOf(get).account)}:${to}`
  }
  return {
    scope: "treasury",
    title: float.title[movement],
    name: float.name[movement],
    action: (get) =>
      valueOf(get) === undefined
        ? float.name[movement]
        : float.action[movement](Reader.amount(amountOf(get))),
    body: float.lead[movement],
    isDangerous: isSent,
    fields: (typed) => {
      const { account, display, float: has, mode } = ownOf(typed)
      const others = own
        .filter((each) => each.mode === mode && chainOf(each.account) === chainOf(account))
        .map((each) => each.account)
        .filter((each, index, all) => each !== account && all.indexOf(each) === index)
      return [
        select(
          "account",
          isSent ? float.from : words.account,
          accounts.map((each) => [keyOf(each), nameOf(each)]),
          {
            hint: has && float.has(Reader.amount({ ...has, display })),
            initial: keyOf(first),
          },
        ),
        {
          name: "amount",
          label: float.amount(display.assetSymbol),
          inputMode: "decimal",
          wrong: (value) =>
            TypedAmount.parse(value, display.decimals) === undefined
              ? float.invalid(display.decimals)
              : undefined,
        },
        movement === "move"
          ? select(
              "to",
              float.to,
              others.map((each) => [each, Reader.short(each)]),
              { wrong: required(float.noOther) },
            )
          : {
              name: "to",
              label: movement === "withdraw" ? float.to : float.key,
              hint: movement === "withdraw" ? float.treasury : float.keyHint,
              wrong: required(float.missing),
            },
      ]
    },
    note: (get) =>
      get("to") !== "" && (
        <Facts
          of={[
            [words.network, ownOf(get).display.networkName],
            [isSent ? float.from : words.account, <code>{ownOf(get).account}</code>],
            [isSent ? float.to : float.key, <code>{targetOf(get)}</code>],
          ]}
        />
      ),
    path: `/float/${movement}`,
    request: (get) => {
      const { account, mode } = ownOf(get)
      const { unit, value } = amountOf(get)
      const [from, to] = isSent ? ["from", "to"] : ["account", "key"]
      return { mode, [from]: account, [to]: targetOf(get), amount: { unit, value } }
    },
    said: (_, get) => float.said[movement](Reader.amount(amountOf(get))),
    ...(isSent && { onDone: ({ id }) => go(at`/outflows/${id}`) }),
  }
}

export const All = () => {
  const own = useRead<Relayer.List>("/relayers", {}, { everyInMs: null })
  return (
    <Listing<Account, Balance.List>
      texts={texts}
      actions={({ rows = [] }) => {
        const [first] = rows
        if (first === undefined || own.value === undefined) return null
        const { relayers } = own.value
        return movements.map((movement) => (
          <ActButton key={movement} act={movementAct(movement, rows, relayers, first)} />
        ))
      }}
      path="/balances"
      isWhole
      filters={[modeFilter()]}
      rowsOf={({ accounts }) => accounts.toSorted(liveFirst)}
      idOf={keyOf}
      look="cards"
      card={card}
      below={tokensOf}
    />
  )
}
