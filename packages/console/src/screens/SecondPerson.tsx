/**
 * What waits for a second person, on both faces: others approve or decline it, and who asked carries it out.
 *
 * @module
 */
import type * as Approval from "@florin/api/wire/Approval"
import type * as Key from "@florin/api/wire/Key"
import type { ComponentChildren } from "preact"
import { type Act, ActButton } from "../shell/Act.tsx"
import { Listing } from "../shell/Listing.tsx"
import { named } from "../shell/Messages.ts"
import { at } from "../shell/Path.ts"
import { type Fact, Facts, foreign, Pill, Record, secretAnswer, Time } from "../shell/Pieces.tsx"
import * as Texts from "../shell/Texts.ts"

const { secondPerson: texts } = Texts.texts

type One = Approval.Approval

/** What it does, in the reader's language if this release knows it. */
const wordsOf = ({ does, operation }: One): string => {
  const name = operation.replace(/^operator\./u, "").replace(".", "_")
  return name in texts.operations ? named(texts.operations, name) : does
}

/** Every member of the body, by where it is. */
const membersOf = (value: unknown, path = ""): ReadonlyArray<Fact> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, each]) =>
        membersOf(each, path === "" ? name : `${path}.${name}`),
      )
    : path === ""
      ? []
      : [[<code>{path}</code>, foreign(String(value))]]

const detailsOf = ({ body, method, path }: One): ReadonlyArray<Fact> => [
  [
    texts.request,
    <code>
      {method} {path}
    </code>,
  ],
  ...membersOf(body),
]

const asks = (
  act: Pick<Act, "title">,
  path: string,
  body: ReadonlyArray<ComponentChildren>,
): Act => ({
  ...act,
  scope: "read",
  path,
  body,
})

const approving = (of: One): Act =>
  asks(texts.approve, at`/approvals/${of.id}/approve`, [
    `${texts.approve.body(of.askedBy)} ${wordsOf(of)}.`,
    <Facts of={detailsOf(of)} />,
  ])

const declining = (of: One): Act => ({
  ...asks(texts.decline, at`/approvals/${of.id}/decline`, [`${wordsOf(of)}.`]),
  isDangerous: true,
})

const methods = ["POST", "PUT", "PATCH", "DELETE"] as const

/** The same call again, which was approved. A new key is shown in place of the question. */
const carryingOut = (of: One): Act<Partial<Key.WithSecret>> => {
  const method = methods.find((each) => each === of.method)
  const path = of.path.replace(/^(?:\/operator)?\/v1/u, "")
  return {
    ...asks(texts.carryOut, path, [`${wordsOf(of)}.`, <Facts of={detailsOf(of)} />]),
    ...(method !== undefined && { method }),
    request: () => of.body ?? {},
    said: texts.carriedOut,
    answer: ({ link, secret }) =>
      secret === undefined ? undefined : secretAnswer(texts.secret, link ?? secret),
  }
}

const card = (approval: One, reload: () => void) => {
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
          {mayApprove && <ActButton act={approving(approval)} look="main" onDone={reload} />}
          {isOwn && approvedBy !== null && (
            <ActButton act={carryingOut(approval)} look="main" onDone={reload} />
          )}
          <ActButton act={declining(approval)} onDone={reload} />
        </>
      }
    >
      <Facts of={detailsOf(approval)} />
    </Record>
  )
}

export const Screen = () => {
  return (
    <Listing<One, Approval.List>
      title={texts.title}
      note={texts.note}
      path="/approvals"
      isWhole
      rowsOf={({ approvals }) => approvals}
      none={texts.none}
      card={(approval, reload) => card(approval, reload)}
    />
  )
}
