import { limits } from '@posthorn/domain/limits';
import { formatCount } from '@posthorn/platform/values';
import type { Section } from './section.js';

export const trackingSection: Section = {
  id: 'tracking',
  title: 'Opens and clicks',
  blocks: [
    {
      paragraph:
        'A sending domain can record when its emails are opened and when their links are clicked. Both are off until an owner turns them on with `PATCH /api/v1/domains/{id}` and `track_opens` or `track_clicks`, or in the dashboard. They are possible if `tracking_available` is true, that is, if the operator has set them up. Only the HTML part of an email is changed, and only of emails that are accepted from then on. Emails from the platform address record nothing.',
    },
    {
      paragraph:
        '`email.opened` and `email.clicked` are [events](#events): they are in the log, in the history of the email and in webhooks. They never change the status of an email. `data` has `machine`, and for a click the `url`. If the email has more than one recipient, `recipient` is null, because all of them get the same message.',
    },
    {
      list: [
        '**Opens are a guess.** They are counted with an invisible image. Apple Mail loads it for every message, whether or not anybody reads it. Many mail clients do not load it at all. Gmail loads it through a proxy. Use opens to compare, if at all, and never to decide whether somebody has read something.',
        '**Clicks are better, but not proof.** Security scanners follow links, often within seconds. `machine` is true for crawlers, requests without a user agent, images that Apple and Gmail load in advance, and every request within 10 seconds after the email was sent. Some scanners look like browsers, so `machine: false` does not prove that a person did it.',
        '**Ask your lawyer.** In the European Union and elsewhere, recording who opens or clicks needs a legal basis, usually consent. Posthorn stores no IP addresses and no user agents, but the events name the recipient. Do not track password resets, codes and other mail that people must trust.',
      ],
    },
    {
      paragraph:
        'Links and images have a host of the server. If the records of the domain include one of type `CNAME`, you can give them one of yours: publish it, such as `links.acme.example` for `acme.example`. New emails have that host as soon as a check has found the record.',
    },
    {
      paragraph: `Links in \`<a href>\` with \`http\` or \`https\` are replaced by links that lead through the server. To keep one as it is, give it the attribute \`data-no-track\`, as in \`<a href="https://shop.example/reset" data-no-track>\`. Posthorn's own unsubscribe links, \`mailto:\`, \`tel:\` and anchors, links in comments, and links of more than ${formatCount(limits.trackedUrlCharacters.max)} characters are never replaced. If an email has more than ${formatCount(limits.trackedLinks.max)} links to replace, it is sent as it is. The replaced links do not expire.`,
    },
    {
      paragraph: `A repeated open is recorded once in ${limits.openRepeatMinutes.max} minutes, and a repeated click on the same link once in ${limits.clickRepeatSeconds.max} seconds, for people and for machines. An email records at most ${formatCount(limits.trackedEvents.max)} opens and clicks. Test mail records them too.`,
    },
  ],
};
