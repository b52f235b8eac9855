/**
 * What each account of the service has of each token, whose it is, and whether the chain agrees.
 *
 * @module
 */
import type * as Balance from "@florin/api/wire/Balance"
import { Cards } from "../shell/Cards.tsx"
import { useConsole } from "../shell/Console.tsx"
import {
  ButtonLink,
  Card,
  codeFact,
  type Fact,
  line,
  ModePill,
  Pill,
  Record,
} from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { modeFilter, tokenOf } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { accounts: texts, float } = Texts.texts

type Account = Balance.List["accounts"][number]

export const movements = ["put", "take", "move", "withdraw"] as const

const parts = ["owed", "reserved", "suspense", "float"] as const

/** How large a part is, in percent of what the ledger has. Only for a bar. */
const share = (part: string, all: string): number => {
  const whole = BigInt(all)
  return whole <= 0n ? 0 : Number((BigInt(part) * 1000n) / whole) / 10
}

const Agreement = ({ account: { display, ledger, onChain } }: { readonly account: Account }) => {
  if (onChain === null) return <Pill tone="caution">{texts.silent}</Pill>
  const difference = BigInt(onChain.value) - BigInt(ledger.value)
  if (difference === 0n) return <Pill tone="good">{texts.agrees}</Pill>
  const text = Reader.signed({ ...ledger, value: `${difference}`.replace("-", "") }, display)
  return <Pill tone="bad">{difference > 0n ? texts.more(text) : texts.less(text)}</Pill>
}

const One = ({ account: of }: { readonly account: Account }) => {
  const { account, display, ledger, mode, onChain } = of
  const amount = (value: Account["ledger"]) => (
    <span class="amount">{Reader.signed(value, display)}</span>
  )
  const sizes = parts.map((part) => [part, share(of[part].value, ledger.value)] as const)
  return (
    <Record
      title={tokenOf(display)}
      mode={mode}
      pills={<Agreement account={of} />}
      facts={[
        ...parts.map((part): Fact => {
          const dot = <span class={`dot ${part}`} aria-hidden="true" />
          return [[dot, " ", texts.parts[part]], amount(of[part])]
        }),
        [texts.onChain, onChain !== null && amount(onChain)],
        codeFact(texts.account, account),
      ]}
    >
      <p class="big">{Reader.signed(ledger, display)}</p>
      <span class="meter parts" aria-hidden="true">
        {sizes.map(
          ([part, size]) =>
            size > 0 && <span key={part} class={part} style={{ inlineSize: `${size}%` }} />,
        )}
      </span>
    </Record>
  )
}

const tokensOf = ({ tokens }: Balance.List) =>
  tokens.length > 0 && (
    <Card
      title={texts.tokens}
      lines={tokens.map(({ debt, display, fees, mode }) => {
        const [earned = "", owed = ""] = [fees, debt].map((sum) => Reader.signed(sum, display))
        return line(
          [tokenOf(display), " ", <ModePill mode={mode} />],
          `${texts.fees(earned)} · ${texts.debt(owed)}`,
        )
      })}
    />
  )

export const Screen = () => {
  const { may } = useConsole()
  return (
    <Cards<Balance.List, Account>
      title={texts.title}
      note={texts.note}
      actions={() =>
        may("treasury") &&
        movements.map((movement) => (
          <ButtonLink key={movement} to={`/accounts/${movement}`} name={float.name[movement]} />
        ))
      }
      path="/balances"
      filters={[modeFilter()]}
      rows={({ accounts }) => accounts}
      look="cards"
      none={texts.none}
      card={(of) => <One key={`${of.mode} ${of.account} ${of.ledger.unit}`} account={of} />}
      below={tokensOf}
    />
  )
}
