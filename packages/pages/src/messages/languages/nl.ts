/**
 * Dutch.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `${isolate(merchant)} betalen`,
  test: "TEST · geen echt geld",
  reference: "Referentie",
  amount: "Bedrag",
  recipient: "Aan",
  moreItems: (count) => (count === 1 ? "Nog 1 artikel" : `Nog ${count} artikelen`),
  paying: "U betaalt",
  secondsLeft: (clock) => `nog ${clock}`,
  minuteLeft: "Nog één minuut om te betalen.",
  terms: "Voorwaarden",
  privacy: "Privacy",
  newWindow: "opent in een nieuw venster",

  scan: {
    title: "Scan om te betalen",
    text: "Scan deze code met de camera van uw telefoon of met een wallet-app.",
  },
  qrCode: (merchant) => `QR-code van de link om ${isolate(merchant)} te betalen`,
  inWalletApp: "Betaal in uw wallet-app",
  walletAppLink: "Opent deze betaling in de app. De maker van de app kan de betaallink zien.",
  otherWalletApp: "Een andere wallet-app",
  otherDevice: "Betalen met een ander apparaat",
  otherWallet: "Een andere wallet gebruiken",
  copyLink: "Link kopiëren",
  copied: "Link gekopieerd",
  copyFailed: "Kopiëren is niet gelukt.",
  inThisBrowser: "Betaal met een wallet in deze browser",
  namelessWallet: "Browserwallet",
  or: "of scan",
  anyWallet: "Zodra u hebt betaald, ziet u dat op deze pagina.",
  onAnotherDevice: "Verbind een wallet op uw telefoon of een ander apparaat",
  pairing: {
    title: "Verbind uw wallet",
    text: "Scan de code met uw wallet-app en sta daar de verbinding toe.",
  },

  connecting: (wallet) => ({
    title: `Verbind ${isolate(wallet)}`,
    text: `Geef deze pagina toegang om uw accounts in ${isolate(wallet)} te zien.`,
  }),
  preparing: { title: "Een ogenblik", text: "We zoeken op hoe u kunt betalen." },
  choose: (wallet) => ({
    title: "Kies hoe u betaalt",
    text: `Met uw accounts in ${isolate(wallet)} kunt u zo betalen.`,
  }),
  onNetwork: (network) => `op ${isolate(network)}`,
  recommended: "Aanbevolen",
  filter: "Zoek een token of netwerk",
  noMatch: "Geen betaalwijze heeft dit in de naam.",
  ways: (count) => (count === 1 ? "1 betaalwijze" : `${count} betaalwijzen`),
  aboutSeconds: (seconds) => `ongeveer ${seconds}\u00a0s`,
  aboutMinutes: (minutes) => `ongeveer ${minutes}\u00a0min`,
  networkFee: {
    none: "geen netwerkkosten",
    maybe: "mogelijk netwerkkosten",
    some: "plus netwerkkosten",
  },
  networkFeeAbout: (amount) => `netwerkkosten ongeveer ${amount}`,
  networkFeeBelow: (amount) => `netwerkkosten minder dan ${amount}`,
  balance: (amount) => `Saldo ${amount}`,
  steps: (least, most) => (least < most ? `${least} of ${most} stappen` : `${most} stappen`),
  needsData: "eerst een kort formulier",
  form: { title: "Uw gegevens", text: "Voor deze betaling zijn enkele gegevens van u nodig." },
  close: "Sluiten",
  otherWay: "Anders betalen",

  step: (step, steps) => `Stap ${step} van ${steps}`,
  sign: (wallet) => ({
    title: `Onderteken in ${isolate(wallet)}`,
    text: `Open ${isolate(wallet)} en onderteken de betaling. Ondertekenen kost geen netwerkkosten.`,
  }),
  allow: (wallet, amount) => ({
    title: `Geef toestemming in ${isolate(wallet)}`,
    text: `Open ${isolate(wallet)} en sta toe dat er voor deze betaling maximaal ${isolate(amount)} wordt gebruikt. Met deze stap betaalt u nog niets. Er zijn wel netwerkkosten.`,
  }),
  send: (wallet) => ({
    title: `Verstuur in ${isolate(wallet)}`,
    text: `Open ${isolate(wallet)} en verstuur de betaling. Daarvoor zijn er netwerkkosten.`,
  }),
  confirming: {
    title: "Uw betaling wordt verstuurd",
    text: "Houd deze pagina nog even open.",
  },
  processing: {
    title: "Betaling onderweg",
    text: "Het netwerk bevestigt de betaling, meestal binnen een minuut. U kunt deze pagina verlaten: de betaling gaat door.",
  },
  confirmations: "Bevestigingen",
  blocks: (confirmed, needed) =>
    needed === 1 ? `${confirmed} van 1 blok` : `${confirmed} van ${needed} blokken`,

  cancel: "Betaling annuleren",
  cancelling: (merchant) => ({
    title: "Deze betaling annuleren?",
    text: `Met deze link kunt u ${isolate(merchant)} dan niet meer betalen.`,
  }),
  keep: "Betaling behouden",

  noFit: (wallet) => ({
    title: "Deze wallet kan dit nu niet betalen",
    text: `Geen account dat ${isolate(wallet)} heeft gedeeld, bevat genoeg van een token die nu wordt geaccepteerd.`,
  }),
  wouldDo: "Eén van deze bedragen is genoeg",
  checkAgain: "Opnieuw controleren",

  succeeded: (merchant) => ({
    title: "Betaald",
    text: `${isolate(merchant)} heeft uw betaling ontvangen. Dank u wel.`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "Betaling mislukt",
      text: `De betaling kon niet worden voltooid. Vraag ${isolate(merchant)} om een nieuwe betaallink.`,
    }),
    declined: () => ({
      title: "Betaling geweigerd",
      text: "Dit account kan hier niet worden gebruikt om te betalen.",
    }),
    expired: (merchant) => ({
      title: "De tijd is om",
      text: `Er is niet op tijd betaald. Vraag ${isolate(merchant)} om een nieuwe betaallink.`,
    }),
    cancelled: (merchant) => ({
      title: "Betaling geannuleerd",
      text: `Deze betaling is geannuleerd. Met deze link kunt u ${isolate(merchant)} niet meer betalen.`,
    }),
  },
  ifSent: (merchant) =>
    `Is er voor deze betaling toch geld van uw account afgegaan? Vraag ${isolate(merchant)} om terugbetaling en vermeld de transactiehash.`,
  whatYouSent: "Wat u hebt verstuurd",
  money: {
    unsigned: (merchant) =>
      `Betaal niet opnieuw. Uw wallet moet nog ondertekenen dat u het was: ga verder met dezelfde wallet en hetzelfde account. Lukt dat niet, laat ${isolate(merchant)} dan deze transactie zien.`,
    unreported: () =>
      "Betaal niet opnieuw. De dienst kon nog niet worden ingelicht: probeer het opnieuw.",
    unsignedLate: (merchant) =>
      `Hiermee is ${isolate(merchant)} niet betaald, en uw wallet heeft niet ondertekend dat u het was. Onderteken, zodat de dienst het weet en het geld kan worden teruggestuurd. Lukt dat niet, laat ${isolate(merchant)} dan deze transactie zien.`,
    unreportedLate: (merchant) =>
      `Hiermee is ${isolate(merchant)} niet betaald, en de dienst kon nog niet worden ingelicht. Laad deze pagina opnieuw, zodat de dienst het weet en het geld kan worden teruggestuurd.`,
    reported: (merchant) =>
      `Hiermee is ${isolate(merchant)} niet betaald. De dienst weet ervan. Als het netwerk de transactie heeft uitgevoerd, vraag ${isolate(merchant)} dan om terugbetaling en laat deze transactie zien.`,
  },
  mayBeSentLate: (merchant) =>
    `Uw wallet moest deze betaling versturen en heeft niet laten weten of dat is gebeurd. Kijk in de wallet: vraagt die het nog, weiger dan. Is de betaling verstuurd, vraag ${isolate(merchant)} dan om terugbetaling en vermeld de hash.`,
  signIn: (wallet) => `Ondertekenen in ${isolate(wallet)}`,
  refused: {
    title: "Deze wallet kan hier niet betalen",
    text: "Geen van de accounts kan hier worden gebruikt om te betalen.",
  },
  transaction: "Transactie",
  copyHash: "Hash kopiëren",
  hashCopied: "Hash gekopieerd",
  seeTransaction: "Transactie bekijken",
  print: "Bon afdrukken",
  download: "Bon downloaden",
  receipt: "Betaalbewijs",
  issued: "Opgemaakt op",
  help: (merchant) => `Vragen? Neem contact op met ${isolate(merchant)}`,
  helpPage: "Helppagina",
  backTo: (merchant) => `Terug naar ${isolate(merchant)}`,
  leavingIn: (seconds) =>
    seconds === 1 ? "U gaat terug over 1 seconde" : `U gaat terug over ${seconds} seconden`,
  stay: "Hier blijven",
  leave: {
    title: "De betaalpagina sluiten?",
    text: "Uw betaling is mogelijk onderweg. Blijf hier tot deze pagina laat zien dat ze is aangekomen.",
  },
  closeAnyway: "Toch sluiten",
  ownTab: {
    title: "In een nieuw tabblad openen",
    text: "Ontbreekt uw wallet? Sommige wallets hebben een eigen tabblad nodig.",
  },

  halted: {
    rejected: "Geweigerd in uw wallet",
    wallet: "Controleer uw wallet",
    offline: "Geen verbinding",
    service: "Dienst niet beschikbaar",
    other: "De betaling is onderbroken",
  },
  tryAgain: "Opnieuw proberen",
  reload: "Opnieuw laden",
  rejected:
    "U hebt in uw wallet geweigerd, dus deze stap is niet uitgevoerd. Ga verder wanneer u wilt.",
  pending: "Uw wallet wacht op een antwoord. Antwoord daar en probeer het opnieuw.",
  wrongNetwork: (network) =>
    `Uw wallet is niet overgeschakeld naar ${isolate(network)}. Voeg dat netwerk toe in uw wallet of kies het daar, en probeer het opnieuw.`,
  noAccount: "De wallet heeft geen account gedeeld. Ontgrendel de wallet en probeer het opnieuw.",
  otherAccount:
    "De wallet heeft een ander account gedeeld. Kies daar het account dat deze betaling heeft verstuurd en probeer het opnieuw.",
  walletFailed:
    "De wallet reageerde niet zoals verwacht. Open de wallet, kijk of er iets is verstuurd en probeer het opnieuw.",
  disconnected:
    "De verbinding met uw wallet is beëindigd. Open de wallet, kijk of er iets is verstuurd en probeer het opnieuw.",
  offline:
    "De verbinding is verbroken. Wat uw wallet tot nu toe heeft gedaan, blijft op deze pagina bewaard.",
  stale: "Deze pagina staat al lang open. Laad de pagina opnieuw om verder te gaan.",
  unsafe: "De dienst vroeg iets wat deze pagina niet toestaat. Daarom is uw wallet niet gevraagd.",
  service: "De dienst kon dit nu niet uitvoeren. Probeer het opnieuw.",
  optionExpired: "Dat aanbod is verlopen. Dit is het aanbod van nu.",
  formClosed: "Het formulier is gesloten voordat het was verstuurd.",
  mayBeSent:
    "Uw wallet moest deze betaling versturen en heeft niet laten weten of dat is gebeurd. Kijk eerst in de wallet: is de betaling verstuurd, betaal dan niet opnieuw en geef de hash aan de verkoper. Zo niet, kies dan de wallet om verder te gaan.",
  sent: "U hebt deze betaling verstuurd.",
  unsigned: "U hebt deze betaling verstuurd en uw wallet heeft die niet ondertekend.",
  sentLate:
    "Het aanbod verliep voordat de dienst wist dat u het geld had verstuurd, dus het telt niet mee. Betaal niet opnieuw voordat u de verkoper hebt gevraagd.",
  goOn: "U bent al begonnen met betalen. Kies dezelfde wallet om verder te gaan waar u was.",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "Volledige naam",
    dob: "Geboortedatum",
    pobCountry: "Geboorteland",
    pobAddress: "Geboorteplaats",
    porCountry: "Land van verblijf",
    porAddress: "Woonadres",
    tosConfirmed: "Ik ga akkoord met de voorwaarden en het privacybeleid",
  },
  title: "Uw gegevens",
  lead: (merchant) => `Voor uw betaling aan ${isolate(merchant)} zijn enkele gegevens van u nodig.`,
  test: "TEST · geen echt geld",
  oneOfThese: "Eén van deze gegevens is genoeg",
  chooseCountry: "Kies een land",
  terms: "Voorwaarden",
  privacy: "Privacybeleid",
  toRead: "Lees dit voordat u akkoord gaat",
  newWindow: "opent in een nieuw venster",
  send: "Akkoord en versturen",
  sending: "Versturen…",
  problems: (count) => (count === 1 ? "Eén punt te verbeteren" : `${count} punten te verbeteren`),

  missing: (name) => `${name}: dit gegeven ontbreekt.`,
  notAccepted:
    "Er wordt niets verstuurd voordat u akkoord gaat met de voorwaarden en het privacybeleid.",
  tooShort: (name, min) => `${name}: ten minste ${min} tekens.`,
  tooLong: (name, max) => `${name}: hoogstens ${max} tekens.`,
  notADate: (name) => `${name}: vul een volledige datum in.`,
  malformed: (name) => `${name}: dit gegeven lijkt niet te kloppen.`,
  refused: (name) => `${name}: dit gegeven is niet geaccepteerd.`,

  notSent: "Uw gegevens zijn niet opgeslagen. Controleer uw verbinding en verstuur ze opnieuw.",
  doneTitle: "Dank u wel",
  done: "Uw gegevens zijn opgeslagen. Ga terug naar uw wallet om de betaling te voltooien.",
  closedTitle: "Er zijn geen gegevens meer nodig",
  closed: (status) =>
    ({
      requires_action: "Deze betaling heeft nu geen gegevens nodig.",
      processing: "De betaling is al onderweg.",
      succeeded: "De betaling is al voldaan.",
      failed: "De betaling is mislukt.",
      expired: "De betaling is verlopen. Vraag de verkoper om een nieuwe.",
      cancelled: "De betaling is geannuleerd.",
    })[status],
  absentTitle: "Deze pagina kan niet worden gebruikt",
  absent: "De link klopt niet of is te oud. Ga terug naar uw wallet en begin opnieuw.",
})

export const plain = (): PlainMessages => ({
  notFound: {
    title: "Pagina niet gevonden",
    text: "Op dit adres is niets. Als u wilde betalen, controleer dan of de betaallink volledig is, of vraag om een nieuwe.",
  },
  needsScript:
    "Deze pagina heeft JavaScript nodig, en deze browser voert dat niet uit. Open om te betalen deze link in een wallet-app of in een browser met JavaScript.",
  payBy: (time) => `Te betalen vóór ${time}`,
})
