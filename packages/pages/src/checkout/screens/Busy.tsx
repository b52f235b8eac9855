/**
 * The screens on which the payer waits for something, or the wallet waits for the payer.
 *
 * @module
 */
import type { ComponentChildren } from "preact"
import * as Amounts from "../../shared/Amounts.ts"
import type { On, Props } from "../View.ts"
import { OtherWay, Spinner } from "./Pieces.tsx"
import { saidBy } from "./Said.ts"

export const Busy = ({
  view,
  screen,
  chosen,
  children,
}: Pick<Props, "chosen" | "screen" | "view"> & { readonly children?: ComponentChildren }) => (
  <div class="state">
    <Spinner />
    <p class="text">{saidBy(view, screen, chosen).text}</p>
    {children}
  </div>
)

export const Asking = ({ view, screen, chosen, session }: On<"Asking">) => (
  <Busy view={view} screen={screen} chosen={chosen}>
    {screen.steps > 1 && (
      <div class="steps">
        <p class="note">
          {Amounts.withDigits(view.messages.step(screen.step, screen.steps), view.locale)}
        </p>
        <progress value={screen.step - 1} max={screen.steps} aria-hidden="true" />
      </div>
    )}
    {screen.mayLeave && <OtherWay view={view} session={session} />}
  </Busy>
)
