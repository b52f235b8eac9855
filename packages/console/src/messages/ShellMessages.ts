/**
 * The English texts of the console's shell. A text with a name or a number is a function.
 *
 * @module
 */
import { isolate } from "@florin/pages/Messages"

export const english = {
  language: "en",
  direction: "ltr" as const,
  texts: {
    loading: "Loading",
    test: "TEST · no real money",
    navigation: "Navigation",
    search: "Search",
    skip: "Skip to the content",
    signOut: "Sign out",
    signedInAs: (person: string) => `Signed in as ${isolate(person)}`,
    offline: "No connection to the service. This page reconnects automatically.",
    copy: "Copy",
    copied: "Copied",
    copyFailed: "Not copied",
    close: "Close",
    more: "Loading more",
    rows: (shown: string) => `${shown} rows loaded`,
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
      passkey: "Sign in with a passkey",
      noPasskey: "No passkey of yours was accepted. Try another one, or use a link.",
    },
    problem: {
      unreachable: "The service does not respond. Check your connection, then try again.",
      other: "Something went wrong on this page. Reload it and try again.",
      signedOut: "Your session has ended. Sign in again.",
      forbidden: "Your role does not allow this. Ask an admin of your team.",
      stepUp:
        "This needs your passkey. Try again and confirm it. Without a passkey, sign in with a new link, then add one.",
      request: "Request",
      again: "Try again",
    },
    passkeys: {
      title: "Passkeys",
      lead: "A passkey signs you in with your fingerprint, face or PIN, and confirms what moves money.",
      none: "You have no passkey yet.",
      name: "Name",
      hint: "Such as the device that it is on.",
      add: "Add a passkey",
      added: "Added",
      used: "Last used",
      shared: "On all your devices",
      remove: "Remove",
      notAdded: "No passkey was added. Try again.",
      impossible:
        "Passkeys need a browser that has them, and a console with HTTPS and a host name, or localhost.",
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
      goTo: (tab: string) => `Go to ${tab}`,
    },
  },
}
