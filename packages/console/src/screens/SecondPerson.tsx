/**
 * What waits for a second person, on both faces: others approve or decline it, and who asked carries it out.
 *
 * @module
 */
import type * as Approval from "@florin/api/wire/Approval"
import type * as Key from "@florin/api/wire/Key"
import { type Act, ActButton } from "../shell/Act.tsx"
import { Cards } from "../shell/Cards.tsx"
import { at } from "../shell/Path.ts"
import { type Fact, Facts, foreign, Pill, Record, Secret, Time } from "../shell/Pieces.tsx"
import * as Texts from "../shell/Texts.ts"

const { secondPerson: texts } = Texts.texts

const operations: { readonly [name: string]: string } = texts.operations

/** What it does, in the reader's language if this release knows it. */
const wordsOf = ({ does, operation }: Approval.Approval): string =>
  operations[operation.replace(/^operator\./u, "").replace(".", "_")] ?? does

/** Where it is, with a line break at a dot if there is no room. */
const broken = (path: string) =>
  path.split(".").map((name, index) =>
    index === 0 ? (
      name
    ) : (
      <>
        .<wbr />
        {name}
      </>
    ),
  )

/** Every member of the body, by where it is. */
const membersOf = (value: unknown, path = ""): ReadonlyArray<Fact> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, each]) =>
        membersOf(each, path === "" ? name : `${path}.${name}`),
      )
    : path === ""
      ? []
      : [[<code>{broken(path)}</code>, foreign(String(value))]]

const detailsOf = ({ body, method, path }: Approval.Approval): ReadonlyArray<Fact> => [
  [
    texts.request,
    <code>
      {method} {path}
    </code>,
  ],
  ...membersOf(body),
]

const approving = (approval: Approval.Approval): Act => ({
  ...texts.approve,
  scope: "read",
  path: at`/approvals/${approval.id}/approve`,
  body: [
    `${texts.approve.body(approval.askedBy)} ${wordsOf(approval)}.`,
    <Facts of={detailsOf(approval)} />,
  ],
})

const declining = (approval: Approval.Approval): Act => ({
  ...texts.decline,
  scope: "read",
  isDangerous: true,
  path: at`/approvals/${approval.id}/decline`,
  body: `${wordsOf(approval)}.`,
})

const isMethod = (method: string): method is "POST" | "PUT" | "PATCH" | "DELETE" =>
  ["POST", "PUT", "PATCH", "DELETE"].includes(method)

/** The same call again, which was approved. A new key is shown in place of the question. */
const carryingOut = (approval: Approval.Approval): Act<Partial<Key.WithSecret>> => {
  const { body, method, path } = approval
  return {
    ...texts.carryOut,
    scope: "read",
    ...(isMethod(method) && { method }),
    path: path.replace(/^(?:\/operator)?\/v1/u, ""),
    request: () => body ?? {},
    body: [`${wordsOf(approval)}.`, <Facts of={detailsOf(approval)} />],
    said: texts.carriedOut,
    answer: ({ link, secret }) =>
      secret === undefined
        ? undefined
        : {
            title: texts.secret,
            body: <Secret name={texts.secret} text={link ?? secret} />,
          },
  }
}

export const Screen = () => (
  <Cards<Approval.List, Approval.Approval>
    title={texts.title}
    note={texts.note}
    path="/approvals"
    rows={({ approvals }) => approvals}
    none={texts.none}
    card={(approval, reload) => {
      const { approvedBy, askedBy, createdAt, id, isOwn, mayApprove, reason, validUntil } = approval
      return (
        <Record
          key={id}
          title={wordsOf(approval)}
          pills={
            <Pill tone={approvedBy === null ? "caution" : "good"}>
              {approvedBy === null ? texts.waits : texts.approved}
            </Pill>
          }
          facts={[
            [texts.askedBy, foreign(askedBy)],
            [texts.asked, <Time at={createdAt} />],
            [texts.reason, foreign(reason)],
            [texts.approvedBy, foreign(approvedBy)],
            [texts.until, <Time at={validUntil} />],
            ...detailsOf(approval),
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
        />
      )
    }}
  />
)
