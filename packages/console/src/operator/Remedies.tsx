/**
 * What helps with a finding or with stuck money: a button that runs it, a link to where it is decided, or a command.
 *
 * @module
 */
import type * as Status from "@florin/api/wire/Status"
import { type Act, ActButton } from "../shell/Act.tsx"
import { named } from "../shell/Messages.ts"
import { ButtonLink } from "../shell/Pieces.tsx"
import * as Operations from "./Operations.ts"
import { Command } from "./Parts.tsx"
import * as Texts from "./Texts.ts"

const { places: names } = Texts.texts

type Remedy = Status.Remedy

/** Every remedy so far is described by texts. What is not is left to its command. */
const requestOf = ({ request }: Remedy): Operations.Request =>
  Object.fromEntries(
    Object.entries(request).flatMap(([member, value]) =>
      typeof value === "string" ? [[member, value]] : [],
    ),
  )

const isOperation = (text: string): text is Operations.Operation =>
  Object.hasOwn(Operations.deeds, text)

/** The act of an operation. Members that are in the path are not sent again. */
export const deed = (operation: Operations.Operation, request: Operations.Request): Act => {
  const { path, scope } = Operations.deeds[operation]
  const { action, body, said, title } = Texts.texts.deeds[operation]
  const own = path(request)
  const rest = Object.entries(request).filter(
    ([, value]) => !own.split("/").includes(encodeURIComponent(value)),
  )
  const about = Object.values(request).join(", ")
  return {
    scope,
    title,
    action,
    said,
    path: own,
    request: Object.fromEntries(rest),
    body: about === "" ? body : [body, <code>{about}</code>],
  }
}

/** One remedy. */
export const Helps = ({
  remedy,
  isFirst,
  onDone,
}: {
  readonly remedy: Remedy
  readonly isFirst: boolean
  readonly onDone: () => void
}) => {
  const { command, operation } = remedy
  const request = requestOf(remedy)
  if (operation !== null && isOperation(operation)) {
    const look = isFirst ? "main" : "quiet"
    return <ActButton act={deed(operation, request)} look={look} onDone={onDone} />
  }
  const to = operation === null ? undefined : Operations.places[operation]
  if (to === undefined) return <Command command={command} />
  const place = to(request)
  const isKnown = place in names.of
  return (
    <ButtonLink
      to={place}
      name={
        place.startsWith("/outflows/out")
          ? names.outflow
          : isKnown
            ? named(names.of, place)
            : command
      }
    />
  )
}
