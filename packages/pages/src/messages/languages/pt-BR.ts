/**
 * Portuguese, as in Brazil.
 *
 * @module
 */
import type { CheckoutMessages } from "../CheckoutMessages.ts"
import type { CollectMessages } from "../CollectMessages.ts"
import type { Isolate } from "../Messages.ts"
import type { PlainMessages } from "../PlainMessages.ts"

export const checkout = (isolate: Isolate): CheckoutMessages => ({
  payTo: (merchant) => `Pagar ${isolate(merchant)}`,
  test: "TESTE · sem dinheiro real",
  reference: "Referência",
  amount: "Valor",
  recipient: "Para",
  moreItems: (count) => (count === 1 ? "Mais 1 item" : `Mais ${count} itens`),
  paying: "Você paga",
  secondsLeft: (clock) => `restam ${clock}`,
  minuteLeft: "Resta um minuto para pagar.",
  terms: "Termos",
  privacy: "Privacidade",
  newWindow: "abre em uma nova janela",

  scan: {
    title: "Escanear para pagar",
    text: "Escaneie este código com a câmera do seu celular ou com um aplicativo de carteira.",
  },
  qrCode: (merchant) => `Código QR do link para pagar ${isolate(merchant)}`,
  inWalletApp: "Pague no app da sua carteira",
  walletAppLink: "Abre este pagamento no app. O fabricante do app pode ver o link de pagamento.",
  otherWalletApp: "Outro app de carteira",
  otherDevice: "Pagar em outro dispositivo",
  otherWallet: "Usar outra carteira",
  copyLink: "Copiar link",
  copied: "Link copiado",
  copyFailed: "Não foi possível copiar.",
  inThisBrowser: "Pagar com uma carteira deste navegador",
  namelessWallet: "Carteira do navegador",
  or: "ou escaneie",
  anyWallet: "Esta página mostra o resultado assim que você pagar.",
  onAnotherDevice: "Conecte uma carteira no celular ou em outro dispositivo",
  pairing: {
    title: "Conecte sua carteira",
    text: "Escaneie o código com o aplicativo da sua carteira e permita a conexão nele.",
  },

  connecting: (wallet) => ({
    title: `Conectar ${isolate(wallet)}`,
    text: `Permita que esta página veja suas contas em ${isolate(wallet)}.`,
  }),
  preparing: { title: "Um momento", text: "Estamos verificando como você pode pagar." },
  choose: (wallet) => ({
    title: "Escolha como pagar",
    text: `Com suas contas em ${isolate(wallet)} você pode pagar assim.`,
  }),
  onNetwork: (network) => `na rede ${isolate(network)}`,
  recommended: "Recomendado",
  filter: "Buscar um token ou uma rede",
  noMatch: "Nenhuma forma de pagamento tem esse nome.",
  ways: (count) => (count === 1 ? "1 forma de pagamento" : `${count} formas de pagamento`),
  aboutSeconds: (seconds) => `cerca de ${seconds}\u00a0s`,
  aboutMinutes: (minutes) => `cerca de ${minutes}\u00a0min`,
  networkFee: {
    none: "sem taxa de rede",
    maybe: "pode haver taxa de rede",
    some: "mais uma taxa de rede",
  },
  networkFeeAbout: (amount) => `taxa de rede de cerca de ${amount}`,
  networkFeeBelow: (amount) => `taxa de rede inferior a ${amount}`,
  balance: (amount) => `Saldo: ${amount}`,
  steps: (least, most) => (least < most ? `${least} ou ${most} etapas` : `${most} etapas`),
  needsData: "antes, um formulário curto",
  form: { title: "Seus dados", text: "Este pagamento precisa de alguns dados sobre você." },
  close: "Fechar",
  otherWay: "Pagar de outra forma",

  step: (step, steps) => `Etapa ${step} de ${steps}`,
  sign: (wallet) => ({
    title: `Assine em ${isolate(wallet)}`,
    text: `Abra ${isolate(wallet)} e assine o pagamento. Assinar não custa taxa de rede.`,
  }),
  allow: (wallet, amount) => ({
    title: `Autorize em ${isolate(wallet)}`,
    text: `Abra ${isolate(wallet)} e autorize o uso de até ${isolate(amount)} para este pagamento. Esta etapa ainda não paga nada. Ela custa uma taxa de rede.`,
  }),
  send: (wallet) => ({
    title: `Envie em ${isolate(wallet)}`,
    text: `Abra ${isolate(wallet)} e envie o pagamento. Isso custa uma taxa de rede.`,
  }),
  confirming: {
    title: "Enviando seu pagamento",
    text: "Deixe esta página aberta mais um momento.",
  },
  processing: {
    title: "Pagamento a caminho",
    text: "A rede está confirmando, em geral em menos de um minuto. Você pode sair desta página: o pagamento continua.",
  },
  confirmations: "Confirmações",
  blocks: (confirmed, needed) =>
    needed === 1 ? `${confirmed} de 1 bloco` : `${confirmed} de ${needed} blocos`,

  cancel: "Cancelar pagamento",
  cancelling: (merchant) => ({
    title: "Cancelar este pagamento?",
    text: `Depois disso, não será mais possível pagar ${isolate(merchant)} com este link.`,
  }),
  keep: "Manter pagamento",

  noFit: (wallet) => ({
    title: "Esta carteira não pode pagar agora",
    text: `Nenhuma conta que ${isolate(wallet)} compartilhou tem o suficiente de um token aceito agora.`,
  }),
  wouldDo: "Basta um destes valores",
  checkAgain: "Verificar de novo",

  succeeded: (merchant) => ({
    title: "Pago",
    text: `${isolate(merchant)} recebeu seu pagamento. Obrigado.`,
  }),
  unpaid: {
    failed: (merchant) => ({
      title: "O pagamento falhou",
      text: `Não foi possível concluir o pagamento. Peça a ${isolate(merchant)} um novo link de pagamento.`,
    }),
    declined: () => ({
      title: "Pagamento recusado",
      text: "Esta conta não pode ser usada para pagar aqui.",
    }),
    expired: (merchant) => ({
      title: "O tempo acabou",
      text: `O pagamento não foi feito a tempo. Peça a ${isolate(merchant)} um novo link de pagamento.`,
    }),
    cancelled: (merchant) => ({
      title: "Pagamento cancelado",
      text: `Este pagamento foi cancelado. Com este link não é mais possível pagar ${isolate(merchant)}.`,
    }),
  },
  ifSent: (merchant) =>
    `Se mesmo assim saiu dinheiro da sua conta por este pagamento, peça a devolução a ${isolate(merchant)} e informe o hash da transação.`,
  whatYouSent: "O que você enviou",
  money: {
    unsigned: (merchant) =>
      `Não pague de novo. Sua carteira ainda precisa assinar que foi você: continue com a mesma carteira e a mesma conta. Se não puder, mostre esta transação a ${isolate(merchant)}.`,
    unreported: () => "Não pague de novo. O serviço ainda não foi informado: tente de novo.",
    unsignedLate: (merchant) =>
      `Isto não pagou ${isolate(merchant)}, e sua carteira não assinou que foi você. Assine, para que o serviço saiba e o dinheiro possa ser devolvido. Se não puder, mostre esta transação a ${isolate(merchant)}.`,
    unreportedLate: (merchant) =>
      `Isto não pagou ${isolate(merchant)}, e o serviço ainda não foi informado. Recarregue esta página, para que ele saiba e o dinheiro possa ser devolvido.`,
    reported: (merchant) =>
      `Isto não pagou ${isolate(merchant)}. O serviço já foi informado. Se a rede executou a transação, peça a devolução a ${isolate(merchant)} e mostre esta transação.`,
  },
  mayBeSentLate: (merchant) =>
    `Sua carteira devia enviar este pagamento e não disse se enviou. Verifique nela: se ainda pergunta, recuse. Se enviou, peça a devolução a ${isolate(merchant)} e informe o hash.`,
  signIn: (wallet) => `Assinar em ${isolate(wallet)}`,
  refused: {
    title: "Esta carteira não pode pagar aqui",
    text: "Nenhuma de suas contas pode ser usada para pagar aqui.",
  },
  transaction: "Transação",
  copyHash: "Copiar hash",
  hashCopied: "Hash copiado",
  seeTransaction: "Ver transação",
  print: "Imprimir recibo",
  download: "Baixar recibo",
  receipt: "Recibo",
  issued: "Emitido em",
  help: (merchant) => `Dúvidas? Fale com ${isolate(merchant)}`,
  helpPage: "Página de ajuda",
  backTo: (merchant) => `Voltar para ${isolate(merchant)}`,
  leavingIn: (seconds) =>
    seconds === 1 ? "Voltando em 1 segundo" : `Voltando em ${seconds} segundos`,
  stay: "Ficar aqui",
  leave: {
    title: "Fechar a página de pagamento?",
    text: "Seu pagamento pode estar a caminho. Fique aqui até esta página mostrar que ele chegou.",
  },
  closeAnyway: "Fechar mesmo assim",
  ownTab: {
    title: "Abrir em uma nova aba",
    text: "Sua carteira não aparece? Algumas carteiras precisam de uma aba própria.",
  },

  halted: {
    rejected: "Recusado na carteira",
    wallet: "Verifique sua carteira",
    offline: "Sem conexão",
    service: "Serviço indisponível",
    other: "O pagamento parou",
  },
  tryAgain: "Tentar de novo",
  reload: "Recarregar",
  rejected: "Você recusou esta etapa na carteira, então ela não foi feita. Continue quando quiser.",
  pending: "Sua carteira espera uma resposta. Responda nela e tente de novo.",
  wrongNetwork: (network) =>
    `Sua carteira não mudou para ${isolate(network)}. Adicione ou escolha essa rede na carteira e tente de novo.`,
  noAccount: "A carteira não compartilhou nenhuma conta. Desbloqueie-a e tente de novo.",
  otherAccount:
    "A carteira compartilhou outra conta. Escolha nela a que enviou este pagamento e tente de novo.",
  walletFailed:
    "A carteira não respondeu como devia. Abra-a, veja se ela enviou algo e tente de novo.",
  disconnected:
    "A conexão com sua carteira terminou. Abra-a, veja se ela enviou algo e tente de novo.",
  offline: "A conexão caiu. O que sua carteira já fez fica guardado nesta página.",
  stale: "Esta página está aberta há muito tempo. Recarregue-a para continuar.",
  unsafe:
    "O serviço pediu algo que esta página não permite, então sua carteira não foi consultada.",
  service: "O serviço não conseguiu fazer isso agora. Tente de novo.",
  optionExpired: "Essa oferta expirou. Estas são as ofertas atuais.",
  formClosed: "O formulário foi fechado antes de ser enviado.",
  mayBeSent:
    "Sua carteira devia enviar este pagamento e não disse se enviou. Verifique nela primeiro: se enviou, não pague de novo e informe o hash ao comerciante. Se não, escolha a carteira para continuar.",
  sent: "Você enviou este pagamento.",
  unsigned: "Você enviou este pagamento, e sua carteira não o assinou.",
  sentLate:
    "A oferta expirou antes de o serviço saber do seu envio, por isso ele não conta. Não pague de novo antes de perguntar ao comerciante.",
  goOn: "Você já começou a pagar. Escolha a mesma carteira para continuar de onde parou.",
})

