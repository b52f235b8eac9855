/**
 * The screens on which the payer waits for something, or the wallet waits for the payer.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import type * as Machine from "../Machine.ts"
import type { View } from "../View.ts"
import { Spinner } from "./Mark.tsx"
import { OtherWay } from "./OtherWay.tsx"
import { saidBy } from "./Said.ts"
import type { On } from "./Screen.ts"

export const Busy = ({
  view,
  screen,
  children,
}: {
  readonly view: View
  readonly screen: Machine.Screen
  readonly children?: ComponentChildren
}) => (
  <div class="state">
    <Spinner />
    <p class="text">{saidBy(view, screen).text}</p>
    {children}
  </div>
)

export const Asking = ({ view, screen, session }: On<"Asking">) => (
  <Busy view={view} screen={screen}>
    {screen.steps > 1 && (
      <div class="steps">
        <p class="note">{view.messages.step(screen.step, screen.steps)}</p>
        <progress value={screen.step - 1} max={screen.steps} aria-hidden="true" />
      </div>
    )}
    {screen.mayLeave && <OtherWay view={view} session={session} />}
  </Busy>
)
