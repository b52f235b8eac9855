/**
 * Every text of the console's shell, and the English ones.
 *
 * @module
 */
import { type Catalogue, isolate } from "@florin/pages/Messages"

export interface ShellMessages {
  readonly loading: string
  readonly test: string
  readonly navigation: string
  readonly search: string
  readonly skip: string
  readonly signOut: string
  readonly signedInAs: (person: string) => string
  readonly offline: string
  readonly copy: string
  readonly copied: string
  readonly copyFailed: string
  readonly close: string
  readonly cancel: string
  readonly undo: string
  readonly dismiss: string
  readonly more: string
  readonly rows: (shown: string) => string
  readonly exportCsv: string
  readonly once: string

  readonly signIn: {
    readonly title: string
    readonly lead: string
    readonly label: string
    readonly hint: string
    readonly button: string
    readonly invalid: string
    readonly used: string
  }
  readonly problem: {
    readonly unreachable: string
    readonly other: string
    readonly signedOut: string
    readonly forbidden: string
    readonly request: string
    readonly again: string
  }
  readonly notFound: { readonly title: string; readonly text: string; readonly back: string }
  readonly keys: {
    readonly title: string
    readonly help: string
    readonly move: string
    readonly open: string
    readonly close: string
    readonly goTo: (tab: string) => string
  }
}

export const english: Catalogue<ShellMessages> = {
  language: "en",
  direction: "ltr",
  texts: {
    loading: "Loading",
    test: "TEST · no real money",
    navigation: "Navigation",
    search: "Search",
    skip: "Skip to the content",
    signOut: "Sign out",
    signedInAs: (person) => `Signed in as ${isolate(person)}`,
    offline: "No connection to the service. This page reconnects automatically.",
    copy: "Copy",
    copied: "Copied",
    copyFailed: "Not copied",
    close: "Close",
    cancel: "Cancel",
    undo: "Undo",
    dismiss: "Dismiss",
    more: "Loading more",
    rows: (shown) => `${shown} rows loaded`,
    exportCsv: "Export CSV",
    once: "Copy it now. It is not shown again.",
    signIn: {
      title: "Sign in",
      lead: "Open the one-time link that you received, or paste it here.",
      label: "One-time link",
      hint: "Run florin login to get a link, or ask the person who invited you.",
      button: "Sign in",
      invalid: "This is not a sign-in link. Paste all of it.",
      used: "This link was used already, or it is too old. Ask for a new one.",
    },
    problem: {
      unreachable: "The service does not respond. Check your connection, then try again.",
      other: "Something went wrong on this page. Reload it and try again.",
      signedOut: "Your session has ended. Sign in again.",
      forbidden: "Your role does not allow this. Ask an admin of your team.",
      request: "Request",
      again: "Try again",
    },
    notFound: {
      title: "Nothing is here",
      text: "The link may be wrong, or the object may belong to another partner or mode.",
      back: "Back to the overview",
    },
    keys: {
      title: "Keyboard shortcuts",
      help: "Show this help",
      move: "Next or previous row",
      open: "Open the row",
      close: "Close a dialog",
      goTo: (tab) => `Go to ${tab}`,
    },
  },
}
