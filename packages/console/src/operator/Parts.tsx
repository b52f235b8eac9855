/**
 * What several screens of the operator show in the same way.
 *
 * @module
 */
import { chips, type Filter } from "../shell/Filter.ts"
import { CopyButton } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import * as Texts from "./Texts.ts"

/** What a person copies out of a sentence of the service: commands, accounts, addresses and hashes. */
const copied = /(`[^`]+`|(?:[a-z0-9]+:[a-zA-Z0-9]+:)?0x[0-9a-fA-F]{40,64})/u

/** The service begins some of its reasons with a small letter. What begins with an id or a command stays as it is. */
const sentenceCase = (text: string): string =>
  /^(?!florin )[a-z]+(?: |'s )/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text

const shortened = (text: string): string =>
  text.replace(/0x[0-9a-fA-F]+$/u, (address) => Reader.short(address))

/** A sentence of the service, in which what nobody reads to its end is shortened. */
export const Words = ({ text: sentence }: { readonly text: string }) => (
  <bdi lang="en">
    {sentenceCase(sentence)
      .split(copied)
      .map((part, index) => {
        if (index % 2 === 0) return part
        const text = part.replaceAll("`", "")
        return (
          <span key={index} class="code">
            <code title={text}>{shortened(text)}</code>
            <CopyButton name={text} text={text} />
          </span>
        )
      })}
  </bdi>
)

/** Says so beside the service's own sentences, to those who read the console in another language. */
export const inEnglish = (): string => (Reader.language === "en" ? "" : ` · ${Texts.texts.english}`)

/** A paragraph with a sentence of the service. */
export const Sentence = (props: { readonly text: string; readonly look?: string }) => (
  <p class={props.look ?? "finding"}>
    <Words text={props.text} />
  </p>
)

/** A command that a person copies. */
export const Command = ({ command }: { readonly command: string }) => (
  <span class="command">
    <code>{command}</code>
    <CopyButton name={command} text={command} />
  </span>
)

/** Live money, test money, or both. */
export const modeFilter = (): Filter => chips("mode", Texts.texts.mode)

/** Live money comes first. */
export const liveFirst = (left: OfMode, right: OfMode): number =>
  left.mode.localeCompare(right.mode)

interface OfMode {
  readonly mode: string
}

/** About how much it is of a chain's own coin: costs of gas are far below a hundredth of it. */
export const coin = (value: string, decimals: number, symbol: string): string =>
  `${Reader.about(Number(value) / 10 ** decimals)} ${symbol}`

/** The network of a CAIP-10 account or a CAIP-19 token, as the API writes it. */
export const chainOf = (of: string): string => /^(?:caip19\/)?([^:/]+:[^:/]+)/u.exec(of)?.[1] ?? of
