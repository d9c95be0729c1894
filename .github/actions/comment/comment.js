// Makes or updates the one comment of a pull request. Both files come from a run that the pull request controls, so neither
// is believed: the number must be that of an open pull request with the commit that was measured, and the text is cut.
const fs = require('fs');

const mark = '<!-- cache-trials -->';
// GitHub takes no longer comments.
const longest = 65536;

module.exports = async ({ github, context, core, folder }) => {
  const read = (name) => fs.readFileSync(`${folder}/${name}`, 'utf8');
  const number = Number.parseInt(read('number.txt').trim(), 10);
  if (!Number.isSafeInteger(number) || number <= 0) return core.info('no number of a pull request: nothing to comment on');

  const measured = context.payload.workflow_run.head_sha;
  const { data: pull } = await github.rest.pulls.get({ ...context.repo, pull_number: number });
  if (pull.state !== 'open' || pull.head.sha !== measured) {
    return core.info(`pull request ${number} is closed, or has another commit than ${measured}`);
  }

  let body = `${mark}\n${read('comment.md')}\nOf ${measured}.\n`;
  if (body.length > longest) body = body.slice(0, longest - 20) + '\n…';
  const comments = await github.paginate(github.rest.issues.listComments, { ...context.repo, issue_number: number });
  const own = comments.find((one) => one.user?.type === 'Bot' && one.body?.startsWith(mark));
  if (own) {
    await github.rest.issues.updateComment({ ...context.repo, comment_id: own.id, body });
  } else {
    await github.rest.issues.createComment({ ...context.repo, issue_number: number, body });
  }
};
