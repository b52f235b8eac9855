/**
 * What a face of the console consists of. The shell shows any face.
 *
 * @module
 */
import type { ComponentType } from "preact"
import icons from "./icons.json" with { type: "json" }

export interface Params {
  readonly [name: string]: string
}

type View = ComponentType<Params>

/** A tab of the navigation. `g` and its key go to it. */
export interface Tab {
  readonly to: string
  readonly key: string
  readonly name: () => string
  /** One path of a 20 × 20 drawing, for lines. */
  readonly icon: string
  /** Those who lack it do not see the tab. */
  readonly scope: string
}

/** A screen by its path, such as `/payments/:id`. Its code is loaded when it is opened. */
export interface Screen {
  readonly path: string
  readonly load: () => Promise<View>
  readonly tab: Tab | undefined
}

/**
 * The screens of a face by a table. Some have a tab, which is called as its texts are, with an icon, a key, and a scope if
 * it needs another than `read`.
 */
export const screensOf = <Name extends keyof typeof icons>(
  texts: { readonly [N in Name]: { readonly title: string } },
  rows: ReadonlyArray<
    readonly [path: string, load: () => Promise<View>, tab?: Name, key?: string, scope?: string]
  >,
): ReadonlyArray<Screen> =>
  rows.map(([path, load, tab, key = "", scope = "read"]) => ({
    path,
    load,
    tab: tab && { to: path, key, scope, icon: icons[tab], name: () => texts[tab].title },
  }))

export interface Face {
  /** The first one that matches is shown. */
  readonly screens: ReadonlyArray<Screen>
  readonly texts: { readonly search: string }
}
