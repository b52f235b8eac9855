/**
 * Bars, one for each period. Each can be hovered and reached with the arrow keys, and all of them saved as CSV.
 *
 * @module
 */
import { useState } from "preact/hooks"
import { Button, csv, save } from "./Pieces.tsx"
import * as Texts from "./Texts.ts"

interface Bar {
  readonly key: string
  /** The period, such as `12 Nov`. */
  readonly name: string
  readonly value: number
}

export const Plot = ({
  title,
  bars,
  format,
  file,
  unit,
}: {
  readonly title: string
  readonly bars: ReadonlyArray<Bar>
  readonly format: (value: number) => string
  /** The name of the CSV file, without its ending. */
  readonly file: string
  /** The name of the column with values. */
  readonly unit: string
}) => {
  const [chosen, setChosen] = useState<number>()
  const max = Math.max(...bars.map(({ value }) => value), 0)
  const sum = bars.reduce((total, { value }) => total + value, 0)
  const bar = chosen === undefined ? undefined : bars[chosen]
  const table = [["period", unit], ...bars.map(({ key, value }) => [key, value])]
  const [first, last] = [bars[0], bars.at(-1)]
  return (
    <figure class="plot">
      <figcaption>
        <span class="plotTitle">{bar === undefined ? title : bar.name}</span>
        <span class="plotValue" aria-live="polite">
          {format(bar === undefined ? sum : bar.value)}
        </span>
        <Button look="small" onClick={() => save(`${file}.csv`, "text/csv", csv(table))}>
          {Texts.texts.exportCsv}
        </Button>
      </figcaption>
      <div
        class="bars"
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={chosen ?? bars.length - 1}
        aria-valuetext={`${(bar ?? last)?.name ?? ""}: ${format((bar ?? last)?.value ?? 0)}`}
        onKeyDown={({ key }) => {
          const by = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0
          if (by !== 0)
            setChosen(Math.max(0, Math.min(bars.length - 1, (chosen ?? bars.length - 1) + by)))
        }}
        onPointerLeave={() => setChosen(undefined)}
        onBlur={() => setChosen(undefined)}
      >
        {bars.map(({ key, value }, index) => (
          <span
            key={key}
            class={index === chosen ? "bar chosen" : "bar"}
            onPointerEnter={() => setChosen(index)}
          >
            <span
              style={{
                blockSize: `${max === 0 ? 0 : Math.max(value === 0 ? 0 : 2, (value / max) * 100)}%`,
              }}
            />
          </span>
        ))}
      </div>
      <div class="axis" aria-hidden="true">
        <span>{first?.name}</span>
        <span>{bars.length > 1 ? last?.name : ""}</span>
      </div>
    </figure>
  )
}
