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
import { useAct } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import { useConsole } from "../shell/Console.tsx"
import { Detail, Shown } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { Form, type Get, required, useFields } from "../shell/Form.tsx"
import { Listing } from "../shell/Listing.tsx"
import {
  ButtonLink,
  Card,
  codeFact,
  Empty,
  type Fact,
  Facts,
  line,
  ModePill,
  Pill,
  Record,
} from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { go, usePlace } from "../shell/Route.tsx"
import * as Shell from "../shell/Texts.ts"
import { chainOf, modeFilter } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { accounts: texts, float } = Texts.texts

type Account = Balance.List["accounts"][number]

const movements = ["put", "take", "move", "withdraw"] as const

const parts = ["owed", "reserved", "suspense", "float"] as const

const keyOf = ({ account, ledger, mode }: Account) => `${mode} ${account} ${ledger.unit}`

/** How large a part is, in percent of what the ledger has. Only for a bar. */
const share = (part: string, all: string): number => {
  const whole = BigInt(all)
  return whole <= 0n ? 0 : Number((BigInt(part) * 1000n) / whole) / 10
}

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
        codeFact(texts.account, account),
      ]}
    >
      <p class="big">{Reader.amount({ ...ledger, display })}</p>
      <span class="meter parts" aria-hidden="true">
        {parts.map((part) => {
          const size = share(of[part].value, ledger.value)
          return size > 0 && <span key={part} class={part} style={{ inlineSize: `${size}%` }} />
        })}
      </span>
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

export const All = () => {
  const { may } = useConsole()
  return (
    <Listing<Account, Balance.List>
      title={texts.title}
      note={texts.note}
      actions={() =>
        may("treasury") &&
        movements.map((movement) => (
          <ButtonLink key={movement} to={`/accounts/${movement}`} name={float.name[movement]} />
        ))
      }
      path="/balances"
      isWhole
      filters={[modeFilter()]}
      rowsOf={({ accounts }) => accounts}
      idOf={keyOf}
      look="cards"
      none={texts.none}
      card={card}
      below={tokensOf}
    />
  )
}

type Movement = (typeof movements)[number]

const nameOf = ({ account, display, mode }: Account) =>
  `${Reader.token(display)} · ${Reader.short(account)}${mode === "test" ? ` · ${Shell.texts.mode.test}` : ""}`

/** The account that a link names, or else the first. */
const startOf = (accounts: ReadonlyArray<Account>, query: URLSearchParams) =>
  accounts.find(({ account, ledger, mode }) =>
    [
      [query.get("account"), account],
      [query.get("unit"), ledger.unit],
      [query.get("mode"), mode],
    ].every(([wanted, is]) => wanted === null || wanted === is),
  ) ?? accounts[0]

const Movements = ({
  accounts,
  first,
  movement,
  own,
}: {
  readonly accounts: ReadonlyArray<Account>
  readonly first: Account
  /** All accounts of the service, also those that have nothing yet. */
  readonly own: Relayer.List["relayers"]
  readonly movement: Movement
}) => {
  const act = useAct()
  const isSent = movement === "move" || movement === "withdraw"
  const ownOf = (get: Get) => accounts.find((each) => keyOf(each) === get("account")) ?? first
  const form = useFields((typed) => {
    const { account, display, float: has, mode } = ownOf(typed)
    const others = own
      .filter((each) => each.mode === mode && chainOf(each.account) === chainOf(account))
      .map((each) => each.account)
      .filter((each, index, all) => each !== account && all.indexOf(each) === index)
    return [
      {
        name: "account",
        label: isSent ? float.from : float.account,
        hint: float.has(Reader.amount({ ...has, display })),
        kind: "select",
        initial: keyOf(first),
        options: accounts.map((each) => [keyOf(each), nameOf(each)]),
      },
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
        ? {
            name: "to",
            label: float.to,
            kind: "select",
            options: others.map((each) => [each, Reader.short(each)]),
            wrong: required(float.noOther),
          }
        : {
            name: "to",
            label: movement === "withdraw" ? float.to : float.key,
            hint: movement === "withdraw" ? float.treasury : float.keyHint,
            wrong: required(float.missing),
          },
    ]
  })
  const review = async () => {
    const { account, display, ledger, mode } = ownOf(form.get)
    const value = TypedAmount.parse(form.get("amount"), display.decimals) ?? "0"
    const to = form.get("to").trim()
    // A bare address is on the chain of the account.
    const target = to.includes(":") ? to : `${chainOf(account)}:${to}`
    const amount = { unit: ledger.unit, value }
    const about = Reader.amount({ ...amount, display })
    act<Outflow.Outflow>(
      {
        scope: "treasury",
        title: float.title[movement],
        action: float.action[movement](about),
        isDangerous: isSent,
        path: `/float/${movement}`,
        request: isSent
          ? { mode, from: account, to: target, amount }
          : { mode, key: target, account, amount },
        said: float.said[movement](about),
        body: [
          float.lead[movement],
          <p class="big">{about}</p>,
          <Facts
            of={[
              [float.network, display.networkName],
              [isSent ? float.from : float.account, <code>{account}</code>],
              [isSent ? float.to : float.key, <code>{target}</code>],
            ]}
          />,
        ],
      },
      ({ id }) => go(isSent ? `/outflows/${id}` : "/accounts"),
    )
  }
  return (
    <Card>
      <Form action={float.review} of={form} run={review}>
        {form.shown}
      </Form>
    </Card>
  )
}

export const Float = ({ movement: named = "" }: Params) => {
  const { query } = usePlace()
  const movement = movements.find((each) => each === named) ?? "put"
  const own = useRead<Relayer.List>("/relayers", {}, false)
  return (
    <Detail
      of={useRead<Balance.List>("/balances", {}, false)}
      back={{ to: "/accounts", name: texts.title }}
      name={float.title[movement]}
      note={float.lead[movement]}
      main={({ accounts }) => {
        const first = startOf(accounts, query)
        return first === undefined ? (
          <Empty {...float.none} />
        ) : (
          <Shown of={own}>
            {({ relayers }) => (
              <Movements accounts={accounts} first={first} movement={movement} own={relayers} />
            )}
          </Shown>
        )
      }}
    />
  )
}
