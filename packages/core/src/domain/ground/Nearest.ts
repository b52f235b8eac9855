/**
 * The name that a person probably meant.
 *
 * @module
 */

/** How many letters must be added, removed or replaced to make one text the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [index, its] of [...other].entries()) {
      const replaced = (row[index] ?? 0) + (letter === its ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** More than this, and it is another name. */
const mostOf = ({ length }: string): number => Math.min(3, Math.ceil(length / 3))

/** The nearest of the known names, if it is near; capitals do not count. */
export const to = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const [nearest] = known
    .map((each) => ({ each, by: distance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ by }) => by <= mostOf(name))
    .toSorted((one, other) => one.by - other.by)
  return nearest?.each
}
