import { clear, lookAtWhole, refresh } from '../actions.ts'
import { Button } from '../button.tsx'
import { Cards } from '../question-cards.tsx'
import { Search } from '../parts.tsx'
import { RefreshIcon } from '../icons.tsx'
import { detailOpen, looked, page, plan, wanted } from '../store.ts'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { formatBytes } from '../labels.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { ApplyBar } from './apply-bar.tsx'
import { BlockList } from './block-list.tsx'
import { Detail } from './block-detail.tsx'
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
            <strong>{current.name === '' ? 'Pasted reply' : spellOut(current.name)}</strong>
            <span class="quiet">
              {formatCount(current.blocks.length, 'block')}, {formatBytes(current.bytes)}
              {current.edited && ', edited by you'}
            </span>
          </div>
          <Button act={refresh} name="Check the files again" keys="R">
            <RefreshIcon />
          </Button>
          <Button act={editReply} hint="Edit the text of the reply" keys="E" disabled={page.value?.running !== null}>
            Edit
          </Button>
          <Button act={clear} hint="Paste another reply" keys="p" disabled={page.value?.running !== null}>
            New reply
          </Button>
        </header>
        <Replies />
        <div class="side-head">
          <Search id="search-blocks" label="Search blocks and files" value={wanted} />
          <Button
            act={() => lookAtWhole('files')}
            keys="f"
            pressed={looked.value.at === 'files'}
            hint="All files in one scroll"
          >
            All files
          </Button>
          <Button
            act={() => lookAtWhole('map')}
            keys="m"
            pressed={looked.value.at === 'map'}
            hint="The blocks in order, and which change the same files"
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
      <Cards />
      <Detail />
    </div>
  )
}
