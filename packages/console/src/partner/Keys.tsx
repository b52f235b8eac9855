/**
 * Keys of programs, and people: a person's session is a key, too, which a one-time link makes.
 *
 * @module
 */
import type * as Key from "@florin/api/wire/Key"
import { useState } from "preact/hooks"
import type { Role, Scope } from "../messages/PartnerMessages.ts"
import { useConsole } from "../shell/Console.tsx"
import { Dialog } from "../shell/Dialog.tsx"
import { CheckField, Form, SelectField, TextField, useOnce, useSubmission } from "../shell/Form.tsx"
import { useLoad } from "../shell/Load.ts"
import { Card, Foreign, Head, Pill, Secret, Skeleton, Time } from "../shell/Pieces.tsx"
import { ProblemNote } from "../shell/Problem.tsx"
import * as Texts from "./Texts.ts"

const scopes = [
  "read",
  "pay",
  "refund",
  "manage",
  "webhooks",
  "keys",
] as const satisfies ReadonlyArray<Scope>
const roles = ["viewer", "support", "finance", "admin"] as const satisfies ReadonlyArray<Role>

const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text)

/** What was made, in the one response that has it. */
interface Made {
  readonly title: string
  readonly note?: string
  readonly text: string
}

const Creating = ({
  onClose,
  onDone,
}: {
  readonly onClose: () => void
  readonly onDone: (made: Made) => void
}) => {
  const { may, partner } = useConsole()
  const { keys: texts } = Texts.texts()
  const [name, setName] = useState("")
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(["read"])
  const [wasTried, setWasTried] = useState(false)
  const submission = useSubmission()
  const once = useOnce()
  const create = async () => {
    const body = { name, scopes: chosen.filter(isScope) }
    const { secret } = await partner.keys.create(body, { idempotencyKey: once(body) })
    onDone({ title: texts.secret, text: secret })
  }
  return (
    <Dialog title={texts.add} onClose={onClose}>
      <Form
        action={texts.add}
        isReady={chosen.length > 0}
        submission={submission}
        onSubmit={() => {
          setWasTried(true)
          if (name !== "") submission.submit(create)
        }}
      >
        <TextField
          label={texts.name}
          error={wasTried && name === "" ? texts.needsName : submission.issue("name")}
          value={name}
          onValue={setName}
        />
        <CheckField
          legend={texts.scopes}
          values={chosen}
          options={scopes.filter(may).map((scope) => [scope, texts.scope[scope]])}
          onValues={setChosen}
        />
      </Form>
    </Dialog>
  )
}

const Inviting = ({
  onClose,
  onDone,
}: {
  readonly onClose: () => void
  readonly onDone: (made: Made) => void
}) => {
  const { call } = useConsole()
  const { keys: texts } = Texts.texts()
  const [name, setName] = useState("")
  const [role, setRole] = useState<string>("viewer")
  const [wasTried, setWasTried] = useState(false)
  const submission = useSubmission()
  const once = useOnce()
  const invite = async () => {
    const body = { name, role, use: "sign_in" }
    const { link } = await call<{ readonly link: string }>({
      method: "POST",
      path: "/v1/keys",
      body,
      headers: { "Idempotency-Key": once(body) },
      responseMembers: ["link"],
    })
    onDone({ title: texts.invited, note: texts.invitedNote, text: link })
  }
  return (
    <Dialog title={texts.inviteTitle} onClose={onClose}>
      <Form
        action={texts.invite}
        submission={submission}
        onSubmit={() => {
          setWasTried(true)
          if (name !== "") submission.submit(invite)
        }}
      >
        <TextField
          label={texts.person}
          error={wasTried && name === "" ? texts.needsName : submission.issue("name")}
          value={name}
          onValue={setName}
        />
        <SelectField
          label={texts.role}
          value={role}
          options={roles.map((each) => [each, texts.roles[each]])}
          onValue={setRole}
        />
      </Form>
    </Dialog>
  )
}

