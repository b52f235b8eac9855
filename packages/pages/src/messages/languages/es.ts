/**
 * Spanish.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `Pagar a ${isolate(merchant)}`,
  test: "PRUEBA · sin dinero real",
  reference: "Referencia",
  amount: "Importe",
  recipient: "A",
  moreItems: (count) => (count === 1 ? "1 artículo más" : `${count} artículos más`),
  paying: "Usted paga",
  secondsLeft: (clock) => `quedan ${clock}`,
  minuteLeft: "Queda un minuto para pagar.",
  terms: "Condiciones",
  privacy: "Privacidad",
  newWindow: "se abre en una ventana nueva",

  scan: {
    title: "Escanear para pagar",
    text: "Escanee este código con la cámara de su teléfono o con una app de billetera.",
  },
  qrCode: (merchant) => `Código QR del enlace para pagar a ${isolate(merchant)}`,
  inWalletApp: "Pague en la app de su billetera",
  walletAppLink: "Abre este pago en la app. El fabricante de la app puede ver el enlace de pago.",
  otherWalletApp: "Otra app de billetera",
  otherDevice: "Pagar desde otro dispositivo",
  otherWallet: "Usar otra billetera",
  copyLink: "Copiar enlace",
  copied: "Enlace copiado",
  copyFailed: "No se pudo copiar.",
  inThisBrowser: "Pagar con una billetera de este navegador",
  namelessWallet: "Billetera del navegador",
  or: "o escanear",
  anyWallet: "Esta página mostrará el resultado en cuanto haya pagado.",
  onAnotherDevice: "Conecte una billetera en su teléfono o en otro dispositivo",
  pairing: {
    title: "Conecte su billetera",
    text: "Escanee el código con la app de su billetera y permita allí la conexión.",
  },

  connecting: (wallet) => ({
    title: `Conectar ${isolate(wallet)}`,
    text: `Permita que esta página vea sus cuentas en ${isolate(wallet)}.`,
  }),
  preparing: { title: "Un momento", text: "Estamos buscando cómo puede pagar." },
  choose: (wallet) => ({
    title: "Elija cómo pagar",
    text: `Con sus cuentas en ${isolate(wallet)} puede pagar de estas formas.`,
  }),
  onNetwork: (network) => `en ${isolate(network)}`,
  recommended: "Recomendado",
  filter: "Buscar un token o una red",
  noMatch: "Ninguna forma de pago tiene ese nombre.",
  ways: (count) => (count === 1 ? "1 forma de pago" : `${count} formas de pago`),
  aboutSeconds: (seconds) => `unos ${seconds}\u00a0s`,
  aboutMinutes: (minutes) => `unos ${minutes}\u00a0min`,
  networkFee: {
    none: "sin comisión de red",
    maybe: "puede haber comisión de red",
    some: "más una comisión de red",
  },
  networkFeeAbout: (amount) => `comisión de red de unos ${amount}`,
  networkFeeBelow: (amount) => `comisión de red inferior a ${amount}`,
  balance: (amount) => `Saldo: ${amount}`,
  steps: (least, most) => (least < most ? `${least} o ${most} pasos` : `${most} pasos`),
  needsData: "antes, un formulario breve",
  form: { title: "Sus datos", text: "Este pago necesita algunos datos sobre usted." },
  close: "Cerrar",
  otherWay: "Pagar de otra forma",

  step: (step, steps) => `Paso ${step} de ${steps}`,
  sign: (wallet) => ({
    title: `Firme en ${isolate(wallet)}`,
    text: `Abra ${isolate(wallet)} y firme el pago. Firmar no cuesta comisión de red.`,
  }),
  allow: (wallet, amount) => ({
    title: `Autorice en ${isolate(wallet)}`,
    text: `Abra ${isolate(wallet)} y autorice el uso de hasta ${isolate(amount)} para este pago. Con este paso todavía no se paga nada. Cuesta una comisión de red.`,
  }),
  send: (wallet) => ({
    title: `Envíe en ${isolate(wallet)}`,
    text: `Abra ${isolate(wallet)} y envíe el pago. Cuesta una comisión de red.`,
  }),
  confirming: { title: "Enviando su pago", text: "Deje esta página abierta un momento más." },
  processing: {
    title: "Pago en camino",
    text: "La red lo está confirmando, normalmente en menos de un minuto. Puede salir de esta página: el pago continúa.",
  },
  confirmations: "Confirmaciones",
  blocks: (confirmed, needed) =>
    needed === 1 ? `${confirmed} de 1 bloque` : `${confirmed} de ${needed} bloques`,

  cancel: "Cancelar el pago",
  cancelling: (merchant) => ({
    title: "¿Cancelar este pago?",
    text: `Después ya no podrá pagar a ${isolate(merchant)} con este enlace.`,
  }),
  keep: "Conservar el pago",

  noFit: (wallet) => ({
    title: "Esta billetera no puede pagar ahora",
    text: `Ninguna cuenta compartida por ${isolate(wallet)} tiene suficiente de un token que se acepte ahora.`,
  }),
  wouldDo: "Basta con uno de estos importes",
  checkAgain: "Comprobar de nuevo",

  succeeded: (merchant) => ({
    title: "Pagado",
    text: `${isolate(merchant)} ha recibido su pago. Gracias.`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "El pago ha fallado",
      text: `No se pudo completar el pago. Pida a ${isolate(merchant)} un nuevo enlace de pago.`,
    }),
    declined: () => ({
      title: "Pago rechazado",
      text: "Esta cuenta no se puede usar para pagar aquí.",
    }),
    expired: (merchant) => ({
      title: "Se acabó el tiempo",
      text: `El pago no se hizo a tiempo. Pida a ${isolate(merchant)} un nuevo enlace de pago.`,
    }),
    cancelled: (merchant) => ({
      title: "Pago cancelado",
      text: `Este pago se ha cancelado. Con este enlace ya no se puede pagar a ${isolate(merchant)}.`,
    }),
  },
  ifSent: (merchant) =>
    `Si aun así salió dinero de su cuenta por este pago, pida a ${isolate(merchant)} que se lo devuelva e indique el hash de la transacción.`,
  whatYouSent: "Lo que ha enviado",
  money: {
    unsigned: (merchant) =>
      `No pague otra vez. Su billetera todavía debe firmar que fue usted: continúe con la misma billetera y la misma cuenta. Si no puede, muestre esta transacción a ${isolate(merchant)}.`,
    unreported: () =>
      "No pague otra vez. El servicio todavía no ha sido informado: inténtelo de nuevo.",
    unsignedLate: (merchant) =>
      `Con esto no se pagó a ${isolate(merchant)}, y su billetera no ha firmado que fue usted. Firme para que el servicio lo sepa y el dinero pueda devolverse. Si no puede, muestre esta transacción a ${isolate(merchant)}.`,
    unreportedLate: (merchant) =>
      `Con esto no se pagó a ${isolate(merchant)}, y el servicio todavía no ha sido informado. Recargue esta página para que lo sepa y el dinero pueda devolverse.`,
    reported: (merchant) =>
      `Con esto no se pagó a ${isolate(merchant)}. El servicio ya lo sabe. Si la red ejecutó la transacción, pida a ${isolate(merchant)} la devolución y muéstrele esta transacción.`,
  },
  mayBeSentLate: (merchant) =>
    `Su billetera debía enviar este pago y no ha dicho si lo hizo. Mire en ella: si todavía pregunta, rechace. Si lo envió, pida a ${isolate(merchant)} la devolución e indique el hash.`,
  signIn: (wallet) => `Firmar en ${isolate(wallet)}`,
  refused: {
    title: "Esta billetera no puede pagar aquí",
    text: "Ninguna de sus cuentas se puede usar para pagar aquí.",
  },
  transaction: "Transacción",
  copyHash: "Copiar hash",
  hashCopied: "Hash copiado",
  seeTransaction: "Ver transacción",
  print: "Imprimir recibo",
  download: "Descargar recibo",
  receipt: "Recibo",
  issued: "Emitido",
  help: (merchant) => `¿Preguntas? Contacte con ${isolate(merchant)}`,
  helpPage: "Página de ayuda",
  backTo: (merchant) => `Volver a ${isolate(merchant)}`,
  leavingIn: (seconds) =>
    seconds === 1 ? "Volverá en 1 segundo" : `Volverá en ${seconds} segundos`,
  stay: "Quedarse aquí",
  leave: {
    title: "¿Cerrar la página de pago?",
    text: "Es posible que su pago esté en camino. Quédese aquí hasta que esta página indique que ha llegado.",
  },
  closeAnyway: "Cerrar de todos modos",
  ownTab: {
    title: "Abrir en una pestaña nueva",
    text: "¿Falta su cartera? Algunas carteras necesitan una pestaña propia.",
  },

  halted: {
    rejected: "Rechazado en la billetera",
    wallet: "Revise su billetera",
    offline: "Sin conexión",
    service: "Servicio no disponible",
    other: "El pago se ha detenido",
  },
  tryAgain: "Intentar de nuevo",
  reload: "Recargar",
  rejected: "Rechazó este paso en su billetera, así que no se realizó. Continúe cuando quiera.",
  pending: "Su billetera espera una respuesta. Responda en ella e inténtelo de nuevo.",
  wrongNetwork: (network) =>
    `Su billetera no cambió a ${isolate(network)}. Añada o elija esa red en la billetera e inténtelo de nuevo.`,
  noAccount: "La billetera no compartió ninguna cuenta. Desbloquéela e inténtelo de nuevo.",
  otherAccount:
    "La billetera compartió otra cuenta. Elija en ella la que envió este pago e inténtelo de nuevo.",
  walletFailed:
    "La billetera no respondió bien. Ábrala, compruebe si envió algo e inténtelo de nuevo.",
  disconnected:
    "Se ha cerrado la conexión con su billetera. Ábrala, compruebe si envió algo e inténtelo de nuevo.",
  offline:
    "Se ha perdido la conexión. Lo que su billetera ha hecho hasta ahora se conserva en esta página.",
  stale: "Esta página lleva mucho tiempo abierta. Recárguela para continuar.",
  unsafe:
    "El servicio pidió algo que esta página no permite, así que no se preguntó a su billetera.",
  service: "El servicio no pudo hacerlo ahora. Inténtelo de nuevo.",
  optionExpired: "Esa oferta ha caducado. Estas son las ofertas actuales.",
  formClosed: "El formulario se cerró antes de enviarse.",
  mayBeSent:
    "Su billetera debía enviar este pago y no ha dicho si lo hizo. Mire primero en ella: si lo envió, no pague otra vez e indique el hash al comercio. Si no, elija la billetera para continuar.",
  sent: "Ha enviado este pago.",
  unsigned: "Ha enviado este pago y su billetera no lo ha firmado.",
  sentLate:
    "La oferta caducó antes de que el servicio supiera de su envío, así que no cuenta. No pague otra vez sin preguntar antes al comercio.",
  goOn: "Ya empezó a pagar. Elija la misma billetera para continuar donde lo dejó.",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "Nombre completo",
    dob: "Fecha de nacimiento",
    pobCountry: "País de nacimiento",
    pobAddress: "Lugar de nacimiento",
    porCountry: "País de residencia",
    porAddress: "Dirección de residencia",
    tosConfirmed: "Acepto las condiciones y la política de privacidad",
  },
  title: "Sus datos",
  lead: (merchant) => `Su pago a ${isolate(merchant)} necesita algunos datos sobre usted.`,
  test: "PRUEBA · sin dinero real",
  oneOfThese: "Basta con una de estas opciones",
  chooseCountry: "Elija un país",
  terms: "Condiciones",
  privacy: "Política de privacidad",
  toRead: "Léalo antes de aceptar",
  newWindow: "se abre en una ventana nueva",
  send: "Aceptar y enviar",
  sending: "Enviando…",
  problems: (count) => (count === 1 ? "1 dato por corregir" : `${count} datos por corregir`),

  missing: (name) => `${name}: falta este dato.`,
  notAccepted: "No se envía nada hasta que acepte las condiciones y la política de privacidad.",
  tooShort: (name, min) => `${name}: al menos ${min} caracteres.`,
  tooLong: (name, max) => `${name}: como máximo ${max} caracteres.`,
  notADate: (name) => `${name}: indique una fecha completa.`,
  malformed: (name) => `${name}: este dato no parece correcto.`,
  refused: (name) => `${name}: este dato no se aceptó.`,

  notSent: "Sus datos no se guardaron. Compruebe su conexión y envíelos de nuevo.",
  doneTitle: "Gracias",
  done: "Sus datos están guardados. Vuelva a su billetera para terminar el pago.",
  closedTitle: "Ya no se necesitan datos",
  closed: (status) =>
    ({
      requires_action: "Este pago no necesita datos ahora.",
      processing: "El pago ya está en camino.",
      succeeded: "El pago ya está hecho.",
      failed: "El pago ha fallado.",
      expired: "El pago ha caducado. Pida uno nuevo al comercio.",
      cancelled: "El pago se ha cancelado.",
    })[status],
  absentTitle: "Esta página no se puede usar",
  absent: "El enlace es incorrecto o demasiado antiguo. Vuelva a su billetera y empiece de nuevo.",
})

export const plain = (): PlainMessages => ({
  notFound: {
    title: "Página no encontrada",
    text: "No hay nada en esta dirección. Si quería pagar, compruebe que el enlace de pago está completo o pida uno nuevo.",
  },
  needsScript:
    "Esta página necesita JavaScript, que este navegador no ejecuta. Para pagar, abra este enlace en una aplicación de billetera o en un navegador con JavaScript.",
  payBy: (time) => `Pague antes de ${time}`,
})
