/** The page is in English unless the browser prefers one of the other languages. */
export const languages = ['en', 'de', 'fr', 'es'] as const;

export type Language = (typeof languages)[number];

/** What the unsubscribe page says. `{sender}`, `{topic}` and `{address}` are replaced. */
const en = {
  title: 'Emails from {sender}',
  forAddress: 'These settings are for {address}.',
  subscribed: 'You are subscribed to “{topic}”.',
  unsubscribed: 'You are not subscribed to “{topic}”.',
  everythingDescription:
    'You can unsubscribe from all topics at once. Emails that everyone gets, such as receipts, still arrive.',
  everythingUnsubscribed: 'You have unsubscribed from all topics.',
  unsubscribe: 'Unsubscribe from “{topic}”',
  unsubscribeFromEverything: 'Unsubscribe from all topics',
  subscribeAgain: 'Subscribe to “{topic}” again',
  subscribeToEverythingAgain: 'Subscribe again',
  didUnsubscribe: 'You have unsubscribed from “{topic}”.',
  didUnsubscribeFromEverything: 'You have unsubscribed from all topics.',
  didSubscribe: 'You have subscribed to “{topic}” again.',
  didSubscribeToEverything: 'You are subscribed again, except to topics that you unsubscribed from one by one.',
  testMail: 'This link is from a test email. It changes nothing.',
  invalidTitle: 'This link does not work',
  invalidText: 'The address of this page is not complete. Open the link in the email again, or copy all of it.',
};

export type Texts = Readonly<Record<keyof typeof en, string>>;

export const texts: Readonly<Record<Language, Texts>> = {
  en,
  de: {
    title: 'E-Mails von {sender}',
    forAddress: 'Diese Einstellungen gelten für {address}.',
    subscribed: 'Sie haben „{topic}“ abonniert.',
    unsubscribed: 'Sie haben „{topic}“ nicht abonniert.',
    everythingDescription:
      'Sie können sich von allen Themen auf einmal abmelden. E-Mails, die alle erhalten, etwa Rechnungen, kommen weiterhin an.',
    everythingUnsubscribed: 'Sie haben sich von allen Themen abgemeldet.',
    unsubscribe: 'Von „{topic}“ abmelden',
    unsubscribeFromEverything: 'Von allen Themen abmelden',
    subscribeAgain: '„{topic}“ wieder erhalten',
    subscribeToEverythingAgain: 'Wieder E-Mails erhalten',
    didUnsubscribe: 'Sie haben sich von „{topic}“ abgemeldet.',
    didUnsubscribeFromEverything: 'Sie haben sich von allen Themen abgemeldet.',
    didSubscribe: 'Sie erhalten „{topic}“ wieder.',
    didSubscribeToEverything:
      'Sie erhalten wieder E-Mails, außer zu Themen, von denen Sie sich einzeln abgemeldet haben.',
    testMail: 'Dieser Link stammt aus einer Test-E-Mail. Er ändert nichts.',
    invalidTitle: 'Dieser Link funktioniert nicht',
    invalidText:
      'Die Adresse dieser Seite ist unvollständig. Öffnen Sie den Link in der E-Mail noch einmal, oder kopieren Sie ihn ganz.',
  },
  fr: {
    title: 'E-mails de {sender}',
    forAddress: 'Ces réglages concernent {address}.',
    subscribed: 'Vous êtes abonné à « {topic} ».',
    unsubscribed: 'Vous n’êtes pas abonné à « {topic} ».',
    everythingDescription:
      'Vous pouvez vous désabonner de tous les sujets à la fois. Les e-mails que tout le monde reçoit, comme les factures, arriveront toujours.',
    everythingUnsubscribed: 'Vous vous êtes désabonné de tous les sujets.',
    unsubscribe: 'Se désabonner de « {topic} »',
    unsubscribeFromEverything: 'Se désabonner de tous les sujets',
    subscribeAgain: 'Se réabonner à « {topic} »',
    subscribeToEverythingAgain: 'Se réabonner',
    didUnsubscribe: 'Vous êtes désabonné de « {topic} ».',
    didUnsubscribeFromEverything: 'Vous êtes désabonné de tous les sujets.',
    didSubscribe: 'Vous êtes de nouveau abonné à « {topic} ».',
    didSubscribeToEverything: 'Vous êtes de nouveau abonné, sauf aux sujets dont vous vous êtes désabonné un par un.',
    testMail: 'Ce lien vient d’un e-mail de test. Il ne change rien.',
    invalidTitle: 'Ce lien ne fonctionne pas',
    invalidText:
      'L’adresse de cette page est incomplète. Ouvrez de nouveau le lien de l’e-mail, ou copiez-le en entier.',
  },
  es: {
    title: 'Correos de {sender}',
    forAddress: 'Estos ajustes son para {address}.',
    subscribed: 'Está suscrito a «{topic}».',
    unsubscribed: 'No está suscrito a «{topic}».',
    everythingDescription:
      'Puede darse de baja de todos los temas a la vez. Los correos que reciben todos, como las facturas, seguirán llegando.',
    everythingUnsubscribed: 'Se ha dado de baja de todos los temas.',
    unsubscribe: 'Darse de baja de «{topic}»',
    unsubscribeFromEverything: 'Darse de baja de todos los temas',
    subscribeAgain: 'Volver a recibir «{topic}»',
    subscribeToEverythingAgain: 'Volver a recibir correos',
    didUnsubscribe: 'Se ha dado de baja de «{topic}».',
    didUnsubscribeFromEverything: 'Se ha dado de baja de todos los temas.',
    didSubscribe: 'Vuelve a recibir «{topic}».',
    didSubscribeToEverything: 'Vuelve a recibir correos, salvo los temas de los que se dio de baja uno a uno.',
    testMail: 'Este enlace es de un correo de prueba. No cambia nada.',
    invalidTitle: 'Este enlace no funciona',
    invalidText: 'La dirección de esta página está incompleta. Abra de nuevo el enlace del correo, o cópielo entero.',
  },
};