export const Screen = () => {
  const { ask, may, partner, toast } = useConsole()
  const { keys: texts } = Texts.texts()
  const [open, setOpen] = useState<"create" | "invite">()
  const [made, setMade] = useState<Made>()
  const once = useOnce()
  const { error, reload, value } = useLoad(
    "keys",
    async (signal): Promise<ReadonlyArray<Key.Key>> => (await partner.keys.list({ signal })).keys,
  )
  const done = (what: Made) => {
    setOpen(undefined)
    setMade(what)
    reload()
  }
  const revoke = ({ id, name }: Key.Key) =>
    ask({
      title: texts.revokeTitle(name),
      body: <p>{texts.revokeNote}</p>,
      action: texts.revoke,
      isDangerous: true,
      run: async () => {
        const { revoked } = await partner.keys.revoke(id)
        toast({ text: texts.revoked(revoked.length) })
        reload()
      },
    })
  const rotate = ({ id, name }: Key.Key) =>
    ask({
      title: texts.rotateTitle(name),
      body: <p>{texts.rotateNote}</p>,
      action: texts.rotate,
      run: async () => {
        const { secret } = await partner.keys.rotate(
          id,
          {},
          { idempotencyKey: once({ rotate: id }) },
        )
        done({ title: texts.secret, text: secret })
      },
    })
  const line = (key: Key.Key) => {
    const { hint, id, lastUsedAt, name, scopes: has, successor, use = null, validUntil } = key
    return (
      <li key={id}>
        <div class="fields">
          <span>
            <strong>
              <Foreign text={name} />
            </strong>{" "}
            {use === null ? (
              <code>{hint}</code>
            ) : (
              <Pill tone={use === "sign_in" ? "caution" : "good"}>
                {{ ...texts, sign_in: texts.pendingInvite }[use]}
              </Pill>
            )}
          </span>
          <span class="note">{has.map((scope) => texts.scope[scope]).join(" · ")}</span>
          <span class="note">
            {texts.lastUsed}: {lastUsedAt === null ? texts.never : <Time at={lastUsedAt} />}
            {validUntil !== null && (
              <>
                {" "}
                · {texts.validUntil}: <Time at={validUntil} />
              </>
            )}
          </span>
        </div>
        {may("keys") && (
          <span class="actions">
            {use === null && successor === null && (
              <button type="button" class="copy" onClick={() => rotate(key)}>
                {texts.rotate}
                <span class="unseen"> {name}</span>
              </button>
            )}
            <button type="button" class="copy" onClick={() => revoke(key)}>
              {texts.revoke}
              <span class="unseen"> {name}</span>
            </button>
          </span>
        )}
      </li>
    )
  }
  const programs = value?.filter(({ use = null }) => use === null) ?? []
  const people = value?.filter(({ use = null }) => use !== null) ?? []
  return (
    <>
      <Head title={texts.title} note={texts.note}>
        {may("keys") && (
          <>
            <button type="button" class="button quiet" onClick={() => setOpen("create")}>
              {texts.add}
            </button>
            <button type="button" class="button" onClick={() => setOpen("invite")}>
              {texts.invite}
            </button>
          </>
        )}
      </Head>
      {error !== undefined && <ProblemNote error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton rows={6} />}
      {value !== undefined && (
        <div class="columns">
          <Card title={texts.programs}>
            <p class="note">{texts.programsNote}</p>
            {programs.length === 0 && <p>{texts.noPrograms}</p>}
            <ul class="lines">{programs.map(line)}</ul>
          </Card>
          <Card title={texts.people}>
            <p class="note">{texts.peopleNote}</p>
            {people.length === 0 && <p>{texts.noPeople}</p>}
            <ul class="lines">{people.map(line)}</ul>
          </Card>
        </div>
      )}
      {open === "create" && <Creating onClose={() => setOpen(undefined)} onDone={done} />}
      {open === "invite" && <Inviting onClose={() => setOpen(undefined)} onDone={done} />}
      {made !== undefined && (
        <Dialog title={made.title} onClose={() => setMade(undefined)}>
          {made.note !== undefined && <p>{made.note}</p>}
          <Secret name={made.title} text={made.text} />
        </Dialog>
      )}
    </>
  )
}
