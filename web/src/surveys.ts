// Surveys of the local model that this server collects, for those who run them.
import { call, type SurveyFacts } from './api';
import { h, table } from './dom';

export async function surveysPage(): Promise<HTMLElement> {
  const { surveys } = await call<{ surveys: SurveyFacts[] }>('GET', '/api/v1/surveys');
  return h('section', { class: 'card' },
    h('p', {}, 'In these surveys nobody is trusted: every answer is blurred on the device of the person who gives it, and this server never sees a true one. Whoever has the link may answer.'),
    surveys.length === 0 ? h('p', { class: 'soft' }, 'None. The owner starts the server with --survey FILE to collect one.') :
      table('Surveys', ['survey', 'reports', 'page'], surveys.map((s) =>
        [s.name, String(s.reports), h('a', { href: `/survey.html?id=${encodeURIComponent(s.id)}` }, 'Answer, or watch the estimate')]), [1]));
}
