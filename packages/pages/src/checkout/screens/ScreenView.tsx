/**
 * The screens: one for each state of the page. They render, and pass the payer's actions to the session.
 *
 * @module
 */
import { useEffect, useRef } from "preact/hooks"
import { CollectDialog } from "../CollectDialog.tsx"
import type { Props } from "../View.ts"
import { Asking, Busy } from "./Busy.tsx"
import { Choosing } from "./Choosing.tsx"
import { Connecting } from "./Connecting.tsx"
import { Succeeded, Unpaid } from "./Ended.tsx"
import { Processing } from "./Processing.tsx"
import { Halted, NoFit, Refused } from "./Stopped.tsx"
import { Waiting } from "./Waiting.tsx"

const Heading = ({ said, isFirst }: Pick<Props, "isFirst" | "said">) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isFirst) heading.current?.focus()
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {said.title}
    </h1>
  )
}

const Body = ({ screen, ...rest }: Props) => {
  switch (screen._tag) {
    case "Waiting":
      return <Waiting {...rest} screen={screen} />
    case "Choosing":
      return <Choosing {...rest} screen={screen} />
    case "Collecting":
      return (
        <Busy said={rest.said}>
          <CollectDialog view={rest.view} url={screen.url} onClosed={rest.session.collected} />
        </Busy>
      )
    case "Asking":
      return <Asking {...rest} screen={screen} />
    case "Connecting":
      return <Connecting {...rest} screen={screen} />
    case "Preparing":
    case "Confirming":
      return <Busy said={rest.said} />
    case "Processing":
      return <Processing {...rest} screen={screen} />
    case "NoFit":
      return <NoFit {...rest} screen={screen} />
    case "Refused":
      return <Refused {...rest} screen={screen} />
    case "Halted":
      return <Halted {...rest} screen={screen} />
    case "Succeeded":
      return <Succeeded {...rest} screen={screen} />
    case "Unpaid":
      return <Unpaid {...rest} screen={screen} />
  }
}

export const ScreenView = (props: Props) => (
  <>
    <Heading said={props.said} isFirst={props.isFirst} />
    <Body {...props} />
  </>
)
