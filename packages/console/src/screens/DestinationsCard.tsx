/**
 * The accounts that a merchant is paid out to, one for each token, for both faces.
 *
 * @module
 */
import type * as Settlement from "@florin/api/wire/Settlement"
import type { ComponentChildren } from "preact"
import { Card, Code, Pill } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import * as Texts from "../shell/Texts.ts"
import * as Tokens from "./Tokens.ts"

const { destinations: texts, words } = Texts.texts

export type Destination = Settlement.CryptoSettlement

const stateOf = ({ statement, takesEffectAt }: Destination) => {
  if (statement !== undefined) return <Pill tone="caution">{texts.unproven}</Pill>
  return takesEffectAt === undefined ? (
    <Pill tone="good">{texts.inEffect}</Pill>
  ) : (
    texts.takesEffect(Reader.time(takesEffectAt))
  )
}

/** `acts` is what can be done about one. */
export const destinationsCard = (
  destinations: ReadonlyArray<Destination>,
  tokens: Tokens.Tokens,
  acts: (destination: Destination) => ComponentChildren,
  head?: ComponentChildren,
) => (
  <Card
    title={texts.title}
    head={head}
    note={destinations.length === 0 ? texts.none : texts.note}
    lines={destinations.map((each) => (
      <>
        <div class="fields">
          <span>
            <strong>{Tokens.nameOf(tokens, each.asset)}</strong>{" "}
            <span class="note">{stateOf(each)}</span>
          </span>
          <Code name={words.account} text={each.destination} isWhole />
        </div>
        <span class="actions">{acts(each)}</span>
      </>
    ))}
  />
)
