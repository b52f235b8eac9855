/**
 * What waits for a second person, on both faces: others approve or decline it, and who asked carries it out.
 *
 * @module
 */
import type * as Approval from "@florin/api/wire/Approval"
import type * as Key from "@florin/api/wire/Key"
import { type Act, ActButton } from "../shell/Act.tsx"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import { foreign, Pill, Record, secretAnswer, Time } from "../shell/Pieces.tsx"
import * as Texts from "../shell/Texts.ts"
import { Meaning, wordsOf } from "./Meaning.tsx"
import { type Tokens, useTokens } from "./Tokens.ts"

const { secondPerson: texts } = Texts.texts

type One = Approval.Approval

const approving = (of: One, tokens: Tokens): Act => ({
  ...texts.approve,
  path: at`/approvals/${of.id}/approve`,
  body: [`${texts.approve.body(of.askedBy)} ${wordsOf(of)}.`, <Meaning of={of} tokens={tokens} />],
})

const declining = (of: One): Act => ({
  ...texts.decline,
  path: at`/approvals/${of.id}/decline`,
  body: `${wordsOf(of)}.`,
  isDangerous: true,
})

const methods = ["POST", "PUT", "PATCH", "DELETE"] as const

/** The same call again, which was approved. A new key is shown in place of the question. */
const carryingOut = (of: One, tokens: Tokens): Act<Partial<Key.WithSecret>> => {
  const method = methods.find((each) => each === of.method)
  return {
    ...texts.carryOut,
    path: of.path.replace(/^(?:\/operator)?\/v1/u, ""),
    ...(method !== undefined && { method }),
    body: [`${wordsOf(of)}.`, <Meaning of={of} tokens={tokens} />],
    request: () => of.body ?? {},
    said: texts.carriedOut,
    answer: ({ link, secret }) =>
      secret === undefined ? undefined : secretAnswer(texts.secret, link ?? secret),
  }
}

const card = (approval: One, tokens: Tokens) => {
  const { approvedBy, askedBy, createdAt, isOwn, mayApprove, reason, validUntil } = approval
  return (
    <Record
      title={wordsOf(approval)}
      head={
        <Pill tone={approvedBy === null ? "caution" : "good"}>
          {approvedBy === null ? texts.waits : texts.approved}
        </Pill>
      }
      facts={[
        [texts.askedBy, foreign(askedBy)],
        [texts.reason, foreign(reason)],
        [texts.asked, <Time at={createdAt} />],
        [texts.approvedBy, foreign(approvedBy)],
        [texts.until, <Time at={validUntil} />],
      ]}
      lines={approvedBy !== null || mayApprove ? [] : [isOwn ? texts.own : texts.kin]}
      acts={
        <>
          {mayApprove && <ActButton act={approving(approval, tokens)} look="main" />}
          {isOwn && approvedBy !== null && (
            <ActButton act={carryingOut(approval, tokens)} look="main" />
          )}
          <ActButton act={declining(approval)} />
        </>
      }
    >
      <Meaning of={approval} tokens={tokens} />
    </Record>
  )
}

export const Screen = () => {
  const tokens = useTokens()
  return (
    <Listing<One, Approval.List>
      texts={texts}
      path="/approvals"
      isWhole
      rowsOf={({ approvals }) => approvals}
      card={(approval) => card(approval, tokens)}
    />
  )
}
