/**
 * What a face of the console consists of. The shell shows any face.
 *
 * @module
 */
import type { ComponentType } from "preact"

export interface Params {
  readonly [name: string]: string
}

/** A screen by its path, such as `/payments/:id`. Its code is loaded when it is opened. */
export interface Screen {
  readonly path: string
  readonly load: () => Promise<{ readonly Screen: ComponentType<Params> }>
}

/** A tab of the navigation. `g` and its key go to it. */
export interface Tab {
  readonly to: string
  readonly key: string
  readonly name: () => string
  /** One path of a 20 × 20 drawing, for lines. */
  readonly icon: string
  /** Hidden from those who lack this scope. */
  readonly scope?: string
}

/** The tabs of a face, in order: their names and drawings are in its texts and icons. */
export const tabsOf = <Name extends string>(
  texts: { readonly [N in Name]: string },
  icons: { readonly [N in Name]: string },
  rows: ReadonlyArray<readonly [name: Name, to: string, key: string]>,
): ReadonlyArray<Tab> =>
  rows.map(([name, to, key]) => ({ to, key, icon: icons[name], name: () => texts[name] }))

export interface Face {
  /** Loads the texts. */
  readonly load: () => Promise<void>
  readonly tabs: ReadonlyArray<Tab>
  /** The first one that matches is shown. */
  readonly screens: ReadonlyArray<Screen>
  readonly searchName: () => string
  /** Where a search leads. */
  readonly search: (text: string) => string
}
