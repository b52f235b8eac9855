/**
 * What stops a partner or a merchant, and what lets it continue.
 *
 * @module
 */
import { Act } from "./Act.tsx"
import * as Texts from "./Texts.ts"

export const MeasureActs = ({
  path,
  name,
  isFrozen,
  isSuspended,
  onDone,
}: {
  /** Of the partner or the merchant in the API. */
  readonly path: string
  readonly name: string
  readonly isFrozen: boolean
  readonly isSuspended: boolean
  readonly onDone: () => void
}) => {
  const { measures } = Texts.texts()
  const act = (measure: "suspend" | "resume" | "freeze" | "unfreeze") => {
    const stops = measure === "suspend" || measure === "freeze"
    const { action, body, said, title } = measures[measure]
    return (
      <Act
        isQuiet
        deed={{
          scope: stops ? "support" : "admin",
          title,
          action,
          said,
          isDangerous: stops,
          path: `${path}/${measure}`,
          body: (
            <>
              <p class="big">
                <bdi>{name}</bdi>
              </p>
              <p>{body}</p>
            </>
          ),
        }}
        onDone={onDone}
      />
    )
  }
  return (
    <>
      {act(isSuspended ? "resume" : "suspend")}
      {act(isFrozen ? "unfreeze" : "freeze")}
    </>
  )
}
