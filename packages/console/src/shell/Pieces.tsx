/**
 * Small parts that screens are made of.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { useConsole } from "./Console.tsx"
import * as Reader from "./Reader.ts"
import { hasMoved, Link } from "./Route.tsx"
import * as Texts from "./Texts.ts"

/** A drawing of one path, for lines. */
export const Icon = ({ path }: { readonly path: string }) => (
  <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
    <path d={path} />
  </svg>
)

/** Where a screen belongs. */
export interface Back {
  readonly to: string
  readonly name: string
}

/** The title of a screen, what it is about, and what can be done. */
export const Head = ({
  title,
  note,
  children,
  back,
}: {
  readonly title: ComponentChildren
  readonly note?: ComponentChildren
  readonly children?: ComponentChildren
  readonly back?: Back | undefined
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  // The link that led here may be gone, and the focus with it.
  useEffect(() => {
    if (hasMoved() && document.activeElement === document.body) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <header class="screenHead">
      <div>
        {back !== undefined && (
          <p class="note">
            <Link to={back.to}>{back.name}</Link>
          </p>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {note !== undefined && note !== false && <p class="note">{note}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  )
}

/** A button. A small one stands next to what it is about. */
export const Button = ({
  look = "main",
  isDangerous = false,
  isBusy = false,
  label,
  about,
  onClick,
  children,
}: {
  readonly look?: "main" | "quiet" | "small"
  readonly isDangerous?: boolean
  readonly isBusy?: boolean
  /** Its name, if what it shows is only a sign. */
  readonly label?: string
  /** Which of several it is about, for those who do not see the place of the button. */
  readonly about?: string | undefined
  readonly onClick: () => void
  readonly children: ComponentChildren
}) => (
  <button
    type="button"
    class={
      { main: isDangerous ? "button dangerous" : "button", quiet: "button quiet", small: "copy" }[
        look
      ]
    }
    aria-label={label}
    aria-busy={isBusy}
    onClick={isBusy ? undefined : onClick}
  >
    {children}
    {about !== undefined && <span class="unseen"> {about}</span>}
  </button>
)

/** A link that looks like a button. It is not there for those who lack the scope of what it leads to. */
export const ButtonLink = ({
  to,
  name,
  look = "quiet",
  scope = "read",
}: {
  readonly to: string
  readonly name: string
  readonly look?: "main" | "quiet"
  readonly scope?: string
}) =>
  useConsole().may(scope) ? (
    <Link to={to} class={look === "main" ? "button" : "button quiet"}>
      {name}
    </Link>
  ) : null

/** One of several places, of which one is shown. */
export const Chip = (props: {
  readonly to: string
  readonly name: string
  readonly isOn: boolean
}) => (
  <Link class="chip" to={props.to} aria-current={props.isOn ? "page" : undefined}>
    {props.name}
  </Link>
)

/** A list; nothing if it is empty. */
export const list = (items: ReadonlyArray<ComponentChildren>, look = "lines"): ComponentChildren =>
  items.length > 0 && (
    <ul class={look}>
      {items.map((each, index) => (
        <li key={index}>{each}</li>
      ))}
    </ul>
  )

interface Contents {
  readonly title?: ComponentChildren
  readonly head?: ComponentChildren
  readonly note?: ComponentChildren
  readonly facts?: ReadonlyArray<Fact>
  /** Lines, each of which has a start and an end. */
  readonly lines?: ReadonlyArray<ComponentChildren>
  readonly children?: ComponentChildren
  /** Buttons and links, below all else. */
  readonly acts?: ComponentChildren
}

/** What a card has, in this order. */
const content = ({ acts, children, facts = [], head, lines = [], note, title }: Contents) => (
  <>
    {title !== undefined && (
      <div class="cardHead">
        <h2>{title}</h2>
        {head}
      </div>
    )}
    {note !== undefined && <p class="note">{note}</p>}
    {children}
    {facts.length > 0 && <Facts of={facts} />}
    {list(lines)}
    {acts !== undefined && acts !== false && <div class="actions">{acts}</div>}
  </>
)

/** A part of a screen. */
export const Card = (props: Contents & { readonly title?: string }) => (
  <section class="card" aria-label={props.title}>
    {content(props)}
  </section>
)

/** One of several things alike, with what stands out of it. */
export const Record = ({
  mode = null,
  head,
  ...rest
}: Contents & { readonly mode?: string | null }) => {
  const pills = (
    <span class="actions">
      <ModePill mode={mode} />
      {head}
    </span>
  )
  return <li class="card">{content({ ...rest, head: pills })}</li>
}

export interface EmptyText {
  readonly title: string
  readonly text: string
  readonly action?: ComponentChildren
}

export const Empty = ({ action, text, title }: EmptyText) => (
  <div class="empty">
    <p class="emptyTitle">{title}</p>
    <p class="note">{text}</p>
    {action}
  </div>
)

/** Stands where data will be, of about its size. */
export const Skeleton = () => (
  <div class="skeleton" role="status">
    <span class="unseen">{Texts.texts.loading}</span>
    {Array.from({ length: 6 }, (_, index) => (
      <span key={index} aria-hidden="true" />
    ))}
  </div>
)

type Tone = "good" | "bad" | "caution" | "calm" | "plain"

/** How states look, whatever they are states of. Others are plain. */
const tones: ReadonlyArray<readonly [tone: Tone, states: string]> = [
  ["good", "active delivered done funded live netted ok paid succeeded taken"],
  ["bad", "failed given_up held lost mend stopped"],
  ["caution", "decide inactive look pending processing sign_in suspended waiting"],
  ["calm", "returning sent session"],
]

export const toneOf = (state: string): Tone =>
  tones.find(([, states]) => states.split(" ").includes(state))?.[0] ?? "plain"

export const Pill = ({
  tone,
  children,
}: {
  readonly tone: Tone
  readonly children: ComponentChildren
}) => <span class={`pill ${tone}`}>{children}</span>

/** The state of something, in a word. */
export const State = <S extends string>({
  is,
  texts,
}: {
  readonly is: S
  readonly texts: { readonly [Name in S]: string }
}) => <Pill tone={toneOf(is)}>{texts[is]}</Pill>

/** Says that it is not real money. Live money needs no mark. */
export const ModePill = ({ mode }: { readonly mode: string | null }) =>
  mode === "test" ? <Pill tone="caution">{Texts.texts.mode.test}</Pill> : null

/** Something that is on or off, and takes effect immediately. */
export const Toggle = ({
  name,
  isOn,
  onChange,
}: {
  readonly name: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}) => (
  <label class="toggle">
    <input
      type="checkbox"
      checked={isOn}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {name}
  </label>
)

/** A name and a value. */
export type Fact = readonly [name: ComponentChildren, value: ComponentChildren]

/** An id, a hash or an account, if there is one. */
export const codeFact = (name: string, text: string | null | undefined, isWhole = false): Fact => [
  name,
  typeof text === "string" && <Code name={name} text={text} isWhole={isWhole} />,
]

export const timeFact = (name: string, at: string | number | null | undefined): Fact => [
  name,
  at !== null && at !== undefined && Reader.time(at),
]

/** Names and values. What has no value is left out. */
export const Facts = ({ of }: { readonly of: ReadonlyArray<Fact> }) => (
  <dl class="facts">
    {of.map(([name, value], index) =>
      value === null || value === undefined || value === "" || value === false ? null : (
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
)

/** Somebody else's text, whatever its direction; nothing if there is none. */
export const foreign = (text: string | null | undefined): ComponentChildren =>
  text !== null && text !== undefined && text !== "" && <bdi title={text}>{text}</bdi>

/** A line of a card: what it is about, and what is said of it. */
export const line = (about: ComponentChildren, said: ComponentChildren, look = "amount") => (
  <>
    <span>{about}</span>
    <span class={look}>{said}</span>
  </>
)

type Size = string | number

/** Parts of a whole as bars, which need no exact numbers. */
export const meter = (
  whole: Size,
  ...parts: ReadonlyArray<readonly [look: string, part: Size]>
) => (
  <span class={parts.length > 1 ? "meter parts" : "meter"} aria-hidden="true">
    {parts.map(([look, part]) => {
      const percent = Math.min(100, (Number(part) / Number(whole)) * 100)
      return percent > 0 && <span key={look} class={look} style={{ inlineSize: `${percent}%` }} />
    })}
  </span>
)

/** Paragraphs, if they are texts. */
export const Paragraphs = ({ of }: { readonly of: ReadonlyArray<ComponentChildren> }) => (
  <>{of.map((part) => (typeof part === "string" && part !== "" ? <p>{foreign(part)}</p> : part))}</>
)

/** A time: how long ago it was, and exactly when. */
export const Time = ({ at }: { readonly at: string | number }) => (
  <time dateTime={new Date(at).toISOString()} title={Reader.time(at)}>
    {Reader.ago(at)}
  </time>
)

const copiedInMs = 2000

export const CopyButton = ({ name, text }: { readonly name: string; readonly text: string }) => {
  const texts = Texts.texts
  const [state, setState] = useState<"copy" | "copied" | "copyFailed">("copy")
  const show = (result: typeof state) => {
    setState(result)
    setTimeout(() => setState("copy"), copiedInMs)
  }
  const copy = async () => {
    try {
      // Over plain HTTP a browser has no clipboard.
      await navigator.clipboard.writeText(text)
      show("copied")
    } catch {
      show("copyFailed")
    }
  }
  return (
    <Button look="small" about={name} onClick={copy}>
      <span aria-live="polite">{texts[state]}</span>
    </Button>
  )
}

/** An id, a hash or an account, shortened, with a button that copies all of it. */
export const Code = ({
  name,
  text,
  isWhole = false,
}: {
  readonly name: string
  readonly text: string
  readonly isWhole?: boolean
}) => (
  <span class="code">
    <code title={text}>{isWhole ? text : Reader.short(text)}</code>
    <CopyButton name={name} text={text} />
  </span>
)

/** A secret, in the one place that shows it. The page forgets it when the person closes it. */
export const secretAnswer = (title: string, text: string, note?: string) => ({
  title,
  body: (
    <div class="stack">
      {note !== undefined && <p>{note}</p>}
      <div class="secret">
        <p>{Texts.texts.once}</p>
        <Code name={title} text={text} isWhole />
      </div>
    </div>
  ),
})

/** Saves a text as a file. */
export const save = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 0)
}

/** A table for spreadsheets. A text that a spreadsheet would run as a formula is marked as text. */
export const csv = (rows: ReadonlyArray<ReadonlyArray<string | number>>): string =>
  rows
    .map((row) =>
      row
        .map((cell) => {
          const text =
            typeof cell === "string" && /^(?!-?[\d.]+$)[=+\-@\t\r]/u.test(cell)
              ? `'${cell}`
              : `${cell}`
          return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
        })
        .join(","),
    )
    .join("\r\n")
