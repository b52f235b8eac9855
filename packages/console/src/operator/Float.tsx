/**
 * The operator's own money: recorded when it comes or goes without the service, moved, and withdrawn.
 *
 * @module
 */
import type * as Balance from "@florin/api/wire/Balance"
import type * as Outflow from "@florin/api/wire/Outflow"
import * as TypedAmount from "@florin/pages/TypedAmount"
import { useState } from "preact/hooks"
import type { Params } from "../shell/Face.ts"
import { Form, SelectField, TextField, useSubmission } from "../shell/Form.tsx"
import { Card, Empty, Fact, Facts, Head } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { go, usePlace } from "../shell/Route.tsx"
import { movements } from "./Accounts.tsx"
import { useAct } from "./Act.tsx"
import { chainOf, Shown, sum, useRead } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

type Account = Balance.List["accounts"][number]
type Movement = (typeof movements)[number]

const keyOf = ({ account, ledger, mode }: Account) => `${mode} ${account} ${ledger.unit}`
const nameOf = ({ account, display, mode }: Account) =>
  `${display.assetSymbol} · ${display.networkName ?? ""} · ${Reader.short(account)}${mode === "test" ? ` · ${Texts.texts().mode.test}` : ""}`

const Fields = ({
  accounts,
  movement,
}: {
  readonly accounts: ReadonlyArray<Account>
  readonly movement: Movement
}) => {
  const { query } = usePlace()
  const { float: texts } = Texts.texts()
  const act = useAct()
  const submission = useSubmission()
  const [asked] = accounts
    .filter(({ account, ledger, mode }) =>
      [
        [query.get("account"), account],
        [query.get("unit"), ledger.unit],
        [query.get("mode"), mode],
      ].every(([wanted, is]) => wanted === null || wanted === is),
    )
    .concat(accounts)
  const [key, setKey] = useState(asked === undefined ? "" : keyOf(asked))
  const [typed, setTyped] = useState("")
  const [other, setOther] = useState("")
  const [isTried, setIsTried] = useState(false)
  const from = accounts.find((each) => keyOf(each) === key)
  if (from === undefined) return <Empty {...texts.none} />
  const { account, display, float, ledger, mode } = from
  const value = TypedAmount.parse(typed, display.decimals)
  const others = [
    ...new Set(
      accounts
        .filter((each) => each.mode === mode && chainOf(each.account) === chainOf(account))
        .map((each) => each.account),
    ),
  ].filter((each) => each !== account)
  const to =
    movement === "move" ? (others.find((each) => each === other) ?? others[0] ?? "") : other.trim()
  const isSent = movement === "move" || movement === "withdraw"
  // A bare address is on the chain of the account.
  const target = to === "" || to.includes(":") ? to : `${chainOf(account)}:${to}`
  const review = () => {
    setIsTried(true)
    if (value === undefined || target === "") return
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
        body: (
          <>
            <p>{texts.lead[movement]}</p>
            <p class="big">{about}</p>
            <Facts>
              <Fact name={texts.network}>{display.networkName}</Fact>
              <Fact name={isSent ? texts.from : texts.account}>
                <code>{account}</code>
              </Fact>
              <Fact name={isSent ? texts.to : texts.key}>
                <code>{target}</code>
              </Fact>
            </Facts>
          </>
        ),
      },
      ({ id }) => go(isSent ? `/outflows/${id}` : "/accounts"),
    )
  }
  return (
    <Card>
      <Form action={texts.review} submission={submission} onSubmit={review}>
        <SelectField
          label={isSent ? texts.from : texts.account}
          hint={texts.has(sum(float, display))}
          value={key}
          options={accounts.map((each) => [keyOf(each), nameOf(each)] as const)}
          onValue={setKey}
        />
        <TextField
          label={texts.amount(display.assetSymbol)}
          inputMode="decimal"
          error={isTried && value === undefined ? texts.invalid(display.decimals) : undefined}
          value={typed}
          onValue={setTyped}
        />
        {movement === "move" ? (
          <SelectField
            label={texts.to}
            error={isTried && to === "" ? texts.noOther : undefined}
            value={to}
            options={others.map((each) => [each, Reader.short(each)] as const)}
            onValue={setOther}
          />
        ) : (
          <TextField
            label={movement === "withdraw" ? texts.to : texts.key}
            hint={movement === "withdraw" ? texts.treasury : texts.keyHint}
            error={isTried && to === "" ? texts.missing : undefined}
            value={other}
            onValue={setOther}
          />
        )}
      </Form>
    </Card>
  )
}

export const Screen = ({ movement: asked = "" }: Params) => {
  const { accounts: accountTexts, float: texts } = Texts.texts()
  const movement = movements.find((each) => each === asked) ?? "put"
  const read = useRead<Balance.List>("/balances", {}, false)
  return (
    <>
      <Head
        title={texts.title[movement]}
        note={texts.lead[movement]}
        back={{ to: "/accounts", name: accountTexts.title }}
      />
      <Shown of={read}>
        {({ accounts }) => <Fields accounts={accounts} movement={movement} />}
      </Shown>
    </>
  )
}
