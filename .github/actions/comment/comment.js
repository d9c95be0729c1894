// Makes or updates the one comment of a pull request, where a value changed or something failed; `when: 'always'` in any case. In a
// run of the pull request itself, its number and commit are known. In a later workflow both files come from a run that the pull
// request controls, so neither is believed: the number must be that of an open pull request with the commit that was measured. The
// text is cut. Where the token may not comment, as on a pull request from a fork, the summary of the job has the same text.
const fs = require('fs');

const mark = '<!-- cache-trials -->';
// GitHub takes no longer comments.
const longest = 65536;

const isQuiet = (text) =>
  /^### [^\n]*: 0 worse, 0 better, /.test(text) && !/^(Failed|Not compared):$/m.test(text);

const pullRequest = async ({ github, context, core, read }) => {
  const own = context.payload.pull_request;
  if (own) return { number: own.number, measured: own.head.sha };
  const number = Number.parseInt(read('number.txt').trim(), 10);
  if (!Number.isSafeInteger(number) || number <= 0) {
    core.info('no number of a pull request: nothing to comment on');
    return undefined;
  }
  const measured = context.payload.workflow_run.head_sha;
  const { data: pull } = await github.rest.pulls.get({ ...context.repo, pull_number: number });
  if (pull.state === 'open' && pull.head.sha === measured) return { number, measured };
  core.info(`pull request ${number} is closed, or has another commit than ${measured}`);
  return undefined;
};

const comment = async ({ github, context, core, folder, when }) => {
  if (!fs.existsSync(`${folder}/comment.md`)) return core.info('nothing was compared: nothing to comment on');
  const read = (name) => fs.readFileSync(`${folder}/${name}`, 'utf8');
  const found = await pullRequest({ github, context, core, read });
  if (!found) return;

  const text = read('comment.md');
  const comments = await github.paginate(github.rest.issues.listComments, { ...context.repo, issue_number: found.number });
  const own = comments.find((one) => one.user?.type === 'Bot' && one.body?.startsWith(mark));
  // An earlier comment is updated in any case: what it says is over.
  if (!own && when !== 'always' && isQuiet(text)) return core.info('nothing changed: no comment');
  let body = `${mark}\n${text}\nOf ${found.measured}.\n`;
  if (body.length > longest) body = body.slice(0, longest - 20) + '\n…';
  if (own) {
    await github.rest.issues.updateComment({ ...context.repo, comment_id: own.id, body });
  } else {
    await github.rest.issues.createComment({ ...context.repo, issue_number: found.number, body });
  }
};

module.exports = async (all) => {
  try {
    await comment(all);
  } catch (error) {
    if (error.status !== 403) throw error;
    all.core.notice('No comment, because the token of this run may not write any; the summary of the job has the findings.');
  }
};
