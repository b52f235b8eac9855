/**
 * Keys of programs, and people: a person's session is a key, too, which a one-time link makes. A partner sees its own, and
 * the operator those of everybody.
 *
 * @module
 */
import type * as Key from "@florin/api/wire/Key"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useConsole } from "../shell/Console.tsx"
import { required, select } from "../shell/Form.tsx"
import { idFact } from "../shell/Id.tsx"
import { Listing } from "../shell/Listing.tsx"
import { named } from "../shell/Messages.ts"
import { at } from "../shell/Path.ts"
import { foreign, Pill, Record, secretAnswer, Time, timeFact } from "../shell/Pieces.tsx"
import { filtered, Link, usePlace } from "../shell/Route.tsx"
import * as Texts from "../shell/Texts.ts"

const { access: texts, mode: modeTexts, words } = Texts.texts

/** What the operator sees of a key. A partner sees less of it. */
type One = Omit<Key.Key, "scopes"> & { readonly scopes: ReadonlyArray<string> } & Partial<
    Pick<Key.OwnedKey, "mode" | "owner">
  >
type Made = Pick<Key.WithSecret, "link" | "secret">

const hasEnded = ({ validUntil, ...key }: One): boolean =>
  ("revokedAt" in key && key.revokedAt !== null) ||
  (validUntil !== null && Date.parse(validUntil) <= Date.now())

const kindOf = (key: One) => (hasEnded(key) ? "ended" : key.use === null ? "programs" : "people")

const creation = (may: (scope: string) => boolean): Act<Made> => ({
  ...texts.add,
  scope: "keys",
  fields: [
    { name: "name", label: words.name, wrong: required(texts.needsName) },
    {
      name: "scopes",
      label: texts.scopes,
      kind: "checks",
      initial: "read",
      options: Object.entries(texts.scope).filter(([scope]) => may(scope)),
    },
  ],
  isReady: (get) => get("scopes") !== "",
  path: "/keys",
  answer: ({ secret }) => secretAnswer(texts.secret, secret),
})

/** A link that signs a person in, to the console of the operator or of a partner. */
const invitation = (face: "partner" | "operator", partnerId: string | undefined): Act<Made> => {
  const isOwn = face === "partner" || partnerId === undefined
  return {
    scope: face === "partner" ? "keys" : "admin",
    ...texts.invite,
    fields: [
      face === "operator" && isOwn
        ? { name: "operator", label: words.name, wrong: required(texts.noPerson) }
        : { name: "name", label: words.name, wrong: required(texts.needsName) },
      select("role", texts.role, Object.entries(texts.roles[face])),
      ...(isOwn ? [] : [select("mode", texts.mode, Object.entries(modeTexts).toReversed())]),
    ],
    path: "/keys",
    request: { use: "sign_in", ...(!isOwn && { partnerId }) },
    answer: ({ link, secret }) => secretAnswer(texts.invited, link ?? secret, texts.linkNote),
  }
}

const rotation = ({ id, name }: One): Act<Made> => ({
  ...texts.rotate,
  title: texts.rotate.title(name),
  scope: "keys",
  path: at`/keys/${id}/rotate`,
  answer: ({ secret }) => secretAnswer(texts.secret, secret),
})

const revocation = (face: "partner" | "operator", { id, name, use }: One): Act<Key.Revoked> => {
  const { actions, body, title } = texts.revoke
  return {
    title: title(name),
    body,
    action: actions[use ?? "program"],
    scope: face === "partner" ? "keys" : "admin",
    method: "DELETE",
    isDangerous: true,
    path: at`/keys/${id}`,
    said: ({ revoked }) => texts.revoked(revoked.length),
  }
}

const card = (face: "partner" | "operator", of: One) => {
  const { createdAt, hint, lastUsedAt, mode = null, name, owner, scopes, successor, use } = of
  const isOver = hasEnded(of)
  return (
    <Record
      title={foreign(name)}
      mode={mode}
      head={
        <Pill tone={isOver ? "plain" : "calm"}>
          {isOver ? texts.kinds.ended : texts.uses[use ?? "program"]}
        </Pill>
      }
      facts={[
        owner?.partnerId
          ? idFact(texts.owner, owner.partnerId)
          : [texts.owner, foreign(owner?.operator ?? owner?.wallet)],
        [texts.scopes, scopes.map((scope) => named(texts.scope, scope)).join(" · ")],
        [texts.hint, <code>{hint}</code>],
        [words.created, <Time at={createdAt} />],
        [words.used, lastUsedAt === null ? texts.never : <Time at={lastUsedAt} />],
        timeFact(texts.until, of.validUntil),
      ]}
      acts={
        !isOver && (
          <>
            {face === "partner" && use === null && successor === null && (
              <ActButton act={rotation(of)} about={name} />
            )}
            <ActButton act={revocation(face, of)} about={name} />
          </>
        )
      }
    />
  )
}

export const Screen = () => {
  const { may, session } = useConsole()
  const { face } = session
  const place = usePlace()
  const { ended, ...own } = texts.kinds
  const isOperator = face === "operator"
  const partnerId = place.query.get("partnerId") ?? undefined
  const kind = place.query.get("kind")
  const only = (
    <>
      {texts.only} <code>{partnerId}</code>{" "}
      <Link to={filtered(place, { partnerId: undefined })}>{texts.all}</Link>
    </>
  )
  const note = kind === "people" || kind === "programs" ? texts.kindNotes[kind] : texts.notes[face]
  return (
    <Listing<One, { readonly keys: ReadonlyArray<One> }>
      texts={{ ...texts, none: texts.none[face] }}
      note={partnerId === undefined ? note : only}
      actions={() => (
        <>
          {!isOperator && <ActButton act={creation(may)} />}
          <ActButton act={invitation(face, partnerId)} look="main" />
        </>
      )}
      path="/keys"
      isWhole
      query={isOperator ? { partnerId } : {}}
      filters={[
        {
          name: "kind",
          kind: "chips",
          isLocal: true,
          options: Object.entries(isOperator ? { ...own, ended } : own),
        },
      ]}
      rowsOf={({ keys }) => keys}
      matches={(key) => (kind === null ? kindOf(key) !== "ended" : kindOf(key) === kind)}
      look="cards"
      card={(key) => card(face, key)}
    />
  )
}
