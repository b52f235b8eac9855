/**
 * Asks a person to choose an item by its number, or to confirm.
 *
 * @module
 */
import type * as Prompt from "./Prompt.ts"

/** Asks until the input is a number of the list; undefined if the input ends. */
export const ask = async (
  prompt: Prompt.Prompt,
  question: string,
  count: number,
): Promise<number | undefined> => {
  const answer = await prompt.ask(question)
  if (answer === undefined || answer === "") return undefined
  const number = /^[0-9]{1,9}$/u.test(answer) ? Number(answer) : 0
  return number >= 1 && number <= count
    ? number
    : ask(prompt, `  A number from 1 to ${count}, or nothing to stop: `, count)
}

/** Asks a question once. Only `y` and `yes` confirm it: another answer, or none, does not. */
export const confirm = async (prompt: Prompt.Prompt, question: string): Promise<boolean> =>
  /^y(?:es)?$/iu.test((await prompt.ask(question)) ?? "")
