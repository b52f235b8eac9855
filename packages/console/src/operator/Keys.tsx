/**
 * Keys of programs, sessions of people, and links that let a person in.
 *
 * @module
 */
import type * as Key from "@florin/api/wire/Key"
import { useState } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import { Dialog } from "../shell/Dialog.tsx"
import { Form, SelectField, TextField, useSubmission } from "../shell/Form.tsx"
import { Empty, Fact, Facts, Head, Pill, Secret, Time } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, Link, usePlace } from "../shell/Route.tsx"
import { Act, Reason, useSend } from "./Act.tsx"
import { Chips, chosen, ModePill, Shown, useRead } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

type One = Key.OwnedKey

const kinds = ["people", "programs", "ended"] as const
const roles = ["viewer", "support", "finance", "admin"] as const

const hasEnded = ({ revokedAt, validUntil }: One): boolean =>
  revokedAt !== null || (validUntil !== null && Date.parse(validUntil) <= Date.now())

const kindOf = (key: One): (typeof kinds)[number] =>
  hasEnded(key) ? "ended" : key.use === null ? "programs" : "people"

const Line = ({ of, onDone }: { readonly of: One; readonly onDone: () => void }) => {
  const { keys: texts } = Texts.texts()
  const { createdAt, hint, id, lastUsedAt, mode, name, owner, scopes, use, validUntil } = of
  const whose = owner.operator ?? owner.wallet ?? owner.partnerId ?? ""
  return (
    <li class="card">
      <div class="cardHead">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <span class="actions">
          <ModePill mode={mode} />
          <Pill tone={hasEnded(of) ? "plain" : "calm"}>
            {hasEnded(of) ? texts.kinds.ended : texts.uses[use ?? "program"]}
          </Pill>
        </span>
      </div>
      <Facts>
        <Fact name={texts.owner}>
          {owner.partnerId === null ? (
            <bdi>{whose}</bdi>
          ) : (
            <Link to={`/partners/${owner.partnerId}`}>{owner.partnerId}</Link>
          )}
        </Fact>
        <Fact name={texts.scopes}>{scopes.join(", ")}</Fact>
        <Fact name={texts.hint}>
          <code>{hint}</code>
        </Fact>
        <Fact name={texts.created}>
          <Time at={createdAt} />
        </Fact>
        <Fact name={texts.used}>
          {lastUsedAt === null ? texts.never : <Time at={lastUsedAt} />}
        </Fact>
        <Fact name={texts.until}>{validUntil !== null && Reader.time(validUntil)}</Fact>
      </Facts>
      {!hasEnded(of) && (
        <div class="actions">
          <Act
            isQuiet
            deed={{
              scope: "admin",
              method: "DELETE",
              title: texts.revoke[use ?? "program"],
              action: texts.revoke[use ?? "program"],
              said: texts.revoked,
              isDangerous: true,
              path: `/keys/${encodeURIComponent(id)}`,
              body: (
                <>
                  <p class="big">
                    <bdi>{name}</bdi>
                  </p>
                  <p>{texts.revokeQuestion}</p>
                </>
              ),
            }}
            onDone={onDone}
          />
        </div>
      )}
    </li>
  )
}

const Invite = ({
  partnerId,
  onClose,
}: {
  readonly partnerId: string | undefined
  readonly onClose: () => void
}) => {
  const { keys: texts, mode: modeTexts } = Texts.texts()
  const send = useSend()
  const submission = useSubmission()
  const [name, setName] = useState("")
  const [role, setRole] = useState<string>("viewer")
  const [mode, setMode] = useState("test")
  const [reason, setReason] = useState("")
  const [isTried, setIsTried] = useState(false)
  const [made, setMade] = useState<Key.OwnedWithSecret>()
  const invite = () => {
    setIsTried(true)
    const person = name.trim()
    if (person === "") return
    const owner = partnerId === undefined ? { operator: person } : { partnerId, mode, name: person }
    submission.submit(async () => {
      const request = { ...owner, use: "sign_in", role }
      setMade(await send<Key.OwnedWithSecret>({ path: "/keys", request }, reason, 0))
    })
  }
  return (
    <Dialog title={texts.invite} onClose={onClose}>
      {made === undefined ? (
        <Form action={texts.invite} submission={submission} onSubmit={invite}>
          <TextField
            label={texts.person}
            error={isTried && name.trim() === "" ? texts.noPerson : undefined}
            value={name}
            onValue={setName}
          />
          <SelectField
            label={texts.role}
            value={role}
            options={roles.map((each) => [each, texts.roles[each]] as const)}
            onValue={setRole}
          />
          {partnerId !== undefined && (
            <SelectField
              label={texts.mode}
              value={mode}
              options={[
                ["test", modeTexts.test],
                ["live", modeTexts.live],
              ]}
              onValue={setMode}
            />
          )}
          <Reason onValue={setReason} />
        </Form>
      ) : (
        <div class="stack">
          <p>{texts.linkNote}</p>
          <Secret name={texts.link} text={made.link ?? made.secret} />
        </div>
      )}
    </Dialog>
  )
}

export const Screen = () => {
  const { may } = useConsole()
  const place = usePlace()
  const { keys: texts } = Texts.texts()
  const [isInviting, setIsInviting] = useState(false)
  const partnerId = place.query.get("partnerId") ?? undefined
  const kind = chosen(place.query, "kind", kinds)
  const read = useRead<Key.OwnedList>("/keys", { partnerId })
  return (
    <>
      <Head
        title={texts.title}
        note={
          partnerId === undefined ? (
            texts.note
          ) : (
            <>
              {texts.only} <code>{partnerId}</code>{" "}
              <Link to={filtered(place, { partnerId: undefined })}>{texts.all}</Link>
            </>
          )
        }
      >
        {may("admin") && (
          <button type="button" class="button" onClick={() => setIsInviting(true)}>
            {texts.invite}
          </button>
        )}
      </Head>
      <Chips name="kind" values={kinds} texts={texts.kinds} />
      <Shown of={read}>
        {({ keys }) => {
          const found = keys.filter((key) =>
            kind === undefined ? kindOf(key) !== "ended" : kindOf(key) === kind,
          )
          return found.length === 0 ? (
            <Empty {...texts.none} />
          ) : (
            <ul class="cards">
              {found.map((key) => (
                <Line key={key.id} of={key} onDone={read.reload} />
              ))}
            </ul>
          )
        }}
      </Shown>
      {isInviting && (
        <Invite
          partnerId={partnerId}
          onClose={() => {
            setIsInviting(false)
            read.reload()
          }}
        />
      )}
    </>
  )
}