export const collect = (isolate: Isolate): CollectMessages => ({
  fields: {
    fullName: "Nome completo",
    dob: "Data de nascimento",
    pobCountry: "País de nascimento",
    pobAddress: "Local de nascimento",
    porCountry: "País de residência",
    porAddress: "Endereço de residência",
    tosConfirmed: "Aceito os termos e a política de privacidade",
  },
  title: "Seus dados",
  lead: (merchant) => `Seu pagamento para ${isolate(merchant)} precisa de alguns dados sobre você.`,
  test: "TESTE · sem dinheiro real",
  oneOfThese: "Basta uma destas opções",
  chooseCountry: "Escolha um país",
  terms: "Termos",
  privacy: "Política de privacidade",
  toRead: "Leia antes de aceitar",
  newWindow: "abre em uma nova janela",
  send: "Aceitar e enviar",
  sending: "Enviando…",
  problems: (count) => (count === 1 ? "1 item a corrigir" : `${count} itens a corrigir`),

  missing: (name) => `${name}: falta esta informação.`,
  notAccepted: "Nada é enviado antes de você aceitar os termos e a política de privacidade.",
  tooShort: (name, min) => `${name}: pelo menos ${min} caracteres.`,
  tooLong: (name, max) => `${name}: no máximo ${max} caracteres.`,
  notADate: (name) => `${name}: informe uma data completa.`,
  malformed: (name) => `${name}: esta informação não parece correta.`,
  refused: (name) => `${name}: esta informação não foi aceita.`,

  notSent: "Seus dados não foram salvos. Verifique sua conexão e envie de novo.",
  doneTitle: "Obrigado",
  done: "Seus dados foram salvos. Volte para sua carteira para concluir o pagamento.",
  closedTitle: "Nenhum dado é mais necessário",
  closed: (status) =>
    ({
      requires_action: "Este pagamento não precisa de dados agora.",
      processing: "O pagamento já está a caminho.",
      succeeded: "O pagamento já foi feito.",
      failed: "O pagamento falhou.",
      expired: "O pagamento expirou. Peça um novo ao comerciante.",
      cancelled: "O pagamento foi cancelado.",
    })[status],
  absentTitle: "Esta página não pode ser usada",
  absent: "O link está errado ou é antigo demais. Volte para sua carteira e comece de novo.",
})

export const plain = (): PlainMessages => ({
  notFound: {
    title: "Página não encontrada",
    text: "Não há nada neste endereço. Se você queria pagar, verifique se o link de pagamento está completo ou peça um novo.",
  },
  needsScript:
    "Esta página precisa de JavaScript, que este navegador não executa. Para pagar, abra este link em um aplicativo de carteira ou em um navegador com JavaScript.",
  payBy: (time) => `Pague até ${time}`,
})
