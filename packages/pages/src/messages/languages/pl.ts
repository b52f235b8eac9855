/**
 * Polish. No text uses a verb in the past tense about the payer, as its form would show the payer's gender.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

const rules = new Intl.PluralRules("pl")

/** 1 sekunda, 2 sekundy, 5 sekund. */
const counted = (count: number, one: string, few: string, many: string): string => {
  const form = rules.select(count)
  return `${count}\u00a0${form === "one" ? one : form === "few" ? few : many}`
}

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `Zapłać: ${isolate(merchant)}`,
  test: "TEST · to nie są prawdziwe pieniądze",
  reference: "Numer",
  amount: "Kwota",
  recipient: "Odbiorca",
  moreItems: (count) => counted(count, "kolejna pozycja", "kolejne pozycje", "kolejnych pozycji"),
  paying: "Płacisz",
  secondsLeft: (clock) => `pozostało ${clock}`,
  minuteLeft: "Została minuta na zapłatę.",
  terms: "Regulamin",
  privacy: "Prywatność",
  newWindow: "otwiera się w nowym oknie",

  scan: {
    title: "Zeskanuj, aby zapłacić",
    text: "Zeskanuj ten kod aparatem telefonu lub w aplikacji portfela.",
  },
  qrCode: (merchant) => `Kod QR z linkiem do płatności, odbiorca: ${isolate(merchant)}`,
  inWalletApp: "Zapłać w aplikacji portfela",
  walletAppLink:
    "Otwiera tę płatność w aplikacji. Twórca aplikacji może zobaczyć link do płatności.",
  otherWalletApp: "Inna aplikacja portfela",
  otherDevice: "Zapłać z innego urządzenia",
  otherWallet: "Użyj innego portfela",
  copyLink: "Kopiuj link",
  copied: "Link skopiowany",
  copyFailed: "Nie udało się skopiować.",
  inThisBrowser: "Zapłać portfelem w tej przeglądarce",
  namelessWallet: "Portfel w przeglądarce",
  or: "lub zeskanuj",
  anyWallet: "Gdy zapłacisz, ta strona od razu to pokaże.",
  onAnotherDevice: "Połącz portfel na telefonie lub innym urządzeniu",
  pairing: {
    title: "Połącz portfel",
    text: "Zeskanuj kod w aplikacji portfela i zezwól w niej na połączenie.",
  },

  connecting: (wallet) => ({
    title: `Połącz ${isolate(wallet)}`,
    text: `Zezwól tej stronie na wgląd w Twoje konta w portfelu ${isolate(wallet)}.`,
  }),
  preparing: { title: "Chwileczkę", text: "Sprawdzamy, jak możesz zapłacić." },
  choose: (wallet) => ({
    title: "Wybierz sposób płatności",
    text: `Z kont w portfelu ${isolate(wallet)} możesz zapłacić tak:`,
  }),
  onNetwork: (network) => `w sieci ${isolate(network)}`,
  recommended: "Polecane",
  filter: "Szukaj tokena lub sieci",
  noMatch: "Żaden sposób płatności nie ma tego w nazwie.",
  ways: (count) => counted(count, "sposób płatności", "sposoby płatności", "sposobów płatności"),
  aboutSeconds: (seconds) => `około ${seconds}\u00a0s`,
  aboutMinutes: (minutes) => `około ${minutes}\u00a0min`,
  networkFee: {
    none: "bez opłaty sieciowej",
    maybe: "możliwa opłata sieciowa",
    some: "plus opłata sieciowa",
  },
  networkFeeAbout: (amount) => `opłata sieciowa około ${amount}`,
  networkFeeBelow: (amount) => `opłata sieciowa poniżej ${amount}`,
  balance: (amount) => `Saldo: ${amount}`,
  steps: (least, most) => {
    const steps = counted(most, "krok", "kroki", "kroków")
    return least < most ? `${least} lub ${steps}` : steps
  },
  needsData: "najpierw krótki formularz",
  form: { title: "Twoje dane", text: "Do tej płatności potrzebujemy kilku Twoich danych." },
  close: "Zamknij",
  otherWay: "Zapłać inaczej",

  step: (step, steps) => `Krok ${step} z ${steps}`,
  sign: (wallet) => ({
    title: `Podpisz w portfelu ${isolate(wallet)}`,
    text: `Otwórz ${isolate(wallet)} i podpisz płatność. Podpis nie wymaga opłaty sieciowej.`,
  }),
  allow: (wallet, amount) => ({
    title: `Zezwól w portfelu ${isolate(wallet)}`,
    text: `Otwórz ${isolate(wallet)} i zezwól na użycie do tej płatności najwyżej ${isolate(amount)}. Ten krok jeszcze niczego nie opłaca. Wymaga opłaty sieciowej.`,
  }),
  send: (wallet) => ({
    title: `Wyślij w portfelu ${isolate(wallet)}`,
    text: `Otwórz ${isolate(wallet)} i wyślij płatność. Wymaga to opłaty sieciowej.`,
  }),
  confirming: {
    title: "Wysyłamy płatność",
    text: "Pozostaw tę stronę otwartą jeszcze przez chwilę.",
  },
  processing: {
    title: "Płatność w drodze",
    text: "Sieć ją potwierdza, zwykle w ciągu minuty. Możesz opuścić tę stronę: płatność zostanie dokończona.",
  },
  confirmations: "Potwierdzenia",
  blocks: (confirmed, needed) => `${confirmed} z ${counted(needed, "bloku", "bloków", "bloków")}`,

  cancel: "Anuluj płatność",
  cancelling: (merchant) => ({
    title: "Anulować tę płatność?",
    text: `Tym linkiem nie będzie już można zapłacić sprzedawcy ${isolate(merchant)}.`,
  }),
  keep: "Zachowaj płatność",

  noFit: (wallet) => ({
    title: "Tym portfelem nie można teraz zapłacić",
    text: `Na żadnym koncie, które udostępnia ${isolate(wallet)}, nie ma dość żadnego z przyjmowanych teraz tokenów.`,
  }),
  wouldDo: "Wystarczy jedna z tych kwot",
  checkAgain: "Sprawdź ponownie",

  succeeded: (merchant) => ({
    title: "Zapłacono",
    text: `Płatność dotarła. Odbiorca: ${isolate(merchant)}. Dziękujemy.`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "Płatność nieudana",
      text: `Nie udało się dokończyć płatności. Poproś sprzedawcę ${isolate(merchant)} o nowy link do płatności.`,
    }),
    declined: () => ({
      title: "Płatność odrzucona",
      text: "Tego konta nie można tu użyć do zapłaty.",
    }),
    expired: (merchant) => ({
      title: "Czas minął",
      text: `Nie zapłacono na czas. Poproś sprzedawcę ${isolate(merchant)} o nowy link do płatności.`,
    }),
    cancelled: (merchant) => ({
      title: "Płatność anulowana",
      text: `Ta płatność została anulowana. Tym linkiem nie można już zapłacić sprzedawcy ${isolate(merchant)}.`,
    }),
  },
  ifSent: (merchant) =>
    `Jeśli mimo to pieniądze za tę płatność zeszły z Twojego konta, poproś sprzedawcę ${isolate(merchant)} o zwrot i podaj hash transakcji.`,
  whatYouSent: "Co zostało wysłane",
  money: {
    unsigned: (merchant) =>
      `Nie płać ponownie. Portfel musi jeszcze podpisać, że to Twoja transakcja: kontynuuj z tym samym portfelem i kontem. Jeśli to niemożliwe, pokaż tę transakcję sprzedawcy ${isolate(merchant)}.`,
    unreported: () => "Nie płać ponownie. Usługa jeszcze o tym nie wie: spróbuj ponownie.",
    unsignedLate: (merchant) =>
      `To nie jest zapłata dla sprzedawcy ${isolate(merchant)}, a portfel nie podpisał, że to Twoja transakcja. Podpisz, aby usługa się o niej dowiedziała i można było zwrócić pieniądze. Jeśli to niemożliwe, pokaż tę transakcję sprzedawcy ${isolate(merchant)}.`,
    unreportedLate: (merchant) =>
      `To nie jest zapłata dla sprzedawcy ${isolate(merchant)}, a usługa jeszcze o tym nie wie. Odśwież tę stronę, aby się dowiedziała i można było zwrócić pieniądze.`,
    reported: (merchant) =>
      `To nie jest zapłata dla sprzedawcy ${isolate(merchant)}. Usługa już o tym wie. Jeśli sieć wykonała transakcję, poproś sprzedawcę ${isolate(merchant)} o zwrot i pokaż tę transakcję.`,
  },
  mayBeSentLate: (merchant) =>
    `Portfel miał wysłać tę płatność i nie zgłosił, czy to zrobił. Sprawdź w portfelu: jeśli nadal pyta, odmów. Jeśli płatność została wysłana, poproś sprzedawcę ${isolate(merchant)} o zwrot i podaj jej hash.`,
  signIn: (wallet) => `Podpisz w portfelu ${isolate(wallet)}`,
  refused: {
    title: "Tym portfelem nie można tu zapłacić",
    text: "Żadnego z jego kont nie można tu użyć do zapłaty.",
  },
  transaction: "Transakcja",
  copyHash: "Kopiuj hash",
  hashCopied: "Hash skopiowany",
  seeTransaction: "Zobacz transakcję",
  print: "Drukuj potwierdzenie",
  download: "Pobierz potwierdzenie",
  receipt: "Potwierdzenie płatności",
  issued: "Wystawiono",
  help: (merchant) => `Pytania? Napisz do: ${isolate(merchant)}`,
  helpPage: "Strona pomocy",
  backTo: (merchant) => `Wróć do: ${isolate(merchant)}`,
  leavingIn: (seconds) => `Powrót za ${counted(seconds, "sekundę", "sekundy", "sekund")}`,
  stay: "Zostań tutaj",
  leave: {
    title: "Zamknąć stronę płatności?",
    text: "Płatność może być w drodze. Proszę pozostać tutaj, aż ta strona pokaże, że dotarła.",
  },
  closeAnyway: "Zamknij mimo to",
  ownTab: {
    title: "Otwórz w nowej karcie",
    text: "Brakuje portfela? Niektóre portfele wymagają osobnej karty.",
  },

  halted: {
    rejected: "Odrzucono w portfelu",
    wallet: "Sprawdź portfel",
    offline: "Brak połączenia",
    service: "Usługa niedostępna",
    other: "Płatność wstrzymana",
  },
  tryAgain: "Spróbuj ponownie",
  reload: "Odśwież",
  rejected: "Odmówiono w portfelu, więc ten krok nie został wykonany. Kontynuuj, kiedy zechcesz.",
  pending: "Portfel czeka na odpowiedź. Odpowiedz w nim i spróbuj ponownie.",
  wrongNetwork: (network) =>
    `Portfel nie przełączył się na sieć ${isolate(network)}. Dodaj lub wybierz tę sieć w portfelu i spróbuj ponownie.`,
  noAccount: "Portfel nie udostępnił żadnego konta. Odblokuj go i spróbuj ponownie.",
  otherAccount:
    "Portfel udostępnił inne konto. Wybierz w nim to, z którego wysłano tę płatność, i spróbuj ponownie.",
  walletFailed:
    "Portfel nie odpowiedział prawidłowo. Otwórz go, sprawdź, czy coś wysłał, i spróbuj ponownie.",
  disconnected:
    "Połączenie z portfelem zostało zakończone. Otwórz go, sprawdź, czy coś wysłał, i spróbuj ponownie.",
  offline:
    "Połączenie zostało przerwane. To, co portfel już zrobił, pozostaje zapisane na tej stronie.",
  stale: "Ta strona jest otwarta od dawna. Odśwież ją, aby kontynuować.",
  unsafe: "Usługa zażądała czegoś, na co ta strona nie pozwala, więc portfel nie został zapytany.",
  service: "Usługa nie mogła tego teraz wykonać. Spróbuj ponownie.",
  optionExpired: "Ta oferta wygasła. Oto aktualne oferty.",
  formClosed: "Formularz zamknięto przed wysłaniem.",
  mayBeSent:
    "Portfel miał wysłać tę płatność i nie zgłosił, czy to zrobił. Najpierw sprawdź w portfelu: jeśli płatność została wysłana, nie płać ponownie i podaj jej hash sprzedawcy. Jeśli nie, wybierz portfel, aby kontynuować.",
  sent: "Ta płatność została wysłana.",
  unsigned: "Ta płatność została wysłana, ale portfel jej nie podpisał.",
  sentLate:
    "Oferta wygasła, zanim usługa dowiedziała się o wysłaniu pieniędzy, dlatego ta wpłata się nie liczy. Nie płać ponownie, zanim nie zapytasz sprzedawcy.",
  goOn: "Płatność jest już rozpoczęta. Wybierz ten sam portfel, aby ją kontynuować.",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "Imię i nazwisko",
    dob: "Data urodzenia",
    pobCountry: "Kraj urodzenia",
    pobAddress: "Miejsce urodzenia",
    porCountry: "Kraj zamieszkania",
    porAddress: "Adres zamieszkania",
    tosConfirmed: "Akceptuję regulamin i politykę prywatności",
  },
  title: "Twoje dane",
  lead: (merchant) =>
    `Do płatności dla sprzedawcy ${isolate(merchant)} potrzebujemy kilku Twoich danych.`,
  test: "TEST · to nie są prawdziwe pieniądze",
  oneOfThese: "Wystarczy jedna z tych informacji",
  chooseCountry: "Wybierz kraj",
  terms: "Regulamin",
  privacy: "Polityka prywatności",
  toRead: "Przeczytaj przed akceptacją",
  newWindow: "otwiera się w nowym oknie",
  send: "Zaakceptuj i wyślij",
  sending: "Wysyłanie…",
  problems: (count) =>
    counted(count, "pole do poprawienia", "pola do poprawienia", "pól do poprawienia"),

  missing: (name) => `${name}: brakuje tej informacji.`,
  notAccepted: "Nic nie zostanie wysłane, zanim zaakceptujesz regulamin i politykę prywatności.",
  tooShort: (name, min) => `${name}: co najmniej ${counted(min, "znak", "znaki", "znaków")}.`,
  tooLong: (name, max) => `${name}: co najwyżej ${counted(max, "znak", "znaki", "znaków")}.`,
  notADate: (name) => `${name}: podaj pełną datę.`,
  malformed: (name) => `${name}: ta informacja wygląda na błędną.`,
  refused: (name) => `${name}: ta informacja nie została przyjęta.`,

  notSent: "Dane nie zostały zapisane. Sprawdź połączenie i wyślij je ponownie.",
  doneTitle: "Dziękujemy",
  done: "Dane są zapisane. Wróć do portfela, aby dokończyć płatność.",
  closedTitle: "Dane nie są już potrzebne",
  closed: (status) =>
    ({
      requires_action: "Ta płatność nie wymaga teraz danych.",
      processing: "Płatność jest już w drodze.",
      succeeded: "Płatność jest już opłacona.",
      failed: "Płatność się nie powiodła.",
      expired: "Płatność wygasła. Poproś sprzedawcę o nową.",
      cancelled: "Płatność została anulowana.",
    })[status],
  absentTitle: "Nie można użyć tej strony",
  absent: "Link jest błędny lub za stary. Wróć do portfela i zacznij od nowa.",
})

export const plain = (): PlainMessages => ({
  notFound: {
    title: "Nie znaleziono strony",
    text: "Pod tym adresem niczego nie ma. Aby zapłacić, sprawdź, czy link do płatności jest pełny, lub poproś o nowy.",
  },
  needsScript:
    "Ta strona wymaga JavaScriptu, którego ta przeglądarka nie uruchamia. Aby zapłacić, otwórz ten link w aplikacji portfela lub w przeglądarce z JavaScriptem.",
  payBy: (time) => `Zapłać do: ${time}`,
})
