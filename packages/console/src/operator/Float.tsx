/**
 * The operator's own money: recorded when it comes or goes without the service, moved, and withdrawn.
 *
 * @module
 */
import type * as Balance from "@florin/api/wire/Balance"
import type * as Outflow from "@florin/api/wire/Outflow"
import type * as Relayer from "@florin/api/wire/Relayer"
import * as TypedAmount from "@florin/pages/TypedAmount"
import { useAct } from "../shell/Act.tsx"
import { useRead } from "../shell/Api.ts"
import type { Params } from "../shell/Face.ts"
import { Form, type Get, required, useFields } from "../shell/Form.tsx"
import { Card, Empty, Facts, Head } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { go, usePlace } from "../shell/Route.tsx"
import { Shown } from "../shell/Shown.tsx"
import * as Shell from "../shell/Texts.ts"
import { movements } from "./Accounts.tsx"
import { chainOf, tokenOf } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { accounts: accountTexts, float: texts } = Texts.texts

type Account = Balance.List["accounts"][number]
type Movement = (typeof movements)[number]

const keyOf = ({ account, ledger, mode }: Account) => `${mode} ${account} ${ledger.unit}`
const nameOf = ({ account, display, mode }: Account) =>
  `${tokenOf(display)} · ${Reader.short(account)}${mode === "test" ? ` · ${Shell.texts.mode.test}` : ""}`

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
    const { account, display, float, mode } = ownOf(typed)
    const others = own
      .filter((each) => each.mode === mode && chainOf(each.account) === chainOf(account))
      .map((each) => each.account)
      .filter((each, index, all) => each !== account && all.indexOf(each) === index)
    return [
      {
        name: "account",
        label: isSent ? texts.from : texts.account,
        hint: texts.has(Reader.signed(float, display)),
        kind: "select",
        initial: keyOf(first),
        options: accounts.map((each) => [keyOf(each), nameOf(each)]),
      },
      {
        name: "amount",
        label: texts.amount(display.assetSymbol),
        inputMode: "decimal",
        wrong: (value) =>
          TypedAmount.parse(value, display.decimals) === undefined
            ? texts.invalid(display.decimals)
            : undefined,
      },
      movement === "move"
        ? {
            name: "to",
            label: texts.to,
            kind: "select",
            options: others.map((each) => [each, Reader.short(each)]),
            wrong: required(texts.noOther),
          }
        : {
            name: "to",
            label: movement === "withdraw" ? texts.to : texts.key,
            hint: movement === "withdraw" ? texts.treasury : texts.keyHint,
            wrong: required(texts.missing),
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
        title: texts.title[movement],
        action: texts.action[movement](about),
        isDangerous: isSent,
        path: `/float/${movement}`,
        request: isSent
          ? { mode, from: account, to: target, amount }
          : { mode, key: target, account, amount },
        said: texts.said[movement](about),
        body: [
          texts.lead[movement],
          <p class="big">{about}</p>,
          <Facts
            of={[
              [texts.network, display.networkName],
              [isSent ? texts.from : texts.account, <code>{account}</code>],
              [isSent ? texts.to : texts.key, <code>{target}</code>],
            ]}
          />,
        ],
      },
      ({ id }) => go(isSent ? `/outflows/${id}` : "/accounts"),
    )
  }
  return (
    <Card>
      <Form action={texts.review} submission={form.submission} onSubmit={() => form.submit(review)}>
        {form.shown}
      </Form>
    </Card>
  )
}

export const Screen = ({ movement: named = "" }: Params) => {
  const { query } = usePlace()
  const movement = movements.find((each) => each === named) ?? "put"
  const read = useRead<Balance.List>("/balances", {}, false)
  const own = useRead<Relayer.List>("/relayers", {}, false)
  return (
    <>
      <Head
        title={texts.title[movement]}
        note={texts.lead[movement]}
        back={{ to: "/accounts", name: accountTexts.title }}
      />
      <Shown of={read}>
        {({ accounts }) => {
          const first = startOf(accounts, query)
          return first === undefined ? (
            <Empty {...texts.none} />
          ) : (
            <Shown of={own}>
              {({ relayers }) => (
                <Movements accounts={accounts} first={first} movement={movement} own={relayers} />
              )}
            </Shown>
          )
        }}
      </Shown>
    </>
  )
}
