import { clear, lookAtWhole, refresh } from '../actions.ts'
import { Button } from '../button.tsx'
import { Search } from '../parts.tsx'
import { detailOpen, looked, page, plan, wanted } from '../store.ts'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { bytes, plural } from '../words.ts'
import { ApplyBar } from './apply-bar.tsx'
import { BlockList } from './block-list.tsx'
import { Detail } from './detail.tsx'
import { FileTree } from './file-tree.tsx'
import { editReply } from './choices.ts'
import { Intake } from './intake.tsx'
import { Replies } from './replies.tsx'

/** A reply: where it comes in, and what is in it. */
export function ReplyView() {
  const current = plan.value
  if (current === null || current.blocks.length === 0) return <Intake />
  return (
    <div class={`panes ${detailOpen.value ? 'shows-detail' : ''}`}>
      <section class="side" aria-label="Blocks of the reply">
        <header class="side-head">
          <div class="about">
            <strong>{plural(current.blocks.length, 'block')}</strong>
            <span class="quiet">
              {current.name === '' ? 'pasted' : spellOut(current.name)}, {bytes(current.bytes)}
              {current.edited && ', edited by you'}
            </span>
          </div>
          <Button quiet act={refresh} hint="Look at the files again" keys="R">
            Refresh
          </Button>
          <Button quiet act={editReply} hint="Change the text of the reply (E)" disabled={page.value?.running !== null}>
            Edit
          </Button>
          <Button quiet act={clear} hint="Put this reply away" disabled={page.value?.running !== null}>
            New reply
          </Button>
        </header>
        <Replies />
        <div class="side-head">
          <Search id="search-blocks" label="Search blocks and files" value={wanted} />
          <Button
            quiet
            act={() => lookAtWhole('files')}
            keys="f"
            pressed={looked.value.at === 'files'}
            hint="All files in one scroll (f)"
          >
            All files
          </Button>
          <Button
            quiet
            act={() => lookAtWhole('map')}
            keys="m"
            pressed={looked.value.at === 'map'}
            hint="The blocks in order, with what holds them together (m)"
          >
            Map
          </Button>
        </div>
        {current.fatal !== undefined && <p class="alert bad">{spellOut(current.fatal)}</p>}
        {current.warnings.map((warning) => (
          <p key={warning} class="alert warn">
            {spellOut(warning)}
          </p>
        ))}
        <BlockList />
        <FileTree />
        <ApplyBar />
      </section>
      <Detail />
    </div>
  )
}
