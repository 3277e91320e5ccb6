import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const before = { 'a.txt': 'one\ntwo\n' }
const after = { 'a.txt': 'one\nthree\n' }
const diff = '```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n```'
const edit = 'a.txt\n```\n<<<<<<< SEARCH\ntwo\n=======\nthree\n>>>>>>> REPLACE\n```'

async function execute(reply: string) {
  const root = scratchDir(before)
  const { proposals = [] } = await new Clada({ repoPath: root, gitCommit: false }).execute(reply)
  return { proposed: proposals.map(({ path }) => path), files: filesIn(root) }
}

describe('an edit that depends on an answer', () => {
  it.each([
    `Diff summary for \`a.txt\`:\n${diff}\n`,
    `If you agree, I would change this:\n\n${diff}\n`,
    `${diff}\n\nShall I apply it?\n`,
    `${edit}\n\nWould you like me to make these changes?\n`,
    `${edit}\n\nLet me know if this looks good, or if you'd like me to apply these changes now.\n`,
    `${edit}\n\nOnce you confirm, I will apply them.\n`,
    `Would you like me to make this change?\n\n${edit}\n`,
    `Do not apply this:\n\n${edit}\n`,
    `This is the wrong way to do it:\n\n${diff}\n`,
    `For example, an edit looks like this:\n\n${edit}\n`,
    `The format of an edit is as follows:\n\n${edit}\n`,
    `Your previous reply contained this:\n\n${edit}\n`,
    `I already applied this in the last step:\n\n${diff}\n`,
    `The commit that broke it:\n\n${diff}\n`,
    `The reviewer suggested:\n\n${diff}\n\nI disagree.\n`,
    `If that does not work, go back with:\n\n${diff}\n`,
    `One option would be:\n\n${edit}\n`,
    `### Option A\n\n${edit}\n`,
    `Wenn du einverstanden bist, würde ich das ändern:\n\n${diff}\n`,
    `${diff}\n\nSoll ich die Änderungen so anwenden?\n`,
    `Si vous êtes d’accord, je changerais ceci :\n\n${diff}\n`,
    `${edit}\n\nVoulez-vous que je l'applique ?\n`,
    `${edit}\n\n¿Quieres que lo aplique?\n`,
    `${edit}\n\nQuer que eu aplique?\n`,
    `Если вы согласны, я изменю это:\n\n${diff}\n`,
    `${edit}\n\nПрименить эти изменения?\n`,
    `如果你同意，我会这样修改：\n\n${diff}\n`,
    `${edit}\n\n需要我应用这些更改吗？\n`,
    `${edit}\n\n適用してもよろしいですか？\n`,
    `${edit}\n\n적용할까요?\n`,
  ])('is a proposal: %j', async (reply) => {
    expect(await execute(reply)).toEqual({ proposed: ['a.txt'], files: before })
  })

  it.each([
    `${diff}\n\nLet me know if you have other questions.\n`,
    `${diff}\n\nWenn du Fragen hast, melde dich.\n`,
    `${edit}\n\n如果你有其他问题，请告诉我。\n`,
    `${edit}\n\nSi vous voulez, je peux aussi ajouter des tests.\n`,
    `${edit}\n\nLet me know if you would like me to make any further changes.\n`,
    `${edit}\n\nWould you like me to implement tests as well?\n`,
    `${edit}\n\nIf you want, I can explain this.\n`,
    `I have applied what you confirmed:\n\n${edit}\n`,
  ])('is applied if only the closing is polite: %j', async (reply) => {
    expect(await execute(reply)).toEqual({ proposed: [], files: after })
  })
})
