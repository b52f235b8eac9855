/**
 * The service's accounts that collect and pay out: their gas, their last transactions, and what they hold.
 *
 * @module
 */
import type * as Relayer from "@florin/api/wire/Relayer"
import { Code, Empty, Fact, Facts, Head, Pill, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { usePlace } from "../shell/Route.tsx"
import { chainOf, Chips, chosen, coin, ModePill, modes, Record, Shown, useRead } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

type One = Relayer.List["relayers"][number]

const liveFirst = (left: One, right: One): number => left.mode.localeCompare(right.mode)

const Account = ({
  relayer: { account, gas, haltedBecause, isKeyless, mode, networkName, tokens, transactions },
}: {
  readonly relayer: One
}) => {
  const { relayers: texts } = Texts.texts()
  return (
    <Record
      title={networkName ?? chainOf(account)}
      actions={
        <span class="actions">
          <ModePill mode={mode} />
          {isKeyless && <Pill tone="plain">{texts.keyless}</Pill>}
          {haltedBecause !== null && <Pill tone="bad">{texts.halted}</Pill>}
        </span>
      }
    >
      {haltedBecause !== null && (
        <p>
          <bdi>{haltedBecause}</bdi>
        </p>
      )}
      <p class="big">
        {gas.value === null ? texts.silent : coin(gas.value, gas.decimals, gas.coin)}
      </p>
      <Facts>
        <Fact name={texts.account}>
          <Code name={texts.account} text={account} />
        </Fact>
        <Fact name={texts.spent}>
          {gas.spent !== "0" && coin(gas.spent, gas.decimals, gas.coin)}
        </Fact>
        {tokens.map(({ holds, owed }) => (
          <Fact key={holds.unit} name={holds.display.assetSymbol}>
            <span class="amount">
              {Reader.amount(holds)}
              {owed.value !== "0" &&
                `, ${texts.owed(Reader.amount({ ...owed, display: holds.display }))}`}
            </span>
          </Fact>
        ))}
      </Facts>
      {transactions.length > 0 && (
        <details>
          <summary>{texts.transactions(transactions.length)}</summary>
          <ol class="lines">
            {transactions.map(({ nonce, signedAt, txId }) => (
              <li key={nonce}>
                <span>
                  {texts.nonce} {Reader.count(nonce)}{" "}
                  <span class="note">
                    <Time at={signedAt} />
                  </span>
                </span>
                <Code name={`${texts.nonce} ${nonce}`} text={txId} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </Record>
  )
}

export const Screen = () => {
  const { query } = usePlace()
  const { mode, relayers: texts } = Texts.texts()
  const read = useRead<Relayer.List>("/relayers", { mode: chosen(query, "mode", modes) })
  return (
    <>
      <Head title={texts.title} note={texts.note} />
      <Chips name="mode" values={modes} texts={mode} />
      <Shown of={read}>
        {({ relayers }) =>
          relayers.length === 0 ? (
            <Empty {...texts.none} />
          ) : (
            <div class="cards">
              {relayers.toSorted(liveFirst).map((relayer) => (
                <Account key={`${relayer.mode} ${relayer.account}`} relayer={relayer} />
              ))}
            </div>
          )
        }
      </Shown>
    </>
  )
}
