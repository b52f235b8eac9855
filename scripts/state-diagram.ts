/**
 * Draws a table of states and events as a Mermaid diagram, for the generated pages.
 *
 * @module
 */

type Table<S extends string, E extends string> = {
  readonly [State in S]: { readonly [Event in E]?: S }
}

/** The lines of the diagram: the first state is the initial one, and `isFinal` identifies the final ones. */
export const draw = <S extends string, E extends string>(machine: {
  readonly statuses: ReadonlyArray<S>
  readonly events: ReadonlyArray<E>
  readonly table: Table<S, E>
  readonly isFinal: (status: S) => boolean
}): ReadonlyArray<string> => {
  const { events, isFinal, statuses, table } = machine
  return [
    "stateDiagram-v2",
    `    [*] --> ${statuses[0]}`,
    ...statuses.flatMap((from) =>
      events.flatMap((event) => {
        const to = table[from][event]
        const isMove = to !== undefined && !(isFinal(from) && to === from)
        return isMove ? [`    ${from} --> ${to}: ${event}`] : []
      }),
    ),
    ...statuses.filter(isFinal).map((status) => `    ${status} --> [*]`),
  ]
}

/** A line of a Markdown table. */
export const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`
