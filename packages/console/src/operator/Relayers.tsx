/**
 * The service's accounts that collect and pay out: their gas, their last transactions, and what they hold.
 *
 * @module
 */
import type * as Relayer from "@florin/api/wire/Relayer"
import { Listing } from "../shell/Listing.tsx"
import { codeFact, Facts, list, Pill, Record, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { chainOf, coin, liveFirst, modeFilter, Sentence } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { relayers: texts, words } = Texts.texts

type One = Relayer.List["relayers"][number]

/** A transaction, and each version that it replaced with a higher fee. */
const sent = (
  { earlierTxIds, feeMax, nonce, signedAt, txId }: One["transactions"][number],
  gas: One["gas"],
) => (
  <div class="fields">
    <div class="actions">
      {texts.nonce} {Reader.count(nonce)}
      {earlierTxIds.length > 0 && <Pill tone="caution">{texts.raised(earlierTxIds.length)}</Pill>}
      <span class="note">
        <Time at={signedAt} />
      </span>
    </div>
    <Facts
      of={[
        codeFact(texts.sent, txId),
        [texts.feeMax, feeMax !== null && coin(feeMax, gas.decimals, gas.coin)],
        ...earlierTxIds.map((each) => codeFact(texts.replaced, each)),
      ]}
    />
  </div>
)

const card = (relayer: One) => {
  const { account, gas, haltedBecause, isKeyless, mode, networkName, tokens, transactions } =
    relayer
  return (
    <Record
      title={networkName ?? chainOf(account)}
      mode={mode}
      head={
        <>
          {isKeyless && <Pill tone="plain">{texts.keyless}</Pill>}
          {haltedBecause !== null && <Pill tone="bad">{texts.halted}</Pill>}
        </>
      }
    >
      {haltedBecause !== null && <Sentence text={haltedBecause} />}
      <p class="big">
        {gas.value === null ? texts.silent : coin(gas.value, gas.decimals, gas.coin)}
      </p>
      <Facts
        of={[
          codeFact(words.account, account),
          [texts.spent, gas.spent !== "0" && coin(gas.spent, gas.decimals, gas.coin)],
          ...tokens.map(({ holds, owed }) => {
            const part = texts.owed(Reader.amount({ ...owed, display: holds.display }))
            const text = `${Reader.amount(holds)}${owed.value === "0" ? "" : `, ${part}`}`
            return [holds.display.assetSymbol, <span class="amount">{text}</span>] as const
          }),
        ]}
      />
      {transactions.length > 0 && (
        <details>
          <summary>{texts.transactions(transactions.length)}</summary>
          {list(transactions.map((each) => sent(each, gas)))}
        </details>
      )}
    </Record>
  )
}

export const Screen = () => (
  <Listing<One, Relayer.List>
    texts={texts}
    path="/relayers"
    isWhole
    filters={[modeFilter()]}
    rowsOf={({ relayers }) => relayers.toSorted(liveFirst)}
    idOf={({ account, mode }) => `${mode} ${account}`}
    look="cards"
    card={card}
  />
)
