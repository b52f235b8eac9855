/**
 * What each account of the service has of each token, whose it is, and whether the chain agrees.
 *
 * @module
 */
import type * as Balance from "@florin/api/wire/Balance"
import { useConsole } from "../shell/Console.tsx"
import { Card, Code, Empty, Fact, Facts, Head, Pill } from "../shell/Pieces.tsx"
import { Link, usePlace } from "../shell/Route.tsx"
import { Chips, chosen, ModePill, modes, Record, Shown, sum, useRead } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

type Account = Balance.List["accounts"][number]

export const movements = ["put", "take", "move", "withdraw"] as const

const parts = ["owed", "reserved", "suspense", "float"] as const

/** How large a part is, in percent of what the ledger has. Only for a bar. */
const share = (part: string, all: string): number => {
  const whole = BigInt(all)
  return whole <= 0n ? 0 : Number((BigInt(part) * 1000n) / whole) / 10
}

const Agreement = ({ account: { display, ledger, onChain } }: { readonly account: Account }) => {
  const { accounts: texts } = Texts.texts()
  if (onChain === null) return <Pill tone="caution">{texts.silent}</Pill>
  const difference = BigInt(onChain.value) - BigInt(ledger.value)
  return difference === 0n ? (
    <Pill tone="good">{texts.agrees}</Pill>
  ) : (
    <Pill tone="bad">
      {difference > 0n
        ? texts.more(sum({ ...ledger, value: `${difference}` }, display))
        : texts.less(sum({ ...ledger, value: `${-difference}` }, display))}
    </Pill>
  )
}

const One = ({ account: of }: { readonly account: Account }) => {
  const { accounts: texts } = Texts.texts()
  const { account, display, ledger, mode, onChain } = of
  return (
    <Record
      title={`${display.assetSymbol} · ${display.networkName ?? ""}`}
      actions={
        <span class="actions">
          <ModePill mode={mode} />
          <Agreement account={of} />
        </span>
      }
    >
      <p class="big">{sum(ledger, display)}</p>
      <span class="meter parts" aria-hidden="true">
        {parts
          .filter((part) => share(of[part].value, ledger.value) > 0)
          .map((part) => (
            <span
              key={part}
              class={part}
              style={{ inlineSize: `${share(of[part].value, ledger.value)}%` }}
            />
          ))}
      </span>
      <Facts>
        {parts.map((part) => (
          <Fact
            key={part}
            name={
              <>
                <span class={`dot ${part}`} aria-hidden="true" /> {texts.parts[part]}
              </>
            }
          >
            <span class="amount">{sum(of[part], display)}</span>
          </Fact>
        ))}
        <Fact name={texts.onChain}>
          {onChain !== null && <span class="amount">{sum(onChain, display)}</span>}
        </Fact>
        <Fact name={texts.account}>
          <Code name={texts.account} text={account} />
        </Fact>
      </Facts>
    </Record>
  )
}

export const Screen = () => {
  const { may } = useConsole()
  const { query } = usePlace()
  const { accounts: texts, float, mode: modeTexts } = Texts.texts()
  const read = useRead<Balance.List>("/balances", { mode: chosen(query, "mode", modes) })
  return (
    <>
      <Head title={texts.title} note={texts.note}>
        {may("treasury") &&
          movements.map((movement) => (
            <Link key={movement} class="button quiet" to={`/accounts/${movement}`}>
              {float.name[movement]}
            </Link>
          ))}
      </Head>
      <Chips name="mode" values={modes} texts={modeTexts} />
      <Shown of={read}>
        {({ accounts, tokens }) =>
          accounts.length === 0 ? (
            <Empty {...texts.none} />
          ) : (
            <>
              <div class="cards">
                {accounts.map((account) => (
                  <One
                    key={`${account.mode} ${account.account} ${account.ledger.unit}`}
                    account={account}
                  />
                ))}
              </div>
              {tokens.length > 0 && (
                <Card title={texts.tokens}>
                  <ul class="lines">
                    {tokens.map(({ debt, display, fees, mode }) => (
                      <li key={`${mode} ${fees.unit}`}>
                        <span>
                          {display.assetSymbol} · {display.networkName} <ModePill mode={mode} />
                        </span>
                        <span class="amount">
                          {texts.fees(sum(fees, display))} · {texts.debt(sum(debt, display))}
                        </span>
                      </li>
                    ))}
                  </ul>
                </Card>
              )}
            </>
          )
        }
      </Shown>
    </>
  )
}
