/**
 * Italian. It addresses the payer with “tu”, as the apps of banks do.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `Paga ${isolate(merchant)}`,
  test: "TEST · denaro non reale",
  reference: "Riferimento",
  amount: "Importo",
  recipient: "A",
  moreItems: (count) => (count === 1 ? "1 altro articolo" : `Altri ${count} articoli`),
  paying: "Stai pagando",
  secondsLeft: (clock) => `ancora ${clock}`,
  minuteLeft: "Resta un minuto per pagare.",
  terms: "Condizioni",
  privacy: "Privacy",
  newWindow: "si apre in una nuova finestra",

  scan: {
    title: "Scansiona per pagare",
    text: "Scansiona questo codice con la fotocamera del telefono o con un’app wallet.",
  },
  qrCode: (merchant) => `Codice QR del link per pagare ${isolate(merchant)}`,
  inWalletApp: "Paga nell’app del tuo wallet",
  walletAppLink:
    "Apre questo pagamento nell’app. Il produttore dell’app può vedere il link di pagamento.",
  otherWalletApp: "Un’altra app wallet",
  otherDevice: "Paga da un altro dispositivo",
  otherWallet: "Usa un altro wallet",
  copyLink: "Copia link",
  copied: "Link copiato",
  copyFailed: "Copia non riuscita.",
  inThisBrowser: "Paga con un wallet in questo browser",
  namelessWallet: "Wallet del browser",
  or: "o scansiona",
  anyWallet: "Appena avrai pagato, questa pagina lo mostrerà.",
  onAnotherDevice: "Collega un wallet sul telefono o su un altro dispositivo",
  pairing: {
    title: "Collega il tuo wallet",
    text: "Scansiona il codice con l’app del tuo wallet e consenti lì la connessione.",
  },

  connecting: (wallet) => ({
    title: `Collega ${isolate(wallet)}`,
    text: `Consenti a questa pagina di vedere i tuoi conti in ${isolate(wallet)}.`,
  }),
  preparing: { title: "Un momento", text: "Stiamo verificando come puoi pagare." },
  choose: (wallet) => ({
    title: "Scegli come pagare",
    text: `Con i tuoi conti in ${isolate(wallet)} puoi pagare in questi modi.`,
  }),
  onNetwork: (network) => `su ${isolate(network)}`,
  recommended: "Consigliato",
  filter: "Cerca un token o una rete",
  noMatch: "Nessun modo di pagare ha questo nome.",
  ways: (count) => (count === 1 ? "1 modo di pagare" : `${count} modi di pagare`),
  aboutSeconds: (seconds) => `circa ${seconds}\u00a0s`,
  aboutMinutes: (minutes) => `circa ${minutes}\u00a0min`,
  networkFee: {
    none: "senza commissione di rete",
    maybe: "possibile commissione di rete",
    some: "più una commissione di rete",
  },
  networkFeeAbout: (amount) => `commissione di rete di circa ${amount}`,
  networkFeeBelow: (amount) => `commissione di rete inferiore a ${amount}`,
  balance: (amount) => `Saldo: ${amount}`,
  steps: (least, most) => (least < most ? `${least} o ${most} passaggi` : `${most} passaggi`),
  needsData: "dopo un breve modulo",
  form: { title: "I tuoi dati", text: "Per questo pagamento servono alcuni tuoi dati." },
  close: "Chiudi",
  otherWay: "Paga in un altro modo",

  step: (step, steps) => `Passaggio ${step} di ${steps}`,
  sign: (wallet) => ({
    title: `Firma in ${isolate(wallet)}`,
    text: `Apri ${isolate(wallet)} e firma il pagamento. La firma non costa commissioni di rete.`,
  }),
  allow: (wallet, amount) => ({
    title: `Autorizza in ${isolate(wallet)}`,
    text: `Apri ${isolate(wallet)} e autorizza l’uso di un massimo di ${isolate(amount)} per questo pagamento. Con questo passaggio non paghi ancora nulla. Richiede una commissione di rete.`,
  }),
  send: (wallet) => ({
    title: `Invia in ${isolate(wallet)}`,
    text: `Apri ${isolate(wallet)} e invia il pagamento. Richiede una commissione di rete.`,
  }),
  confirming: {
    title: "Invio del pagamento",
    text: "Tieni aperta questa pagina ancora per un momento.",
  },
  processing: {
    title: "Pagamento in corso",
    text: "La rete lo sta confermando, di solito entro un minuto. Puoi lasciare questa pagina: il pagamento prosegue.",
  },
  confirmations: "Conferme",
  blocks: (confirmed, needed) =>
    `${confirmed} ${confirmed === 1 ? "blocco" : "blocchi"} su ${needed}`,

  cancel: "Annulla il pagamento",
  cancelling: (merchant) => ({
    title: "Annullare questo pagamento?",
    text: `Con questo link non potrai più pagare ${isolate(merchant)}.`,
  }),
  keep: "Mantieni il pagamento",

  noFit: (wallet) => ({
    title: "Questo wallet ora non può pagare",
    text: `Nessun conto condiviso da ${isolate(wallet)} contiene abbastanza di un token accettato in questo momento.`,
  }),
  wouldDo: "Basta uno di questi importi",
  checkAgain: "Verifica di nuovo",

  succeeded: (merchant) => ({
    title: "Pagato",
    text: `${isolate(merchant)} ha ricevuto il tuo pagamento. Grazie.`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "Pagamento non riuscito",
      text: `Non è stato possibile completare il pagamento. Chiedi a ${isolate(merchant)} un nuovo link di pagamento.`,
    }),
    declined: () => ({
      title: "Pagamento rifiutato",
      text: "Questo conto non può essere usato per pagare qui.",
    }),
    expired: (merchant) => ({
      title: "Tempo scaduto",
      text: `Il pagamento non è stato fatto in tempo. Chiedi a ${isolate(merchant)} un nuovo link di pagamento.`,
    }),
    cancelled: (merchant) => ({
      title: "Pagamento annullato",
      text: `Questo pagamento è stato annullato. Con questo link non si può più pagare ${isolate(merchant)}.`,
    }),
  },
  ifSent: (merchant) =>
    `Se il denaro di questo pagamento è comunque uscito dal tuo conto, chiedi il rimborso a ${isolate(merchant)} e indica l’hash della transazione.`,
  whatYouSent: "Che cosa hai inviato",
  money: {
    unsigned: (merchant) =>
      `Non pagare di nuovo. Il tuo wallet deve ancora firmare che l’invio è tuo: continua con lo stesso wallet e lo stesso conto. Se non puoi, mostra questa transazione a ${isolate(merchant)}.`,
    unreported: () => "Non pagare di nuovo. Il servizio non ne è ancora informato: riprova.",
    unsignedLate: (merchant) =>
      `Questo invio non ha pagato ${isolate(merchant)}, e il tuo wallet non ha firmato che l’invio è tuo. Firma, così il servizio ne è informato e il denaro può essere restituito. Se non puoi, mostra questa transazione a ${isolate(merchant)}.`,
    unreportedLate: (merchant) =>
      `Questo invio non ha pagato ${isolate(merchant)}, e il servizio non ne è ancora informato. Ricarica questa pagina, così il servizio ne è informato e il denaro può essere restituito.`,
    reported: (merchant) =>
      `Questo invio non ha pagato ${isolate(merchant)}. Il servizio ne è informato. Se la rete ha eseguito la transazione, chiedi il rimborso a ${isolate(merchant)} e mostra questa transazione.`,
  },
  mayBeSentLate: (merchant) =>
    `Il tuo wallet doveva inviare questo pagamento e non ha comunicato se l’ha fatto. Controlla nel wallet: se chiede ancora conferma, rifiuta. Se l’ha inviato, chiedi il rimborso a ${isolate(merchant)} e indica l’hash.`,
  signIn: (wallet) => `Firma in ${isolate(wallet)}`,
  refused: {
    title: "Questo wallet non può pagare qui",
    text: "Nessuno dei suoi conti può essere usato per pagare qui.",
  },
  transaction: "Transazione",
  copyHash: "Copia hash",
  hashCopied: "Hash copiato",
  seeTransaction: "Vedi transazione",
  print: "Stampa ricevuta",
  download: "Scarica ricevuta",
  receipt: "Ricevuta",
  issued: "Emessa il",
  help: (merchant) => `Domande? Contatta ${isolate(merchant)}`,
  helpPage: "Pagina di assistenza",
  backTo: (merchant) => `Torna a ${isolate(merchant)}`,
  leavingIn: (seconds) =>
    seconds === 1 ? "Ritorno tra 1 secondo" : `Ritorno tra ${seconds} secondi`,
  stay: "Resta qui",
  leave: {
    title: "Chiudere la pagina di pagamento?",
    text: "Il pagamento potrebbe essere in corso. Resti qui finché questa pagina non indica che è arrivato.",
  },
  closeAnyway: "Chiudi comunque",
  ownTab: {
    title: "Apri in una nuova scheda",
    text: "Il suo wallet non compare? Alcuni wallet hanno bisogno di una scheda propria.",
  },

  halted: {
    rejected: "Rifiutato nel wallet",
    wallet: "Controlla il wallet",
    offline: "Nessuna connessione",
    service: "Servizio non disponibile",
    other: "Il pagamento è fermo",
  },
  tryAgain: "Riprova",
  reload: "Ricarica",
  rejected:
    "Hai rifiutato nel tuo wallet, quindi questo passaggio non è stato eseguito. Continua quando vuoi.",
  pending: "Il tuo wallet attende una risposta. Rispondi nel wallet, poi riprova.",
  wrongNetwork: (network) =>
    `Il tuo wallet non è passato a ${isolate(network)}. Aggiungi o scegli questa rete nel wallet, poi riprova.`,
  noAccount: "Il wallet non ha condiviso alcun conto. Sbloccalo, poi riprova.",
  otherAccount:
    "Il wallet ha condiviso un altro conto. Scegli nel wallet quello che ha inviato questo pagamento, poi riprova.",
  walletFailed:
    "Il wallet non ha risposto come previsto. Aprilo, controlla se ha inviato qualcosa, poi riprova.",
  disconnected:
    "La connessione con il tuo wallet è terminata. Aprilo, controlla se ha inviato qualcosa, poi riprova.",
  offline:
    "La connessione si è interrotta. Ciò che il tuo wallet ha già fatto resta salvato in questa pagina.",
  stale: "Questa pagina è aperta da molto tempo. Ricaricala per continuare.",
  unsafe:
    "Il servizio ha chiesto qualcosa che questa pagina non consente. Per questo il tuo wallet non è stato interpellato.",
  service: "Il servizio non ha potuto farlo in questo momento. Riprova.",
  optionExpired: "Quell’offerta è scaduta. Ecco le offerte attuali.",
  formClosed: "Il modulo è stato chiuso prima dell’invio.",
  mayBeSent:
    "Il tuo wallet doveva inviare questo pagamento e non ha comunicato se l’ha fatto. Controlla prima nel wallet: se l’ha inviato, non pagare di nuovo e indica l’hash all’esercente. Altrimenti scegli il wallet per continuare.",
  sent: "Hai inviato questo pagamento.",
  unsigned: "Hai inviato questo pagamento e il tuo wallet non l’ha firmato.",
  sentLate:
    "L’offerta è scaduta prima che il servizio fosse informato del tuo invio, che quindi non vale. Non pagare di nuovo prima di aver chiesto all’esercente.",
  goOn: "Hai già iniziato a pagare. Scegli lo stesso wallet per riprendere da dove eri.",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "Nome e cognome",
    dob: "Data di nascita",
    pobCountry: "Paese di nascita",
    pobAddress: "Luogo di nascita",
    porCountry: "Paese di residenza",
    porAddress: "Indirizzo di residenza",
    tosConfirmed: "Accetto le condizioni e l’informativa sulla privacy",
  },
  title: "I tuoi dati",
  lead: (merchant) => `Per il tuo pagamento a ${isolate(merchant)} servono alcuni tuoi dati.`,
  test: "TEST · denaro non reale",
  oneOfThese: "Basta uno di questi dati",
  chooseCountry: "Scegli un Paese",
  terms: "Condizioni",
  privacy: "Informativa sulla privacy",
  toRead: "Da leggere prima di accettare",
  newWindow: "si apre in una nuova finestra",
  send: "Accetta e invia",
  sending: "Invio…",
  problems: (count) => (count === 1 ? "Un dato da correggere" : `${count} dati da correggere`),

  missing: (name) => `${name}: questo dato manca.`,
  notAccepted:
    "Non viene inviato nulla prima che tu accetti le condizioni e l’informativa sulla privacy.",
  tooShort: (name, min) => `${name}: almeno ${min} caratteri.`,
  tooLong: (name, max) => `${name}: al massimo ${max} caratteri.`,
  notADate: (name) => `${name}: indica una data completa.`,
  malformed: (name) => `${name}: questo dato non sembra corretto.`,
  refused: (name) => `${name}: questo dato non è stato accettato.`,

  notSent: "I tuoi dati non sono stati salvati. Controlla la connessione e inviali di nuovo.",
  doneTitle: "Grazie",
  done: "I tuoi dati sono salvati. Torna al tuo wallet per completare il pagamento.",
  closedTitle: "Non servono più dati",
  closed: (status) =>
    ({
      requires_action: "Questo pagamento non richiede dati in questo momento.",
      processing: "Il pagamento è già in corso.",
      succeeded: "Il pagamento è già stato fatto.",
      failed: "Il pagamento non è riuscito.",
      expired: "Il pagamento è scaduto. Chiedine uno nuovo all’esercente.",
      cancelled: "Il pagamento è stato annullato.",
    })[status],
  absentTitle: "Questa pagina non può essere usata",
  absent: "Il link è errato o troppo vecchio. Torna al tuo wallet e ricomincia.",
})

export const plain = (): PlainMessages => ({
  notFound: {
    title: "Pagina non trovata",
    text: "A questo indirizzo non c’è nulla. Se volevi pagare, controlla che il link di pagamento sia completo o chiedine uno nuovo.",
  },
  needsScript:
    "Questa pagina ha bisogno di JavaScript, che questo browser non esegue. Per pagare, apri questo link in un’app wallet o in un browser con JavaScript.",
  payBy: (time) => `Da pagare entro: ${time}`,
})
