/**
 * French.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `Payer ${isolate(merchant)}`,
  test: "TEST · argent fictif",
  reference: "Référence",
  amount: "Montant",
  recipient: "À",
  moreItems: (count) => (count === 1 ? "1 autre article" : `${count} autres articles`),
  paying: "Vous payez",
  secondsLeft: (clock) => `encore ${clock}`,
  minuteLeft: "Il reste une minute pour payer.",
  terms: "Conditions",
  privacy: "Confidentialité",
  newWindow: "s’ouvre dans une nouvelle fenêtre",

  scan: {
    title: "Scanner pour payer",
    text: "Scannez ce code avec l’appareil photo de votre téléphone ou avec une application de portefeuille.",
  },
  qrCode: (merchant) => `Code QR du lien de paiement à ${isolate(merchant)}`,
  inWalletApp: "Payer dans l’appli de votre portefeuille",
  walletAppLink:
    "Ouvre ce paiement dans l’appli. L’éditeur de l’appli peut voir le lien de paiement.",
  otherWalletApp: "Une autre appli de portefeuille",
  otherDevice: "Payer depuis un autre appareil",
  otherWallet: "Utiliser un autre portefeuille",
  copyLink: "Copier le lien",
  copied: "Lien copié",
  copyFailed: "La copie a échoué.",
  inThisBrowser: "Payer avec un portefeuille de ce navigateur",
  namelessWallet: "Portefeuille du navigateur",
  or: "ou scanner",
  anyWallet: "Cette page affiche le résultat dès que vous avez payé.",
  onAnotherDevice: "Connectez un portefeuille sur votre téléphone ou un autre appareil",
  pairing: {
    title: "Connectez votre portefeuille",
    text: "Scannez le code avec votre application de portefeuille, puis autorisez-y la connexion.",
  },

  connecting: (wallet) => ({
    title: `Connecter ${isolate(wallet)}`,
    text: `Autorisez cette page à voir vos comptes dans ${isolate(wallet)}.`,
  }),
  preparing: { title: "Un instant", text: "Nous cherchons comment vous pouvez payer." },
  choose: (wallet) => ({
    title: "Choisissez comment payer",
    text: `Vos comptes dans ${isolate(wallet)} permettent de payer ainsi.`,
  }),
  onNetwork: (network) => `sur ${isolate(network)}`,
  recommended: "Recommandé",
  filter: "Chercher un jeton ou un réseau",
  noMatch: "Aucun moyen de paiement ne porte ce nom.",
  ways: (count) => (count === 1 ? "1 moyen de paiement" : `${count} moyens de paiement`),
  aboutSeconds: (seconds) => `environ ${seconds}\u00a0s`,
  aboutMinutes: (minutes) => `environ ${minutes}\u00a0min`,
  networkFee: {
    none: "sans frais de réseau",
    maybe: "frais de réseau possibles",
    some: "plus des frais de réseau",
  },
  networkFeeAbout: (amount) => `frais de réseau d’environ ${amount}`,
  networkFeeBelow: (amount) => `frais de réseau inférieurs à ${amount}`,
  balance: (amount) => `Solde\u00a0: ${amount}`,
  steps: (least, most) => (least < most ? `${least} ou ${most} étapes` : `${most} étapes`),
  needsData: "après un court formulaire",
  form: {
    title: "Vos informations",
    text: "Ce paiement nécessite quelques informations sur vous.",
  },
  close: "Fermer",
  otherWay: "Payer autrement",

  step: (step, steps) => `Étape ${step} sur ${steps}`,
  sign: (wallet) => ({
    title: `Signez dans ${isolate(wallet)}`,
    text: `Ouvrez ${isolate(wallet)} et signez le paiement. La signature ne coûte pas de frais de réseau.`,
  }),
  allow: (wallet, amount) => ({
    title: `Autorisez dans ${isolate(wallet)}`,
    text: `Ouvrez ${isolate(wallet)} et autorisez l’utilisation de ${isolate(amount)} au plus pour ce paiement. Cette étape ne paie encore rien. Elle coûte des frais de réseau.`,
  }),
  send: (wallet) => ({
    title: `Envoyez dans ${isolate(wallet)}`,
    text: `Ouvrez ${isolate(wallet)} et envoyez le paiement. Cela coûte des frais de réseau.`,
  }),
  confirming: {
    title: "Envoi de votre paiement",
    text: "Gardez cette page ouverte encore un instant.",
  },
  processing: {
    title: "Paiement en cours",
    text: "Le réseau le confirme, en général en moins d’une minute. Vous pouvez quitter cette page : le paiement continue.",
  },
  confirmations: "Confirmations du réseau",
  blocks: (confirmed, needed) => `${confirmed} ${confirmed < 2 ? "bloc" : "blocs"} sur ${needed}`,

  cancel: "Annuler le paiement",
  cancelling: (merchant) => ({
    title: "Annuler ce paiement\u00a0?",
    text: `Ce lien ne permettra plus de payer ${isolate(merchant)}.`,
  }),
  keep: "Garder le paiement",

  noFit: (wallet) => ({
    title: "Ce portefeuille ne peut pas payer maintenant",
    text: `Aucun compte partagé par ${isolate(wallet)} ne contient assez d’un jeton accepté en ce moment.`,
  }),
  wouldDo: "Un seul de ces montants suffit",
  checkAgain: "Vérifier à nouveau",

  succeeded: (merchant) => ({
    title: "Payé",
    text: `${isolate(merchant)} a reçu votre paiement. Merci.`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "Le paiement a échoué",
      text: `Le paiement n’a pas pu aboutir. Demandez un nouveau lien de paiement à ${isolate(merchant)}.`,
    }),
    declined: () => ({
      title: "Paiement refusé",
      text: "Ce compte ne peut pas être utilisé pour payer ici.",
    }),
    expired: (merchant) => ({
      title: "Le délai est écoulé",
      text: `Le paiement n’a pas été fait à temps. Demandez un nouveau lien de paiement à ${isolate(merchant)}.`,
    }),
    cancelled: (merchant) => ({
      title: "Paiement annulé",
      text: `Ce paiement a été annulé. Ce lien ne permet plus de payer ${isolate(merchant)}.`,
    }),
  },
  ifSent: (merchant) =>
    `Si de l’argent a tout de même quitté votre compte pour ce paiement, demandez son remboursement à ${isolate(merchant)} et indiquez le hash de la transaction.`,
  whatYouSent: "Ce que vous avez envoyé",
  money: {
    unsigned: (merchant) =>
      `Ne payez pas une deuxième fois. Votre portefeuille doit encore signer que c’était vous : continuez avec le même portefeuille et le même compte. Si c’est impossible, montrez cette transaction à ${isolate(merchant)}.`,
    unreported: () =>
      "Ne payez pas une deuxième fois. Le service n’en est pas encore informé : réessayez.",
    unsignedLate: (merchant) =>
      `Cela n’a pas payé ${isolate(merchant)}, et votre portefeuille n’a pas signé que c’était vous. Signez, pour que le service en soit informé et que l’argent puisse vous être renvoyé. Si c’est impossible, montrez cette transaction à ${isolate(merchant)}.`,
    unreportedLate: (merchant) =>
      `Cela n’a pas payé ${isolate(merchant)}, et le service n’en est pas encore informé. Rechargez cette page, pour qu’il le soit et que l’argent puisse vous être renvoyé.`,
    reported: (merchant) =>
      `Cela n’a pas payé ${isolate(merchant)}. Le service en est informé. Si le réseau a exécuté la transaction, demandez le remboursement à ${isolate(merchant)} et montrez-lui cette transaction.`,
  },
  mayBeSentLate: (merchant) =>
    `Votre portefeuille devait envoyer ce paiement et n’a pas dit s’il l’a fait. Vérifiez-y : s’il attend encore votre réponse, refusez. Si le paiement est parti, demandez son remboursement à ${isolate(merchant)} et indiquez le hash.`,
  signIn: (wallet) => `Signer dans ${isolate(wallet)}`,
  refused: {
    title: "Ce portefeuille ne peut pas payer ici",
    text: "Aucun de ses comptes ne peut être utilisé pour payer ici.",
  },
  transaction: "Transaction",
  copyHash: "Copier le hash",
  hashCopied: "Hash copié",
  seeTransaction: "Voir la transaction",
  print: "Imprimer le reçu",
  download: "Télécharger le reçu",
  receipt: "Reçu",
  issued: "Établi le",
  help: (merchant) => `Des questions\u00a0? Contactez ${isolate(merchant)}`,
  helpPage: "Page d’aide",
  backTo: (merchant) => `Retour à ${isolate(merchant)}`,
  leavingIn: (seconds) =>
    seconds === 1 ? "Retour dans 1 seconde" : `Retour dans ${seconds} secondes`,
  stay: "Rester ici",
  leave: {
    title: "Fermer la page de paiement ?",
    text: "Votre paiement est peut-être en cours. Restez ici jusqu’à ce que cette page indique qu’il est arrivé.",
  },
  closeAnyway: "Fermer quand même",
  ownTab: {
    title: "Ouvrir dans un nouvel onglet",
    text: "Votre portefeuille n’apparaît pas ? Certains portefeuilles ont besoin de leur propre onglet.",
  },

  halted: {
    rejected: "Refusé dans le portefeuille",
    wallet: "Vérifiez votre portefeuille",
    offline: "Pas de connexion",
    service: "Service indisponible",
    other: "Le paiement est interrompu",
  },
  tryAgain: "Réessayer",
  reload: "Recharger",
  rejected:
    "Vous avez refusé dans votre portefeuille, donc cette étape n’a pas eu lieu. Continuez quand vous voulez.",
  pending: "Votre portefeuille attend une réponse. Répondez-y, puis réessayez.",
  wrongNetwork: (network) =>
    `Votre portefeuille n’est pas passé sur ${isolate(network)}. Ajoutez ou choisissez ce réseau dans le portefeuille, puis réessayez.`,
  noAccount: "Le portefeuille n’a partagé aucun compte. Déverrouillez-le, puis réessayez.",
  otherAccount:
    "Le portefeuille a partagé un autre compte. Choisissez-y celui qui a envoyé ce paiement, puis réessayez.",
  walletFailed:
    "Le portefeuille n’a pas réagi correctement. Ouvrez-le, vérifiez s’il a envoyé quelque chose, puis réessayez.",
  disconnected:
    "La connexion à votre portefeuille est terminée. Ouvrez-le, vérifiez s’il a envoyé quelque chose, puis réessayez.",
  offline:
    "La connexion est coupée. Ce que votre portefeuille a déjà fait est conservé sur cette page.",
  stale: "Cette page est ouverte depuis longtemps. Rechargez-la pour continuer.",
  unsafe:
    "Le service a demandé quelque chose que cette page n’autorise pas. Votre portefeuille n’a donc pas été sollicité.",
  service: "Le service n’a pas pu le faire pour le moment. Réessayez.",
  optionExpired: "Cette offre a expiré. Voici les offres actuelles.",
  formClosed: "Le formulaire a été fermé avant d’être envoyé.",
  mayBeSent:
    "Votre portefeuille devait envoyer ce paiement et n’a pas dit s’il l’a fait. Vérifiez-y d’abord : si le paiement est parti, ne payez pas une deuxième fois et indiquez son hash au marchand. Sinon, choisissez le portefeuille pour continuer.",
  sent: "Vous avez envoyé ce paiement.",
  unsigned: "Vous avez envoyé ce paiement, et votre portefeuille ne l’a pas signé.",
  sentLate:
    "L’offre a expiré avant que le service ne soit informé de votre envoi, qui ne compte donc pas. Ne payez pas une deuxième fois avant d’avoir demandé au marchand.",
  goOn: "Vous avez commencé à payer. Choisissez le même portefeuille pour reprendre.",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "Nom complet",
    dob: "Date de naissance",
    pobCountry: "Pays de naissance",
    pobAddress: "Lieu de naissance",
    porCountry: "Pays de résidence",
    porAddress: "Adresse de résidence",
    tosConfirmed: "J’accepte les conditions et la politique de confidentialité",
  },
  title: "Vos informations",
  lead: (merchant) =>
    `Votre paiement à ${isolate(merchant)} nécessite quelques informations sur vous.`,
  test: "TEST · argent fictif",
  oneOfThese: "Une seule de ces réponses suffit",
  chooseCountry: "Choisissez un pays",
  terms: "Conditions",
  privacy: "Politique de confidentialité",
  toRead: "À lire avant d’accepter",
  newWindow: "s’ouvre dans une nouvelle fenêtre",
  send: "Accepter et envoyer",
  sending: "Envoi…",
  problems: (count) => (count === 1 ? "1 point à corriger" : `${count} points à corriger`),

  missing: (name) => `${name} : cette information manque.`,
  notAccepted:
    "Rien n’est envoyé avant que vous acceptiez les conditions et la politique de confidentialité.",
  tooShort: (name, min) => `${name} : au moins ${min} caractères.`,
  tooLong: (name, max) => `${name} : au plus ${max} caractères.`,
  notADate: (name) => `${name} : indiquez une date complète.`,
  malformed: (name) => `${name} : cette information semble incorrecte.`,
  refused: (name) => `${name} : cette information n’a pas été acceptée.`,

  notSent:
    "Vos informations n’ont pas été enregistrées. Vérifiez votre connexion et envoyez-les à nouveau.",
  doneTitle: "Merci",
  done: "Vos informations sont enregistrées. Retournez à votre portefeuille pour terminer le paiement.",
  closedTitle: "Plus aucune information n’est nécessaire",
  closed: (status) =>
    ({
      requires_action: "Ce paiement n’a besoin d’aucune information pour le moment.",
      processing: "Le paiement est déjà en cours.",
      succeeded: "Le paiement est déjà fait.",
      failed: "Le paiement a échoué.",
      expired: "Le paiement a expiré. Demandez-en un nouveau au marchand.",
      cancelled: "Le paiement a été annulé.",
    })[status],
  absentTitle: "Cette page ne peut pas être utilisée",
  absent: "Son lien est incorrect ou trop ancien. Retournez à votre portefeuille et recommencez.",
})

export const plain = (): PlainMessages => ({
  notFound: {
    title: "Page introuvable",
    text: "Il n’y a rien à cette adresse. Si vous vouliez payer, vérifiez que le lien de paiement est complet, ou demandez-en un nouveau.",
  },
  needsScript:
    "Cette page a besoin de JavaScript, que ce navigateur n’exécute pas. Pour payer, ouvrez ce lien dans une application de portefeuille, ou dans un navigateur avec JavaScript.",
  payBy: (time) => `À payer avant le ${time}`,
})
