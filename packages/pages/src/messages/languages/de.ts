/**
 * German.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `${isolate(merchant)} bezahlen`,
  test: "TEST · kein echtes Geld",
  reference: "Referenz",
  amount: "Betrag",
  recipient: "An",
  moreItems: (count) => (count === 1 ? "1 weitere Position" : `${count} weitere Positionen`),
  paying: "Sie zahlen",
  secondsLeft: (clock) => `noch ${clock}`,
  minuteLeft: "Noch eine Minute Zeit zum Bezahlen.",
  terms: "Bedingungen",
  privacy: "Datenschutz",
  newWindow: "öffnet sich in einem neuen Fenster",

  scan: {
    title: "Zum Bezahlen scannen",
    text: "Scannen Sie diesen Code mit der Kamera Ihres Telefons oder mit einer Wallet-App.",
  },
  qrCode: (merchant) => `QR-Code mit dem Link zur Zahlung an ${isolate(merchant)}`,
  inWalletApp: "In Ihrer Wallet-App bezahlen",
  walletAppLink:
    "Öffnet diese Zahlung in der App. Der Anbieter der App kann den Zahlungslink sehen.",
  otherWalletApp: "Andere Wallet-App",
  otherDevice: "Mit einem anderen Gerät bezahlen",
  otherWallet: "Andere Wallet verwenden",
  copyLink: "Link kopieren",
  copied: "Link kopiert",
  copyFailed: "Das Kopieren ist fehlgeschlagen.",
  inThisBrowser: "Mit einer Wallet in diesem Browser bezahlen",
  namelessWallet: "Browser-Wallet",
  or: "oder scannen",
  anyWallet: "Sobald Sie bezahlt haben, zeigt diese Seite es an.",
  onAnotherDevice: "Eine Wallet auf Ihrem Telefon oder einem anderen Gerät verbinden",
  pairing: {
    title: "Wallet verbinden",
    text: "Scannen Sie den Code mit Ihrer Wallet-App und erlauben Sie dort die Verbindung.",
  },

  connecting: (wallet) => ({
    title: `${isolate(wallet)} verbinden`,
    text: `Erlauben Sie dieser Seite, Ihre Konten in ${isolate(wallet)} zu sehen.`,
  }),
  preparing: { title: "Einen Moment", text: "Wir sehen nach, wie Sie bezahlen können." },
  choose: (wallet) => ({
    title: "Zahlungsart wählen",
    text: `So können Sie mit Ihren Konten in ${isolate(wallet)} bezahlen.`,
  }),
  onNetwork: (network) => `auf ${isolate(network)}`,
  recommended: "Empfohlen",
  filter: "Token oder Netzwerk suchen",
  noMatch: "Keine Zahlungsart hat das in ihrem Namen.",
  ways: (count) => (count === 1 ? "1 Zahlungsart" : `${count} Zahlungsarten`),
  aboutSeconds: (seconds) => `etwa ${seconds}\u00a0s`,
  aboutMinutes: (minutes) => `etwa ${minutes}\u00a0min`,
  networkFee: {
    none: "keine Netzwerkgebühr",
    maybe: "eventuell mit Netzwerkgebühr",
    some: "zuzüglich Netzwerkgebühr",
  },
  networkFeeAbout: (amount) => `Netzwerkgebühr etwa ${amount}`,
  networkFeeBelow: (amount) => `Netzwerkgebühr unter ${amount}`,
  balance: (amount) => `Guthaben ${amount}`,
  steps: (least, most) => (least < most ? `${least} oder ${most} Schritte` : `${most} Schritte`),
  needsData: "vorher ein kurzes Formular",
  form: { title: "Ihre Angaben", text: "Für diese Zahlung brauchen wir einige Angaben von Ihnen." },
  close: "Schließen",
  otherWay: "Anders bezahlen",

  step: (step, steps) => `Schritt ${step} von ${steps}`,
  sign: (wallet) => ({
    title: `In ${isolate(wallet)} unterschreiben`,
    text: `Öffnen Sie ${isolate(wallet)} und unterschreiben Sie die Zahlung. Die Unterschrift kostet keine Netzwerkgebühr.`,
  }),
  allow: (wallet, amount) => ({
    title: `In ${isolate(wallet)} erlauben`,
    text: `Öffnen Sie ${isolate(wallet)} und erlauben Sie, für diese Zahlung bis zu ${isolate(amount)} zu verwenden. Mit diesem Schritt wird noch nichts bezahlt. Er kostet eine Netzwerkgebühr.`,
  }),
  send: (wallet) => ({
    title: `In ${isolate(wallet)} senden`,
    text: `Öffnen Sie ${isolate(wallet)} und senden Sie die Zahlung. Das kostet eine Netzwerkgebühr.`,
  }),
  confirming: {
    title: "Ihre Zahlung wird gesendet",
    text: "Lassen Sie diese Seite noch einen Moment offen.",
  },
  processing: {
    title: "Zahlung unterwegs",
    text: "Das Netzwerk bestätigt sie, meist innerhalb einer Minute. Sie können diese Seite schließen: Die Zahlung läuft weiter.",
  },
  confirmations: "Bestätigungen",
  blocks: (confirmed, needed) =>
    needed === 1 ? `${confirmed} von 1 Block` : `${confirmed} von ${needed} Blöcken`,

  cancel: "Zahlung stornieren",
  cancelling: (merchant) => ({
    title: "Diese Zahlung stornieren?",
    text: `Mit diesem Link können Sie dann nichts mehr an ${isolate(merchant)} bezahlen.`,
  }),
  keep: "Zahlung behalten",

  noFit: (wallet) => ({
    title: "Diese Wallet kann das jetzt nicht bezahlen",
    text: `Kein Konto, das ${isolate(wallet)} freigegeben hat, enthält genug von einem Token, der angenommen wird.`,
  }),
  wouldDo: "Einer dieser Beträge genügt",
  checkAgain: "Erneut prüfen",

  succeeded: (merchant) => ({
    title: "Bezahlt",
    text: `${isolate(merchant)} hat Ihre Zahlung erhalten. Vielen Dank.`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "Zahlung fehlgeschlagen",
      text: `Die Zahlung konnte nicht abgeschlossen werden. Bitten Sie ${isolate(merchant)} um einen neuen Zahlungslink.`,
    }),
    declined: () => ({
      title: "Zahlung abgelehnt",
      text: "Dieses Konto kann hier nicht für Zahlungen verwendet werden.",
    }),
    expired: (merchant) => ({
      title: "Die Zeit ist abgelaufen",
      text: `Es wurde nicht rechtzeitig bezahlt. Bitten Sie ${isolate(merchant)} um einen neuen Zahlungslink.`,
    }),
    cancelled: (merchant) => ({
      title: "Zahlung storniert",
      text: `Diese Zahlung wurde storniert. Mit diesem Link kann nichts mehr an ${isolate(merchant)} bezahlt werden.`,
    }),
  },
  ifSent: (merchant) =>
    `Wenn dennoch Geld für diese Zahlung Ihr Konto verlassen hat, bitten Sie ${isolate(merchant)} um Rückerstattung und nennen Sie den Hash der Transaktion.`,
  whatYouSent: "Was Sie gesendet haben",
  money: {
    unsigned: (merchant) =>
      `Bezahlen Sie nicht noch einmal. Ihre Wallet muss noch unterschreiben, dass Sie es waren: Machen Sie mit derselben Wallet und demselben Konto weiter. Wenn das nicht geht, zeigen Sie ${isolate(merchant)} diese Transaktion.`,
    unreported: () =>
      "Bezahlen Sie nicht noch einmal. Der Dienst hat davon noch nicht erfahren: Versuchen Sie es erneut.",
    unsignedLate: (merchant) =>
      `Damit wurde ${isolate(merchant)} nicht bezahlt, und Ihre Wallet hat nicht unterschrieben, dass Sie es waren. Unterschreiben Sie, damit der Dienst davon erfährt und das Geld zurückgesendet werden kann. Wenn das nicht geht, zeigen Sie ${isolate(merchant)} diese Transaktion.`,
    unreportedLate: (merchant) =>
      `Damit wurde ${isolate(merchant)} nicht bezahlt, und der Dienst hat davon noch nicht erfahren. Laden Sie diese Seite neu, damit er davon erfährt und das Geld zurückgesendet werden kann.`,
    reported: (merchant) =>
      `Damit wurde ${isolate(merchant)} nicht bezahlt. Der Dienst weiß davon. Wenn das Netzwerk die Transaktion ausgeführt hat, bitten Sie ${isolate(merchant)} um Rückerstattung und zeigen Sie diese Transaktion.`,
  },
  mayBeSentLate: (merchant) =>
    `Ihre Wallet sollte diese Zahlung senden und hat nicht gemeldet, ob sie es getan hat. Sehen Sie dort nach: Wenn sie noch fragt, lehnen Sie ab. Wenn sie gesendet hat, bitten Sie ${isolate(merchant)} um Rückerstattung und nennen Sie den Hash.`,
  signIn: (wallet) => `In ${isolate(wallet)} unterschreiben`,
  refused: {
    title: "Diese Wallet kann hier nicht bezahlen",
    text: "Keines ihrer Konten kann hier für Zahlungen verwendet werden.",
  },
  transaction: "Transaktion",
  copyHash: "Hash kopieren",
  hashCopied: "Hash kopiert",
  seeTransaction: "Transaktion ansehen",
  print: "Beleg drucken",
  download: "Beleg herunterladen",
  receipt: "Beleg",
  issued: "Ausgestellt",
  help: (merchant) => `Fragen? Wenden Sie sich an ${isolate(merchant)}`,
  helpPage: "Hilfeseite",
  backTo: (merchant) => `Zurück zu ${isolate(merchant)}`,
  leavingIn: (seconds) =>
    seconds === 1
      ? "Sie werden in 1 Sekunde zurückgeleitet"
      : `Sie werden in ${seconds} Sekunden zurückgeleitet`,
  stay: "Hier bleiben",
  leave: {
    title: "Bezahlvorgang schließen?",
    text: "Ihre Zahlung ist möglicherweise unterwegs. Bleiben Sie hier, bis diese Seite anzeigt, dass sie angekommen ist.",
  },
  closeAnyway: "Trotzdem schließen",
  ownTab: {
    title: "In neuem Tab öffnen",
    text: "Fehlt Ihre Wallet? Manche Wallets brauchen einen eigenen Tab.",
  },

  halted: {
    rejected: "In der Wallet abgelehnt",
    wallet: "Prüfen Sie Ihre Wallet",
    offline: "Keine Verbindung",
    service: "Dienst nicht verfügbar",
    other: "Zahlung angehalten",
  },
  tryAgain: "Erneut versuchen",
  reload: "Neu laden",
  rejected:
    "Sie haben in Ihrer Wallet abgelehnt, also wurde dieser Schritt nicht ausgeführt. Machen Sie weiter, sobald Sie möchten.",
  pending: "Ihre Wallet wartet auf eine Antwort. Antworten Sie dort und versuchen Sie es erneut.",
  wrongNetwork: (network) =>
    `Ihre Wallet hat nicht zu ${isolate(network)} gewechselt. Fügen Sie dieses Netzwerk in der Wallet hinzu oder wählen Sie es dort, und versuchen Sie es erneut.`,
  noAccount:
    "Die Wallet hat kein Konto freigegeben. Entsperren Sie sie und versuchen Sie es erneut.",
  otherAccount:
    "Die Wallet hat ein anderes Konto freigegeben. Wählen Sie dort das Konto, von dem diese Zahlung kam, und versuchen Sie es erneut.",
  walletFailed:
    "Die Wallet hat nicht richtig reagiert. Öffnen Sie sie, sehen Sie nach, ob sie etwas gesendet hat, und versuchen Sie es erneut.",
  disconnected:
    "Die Verbindung zu Ihrer Wallet ist beendet. Öffnen Sie die Wallet, sehen Sie nach, ob sie etwas gesendet hat, und versuchen Sie es erneut.",
  offline:
    "Die Verbindung ist unterbrochen. Was Ihre Wallet bisher getan hat, bleibt auf dieser Seite gespeichert.",
  stale: "Diese Seite ist schon lange offen. Laden Sie sie neu, um fortzufahren.",
  unsafe:
    "Der Dienst hat etwas verlangt, das diese Seite nicht erlaubt. Deshalb wurde Ihre Wallet nicht gefragt.",
  service: "Der Dienst konnte das gerade nicht ausführen. Bitte versuchen Sie es erneut.",
  optionExpired: "Dieses Angebot ist abgelaufen. Das wird jetzt angeboten.",
  formClosed: "Das Formular wurde geschlossen, bevor es gesendet wurde.",
  mayBeSent:
    "Ihre Wallet sollte diese Zahlung senden und hat nicht gemeldet, ob sie es getan hat. Sehen Sie zuerst dort nach: Wenn sie gesendet hat, bezahlen Sie nicht noch einmal und nennen Sie dem Händler den Hash. Wenn nicht, wählen Sie die Wallet, um weiterzumachen.",
  sent: "Sie haben diese Zahlung gesendet.",
  unsigned: "Sie haben diese Zahlung gesendet, und Ihre Wallet hat sie nicht unterschrieben.",
  sentLate:
    "Das Angebot lief ab, bevor der Dienst von Ihrer Zahlung erfuhr, deshalb zählt sie nicht. Bezahlen Sie nicht noch einmal, bevor Sie den Händler gefragt haben.",
  goOn: "Sie haben schon begonnen zu bezahlen. Wählen Sie dieselbe Wallet, um dort weiterzumachen.",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "Vollständiger Name",
    dob: "Geburtsdatum",
    pobCountry: "Geburtsland",
    pobAddress: "Geburtsort",
    porCountry: "Wohnsitzland",
    porAddress: "Wohnanschrift",
    tosConfirmed: "Ich akzeptiere die Bedingungen und die Datenschutzerklärung",
  },
  title: "Ihre Angaben",
  lead: (merchant) =>
    `Für Ihre Zahlung an ${isolate(merchant)} brauchen wir einige Angaben von Ihnen.`,
  test: "TEST · kein echtes Geld",
  oneOfThese: "Eine dieser Angaben genügt",
  chooseCountry: "Land wählen",
  terms: "Bedingungen",
  privacy: "Datenschutzerklärung",
  toRead: "Bitte vor der Zustimmung lesen",
  newWindow: "öffnet sich in einem neuen Fenster",
  send: "Zustimmen und senden",
  sending: "Wird gesendet …",
  problems: (count) =>
    count === 1 ? "Eine Angabe ist zu korrigieren" : `${count} Angaben sind zu korrigieren`,

  missing: (name) => `${name}: Diese Angabe fehlt.`,
  notAccepted:
    "Nichts wird gesendet, bevor Sie den Bedingungen und der Datenschutzerklärung zustimmen.",
  tooShort: (name, min) => `${name}: mindestens ${min} Zeichen.`,
  tooLong: (name, max) => `${name}: höchstens ${max} Zeichen.`,
  notADate: (name) => `${name}: Geben Sie ein vollständiges Datum ein.`,
  malformed: (name) => `${name}: Diese Angabe sieht nicht richtig aus.`,
  refused: (name) => `${name}: Diese Angabe wurde nicht angenommen.`,

  notSent:
    "Ihre Angaben wurden nicht gespeichert. Prüfen Sie Ihre Verbindung und senden Sie sie erneut.",
  doneTitle: "Vielen Dank",
  done: "Ihre Angaben sind gespeichert. Gehen Sie zurück zu Ihrer Wallet, um die Zahlung abzuschließen.",
  closedTitle: "Es werden keine Angaben mehr gebraucht",
  closed: (status) =>
    ({
      requires_action: "Diese Zahlung braucht gerade keine Angaben.",
      processing: "Die Zahlung ist schon unterwegs.",
      succeeded: "Die Zahlung ist schon bezahlt.",
      failed: "Die Zahlung ist fehlgeschlagen.",
      expired: "Die Zahlung ist abgelaufen. Bitten Sie den Händler um eine neue.",
      cancelled: "Die Zahlung wurde storniert.",
    })[status],
  absentTitle: "Diese Seite kann nicht verwendet werden",
  absent:
    "Der Link ist falsch oder zu alt. Gehen Sie zurück zu Ihrer Wallet und beginnen Sie von vorn.",
})

export const plain = (): PlainMessages => ({
  notFound: {
    title: "Seite nicht gefunden",
    text: "Unter dieser Adresse gibt es nichts. Wenn Sie bezahlen möchten, prüfen Sie, ob der Zahlungslink vollständig ist, oder bitten Sie um einen neuen.",
  },
  needsScript:
    "Diese Seite braucht JavaScript, das dieser Browser nicht ausführt. Öffnen Sie zum Bezahlen diesen Link in einer Wallet-App oder in einem Browser mit JavaScript.",
  payBy: (time) => `Zu bezahlen bis ${time}`,
})
