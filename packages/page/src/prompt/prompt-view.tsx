import { useEffect } from 'preact/hooks'
import type { PagePromptRequest } from '../../../clada/src/ui/protocol.ts'
import { Button } from '../button.tsx'
import { Name, Path } from '../parts.tsx'
import { page } from '../store.ts'
import { VirtualList } from '../virtual-list.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import {
  at,
  chosenShare,
  chosenPaths,
  context,
  copyPrompt,
  facts,
  isOpen,
  loadProject,
  loadTasks,
  made,
  toggleFolder,
  promptOpen,
  recentTasks,
  search,
  shownRows,
  structures,
  toggle,
  toggleAction,
  type TreeRow,
  wanted,
} from './prompt.ts'

/** What to tell a model so that it writes blocks for this project: how, and about which files. */
export function PromptView() {
  const changed = page.value?.context
  useEffect(() => void loadProject(), [changed])
  const root = page.value?.root
  useEffect(loadTasks, [root])
  const rows = shownRows.value
  return (
    <div class={`panes ${promptOpen.value ? 'shows-detail' : ''}`}>
      <section class="side" aria-label="Files of the project">
        <Task />
        <header class="side-head">
          <input
            type="search"
            id="search-files"
            aria-label="Search files"
            placeholder="Search"
            value={search.value}
            onInput={(event) => {
              search.value = event.currentTarget.value
              at.value = 0
            }}
          />
        </header>
        <p class="heads quiet">
          <span>Files</span>
          <span>Tokens</span>
        </p>
        <VirtualList
          id="project-files"
          label="Files"
          count={rows.length}
          rowHeight={rowHeight}
          current={at.value}
          multiselectable
          row={(index) => {
            const row = rows[index]
            return row && <FileRow key={row.path} row={row} index={index} total={rows.length} />
          }}
        />
        <Chosen />
        <footer class="apply">
          <p class="result">
            <span>{made.value === null ? '…' : `${made.value.tokens.toLocaleString()} tokens`}</span>
            {made.value !== null && context.value.length === 0 && (
              <span class="quiet">Mark files to show them as well.</span>
            )}
            {made.value !== null && context.value.length > 0 && (
              <span class="quiet">{made.value.promptTokens.toLocaleString()} of them for the prompt</span>
            )}
          </p>
          <div class="row">
            <Button kind="primary" act={copyPrompt} keys="c" disabled={made.value === null}>
              {context.value.length === 0 ? 'Copy prompt' : 'Copy prompt and files'}
            </Button>
            <span class="back">
              <Button act={() => (promptOpen.value = true)}>Show the text</Button>
            </span>
          </div>
        </footer>
      </section>
      <section class="detail">
        <header class="detail-head">
          <span class="back">
            <Button quiet act={() => (promptOpen.value = false)}>
              ‹ Files
            </Button>
          </span>
          <Choices />
        </header>
        <div class="detail-body scroller" id="detail" tabIndex={0} role="region" aria-label="The prompt">
          {wanted.value.actions !== null && <Actions />}
          <Structures />
          {made.value?.refused.map(({ path, error }) => (
            <p key={path} class="alert warn">
              {spellOut(path)}: {spellOut(error)}
            </p>
          ))}
          <pre class="prompt">{spellOut(made.value?.text ?? '')}</pre>
        </div>
      </section>
    </div>
  )
}

const rowHeight = 32

/** What the model is to do. */
function Task() {
  const change = (task: string): void => {
    wanted.value = { ...wanted.value, task }
  }
  return (
    <div class="task">
      <label for="task">Task</label>
      {recentTasks.value.length > 0 && (
        <select
          aria-label="Recent tasks"
          value=""
          onChange={(event) => {
            change(recentTasks.value[Number(event.currentTarget.value)] ?? '')
            event.currentTarget.value = ''
          }}
        >
          <option value="" disabled>
            Recent tasks
          </option>
          {recentTasks.value.map((task, index) => (
            <option key={task} value={index}>
              {spellOut(task.slice(0, 80))}
            </option>
          ))}
        </select>
      )}
      <textarea
        id="task"
        rows={3}
        placeholder="What should the model do?"
        value={wanted.value.task}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </div>
  )
}

function FileRow({ row, index, total }: { row: TreeRow; index: number; total: number }) {
  const { path, label, depth, tokens, files } = row
  const chosen = chosenShare(row)
  const current = at.value === index
  return (
    <div
      id={`project-files-${index}`}
      class={`block file-row ${current ? 'current' : ''}`}
      role="option"
      aria-selected={chosen === 'all'}
      aria-posinset={index + 1}
      aria-setsize={total}
      style={{ height: `${rowHeight}px`, paddingInlineStart: `${12 + depth * 16}px` }}
      onClick={() => {
        at.value = index
        toggleFolder(row)
      }}
    >
      <span
        class={`box ${chosen === 'all' ? 'on' : chosen}`}
        onClick={(event) => {
          event.stopPropagation()
          at.value = index
          void toggle(row)
        }}
      />
      {files === undefined ? (
        <Path path={label} />
      ) : (
        <span class={`folder ${isOpen(path) ? 'open' : ''}`}>
          <Path path={label} />
          <span class="unseen">
            folder, {isOpen(path) ? 'open' : 'closed'}, {formatCount(files.length, 'file')}
          </span>
        </span>
      )}
      <span class="quiet nowrap tokens">{tokens.toLocaleString()}</span>
    </div>
  )
}

function Chosen() {
  const entries = context.value
  if (entries.length === 0) return null
  return (
    <details class="files" open>
      <summary>
        <span>{formatCount(entries.length, 'file or structure', 'files and structures')} to show</span>
      </summary>
      <ul class="tree">
        {entries.map(({ path, tokens, problem }) => (
          <li key={path} class="entry">
            <span class="mono" title={problem}>
              <Name of={path} />
            </span>
            <span class="quiet nowrap">{problem === undefined ? `${tokens ?? 0}` : 'cannot be read'}</span>
            <Button quiet act={() => toggle({ path })}>
              <span aria-hidden="true">×</span>
              <span class="unseen">Leave out {spellOut(path)}</span>
            </Button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Choices() {
  const { syntax, include, actions, show } = wanted.value
  const change = (part: Partial<PagePromptRequest>): void => {
    wanted.value = { ...wanted.value, ...part }
  }
  return (
    <div class="row choices">
      <label>
        Syntax
        <select value={syntax} onChange={(event) => change({ syntax: event.currentTarget.value })}>
          {facts.value?.syntaxes.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Actions
        <select
          value={actions === null ? include : 'some'}
          onChange={({ currentTarget: { value } }) => {
            const everyday = facts.value?.actions.filter((action) => action.everyday).map(({ name }) => name) ?? []
            if (value === 'some') change({ actions: everyday })
            else change({ actions: null, include: value === 'all' ? 'all' : 'everyday' })
          }}
        >
          <option value="everyday">everyday ones</option>
          <option value="all">all</option>
          <option value="some">chosen ones</option>
        </select>
      </label>
      <label>
        Files
        <select
          value={show}
          onChange={({ currentTarget: { value } }) => change({ show: shows.find((one) => one === value) ?? 'text' })}
        >
          <option value="text">as text</option>
          <option value="numbered">with line numbers</option>
          <option value="outline">as outlines</option>
          <option value="none">left out</option>
        </select>
      </label>
    </div>
  )
}

const shows = ['text', 'numbered', 'outline', 'none'] as const

function Actions() {
  const chosen = new Set(wanted.value.actions)
  return (
    <fieldset class="picks">
      <legend>Actions in the prompt</legend>
      {facts.value?.actions.map(({ name, description }) => (
        <label key={name} class="check" title={description}>
          <input type="checkbox" checked={chosen.has(name)} onChange={() => toggleAction(name)} />
          <span class="mono">{name}</span>
        </label>
      ))}
    </fieldset>
  )
}

function Structures() {
  const shownOnes = structures.value
  if (shownOnes === null) return null
  const { file, found } = shownOnes
  return (
    <fieldset class="picks structures">
      <legend>
        Structures of <span class="mono">{spellOut(file)}</span>
      </legend>
      {found.length === 0 && <p class="quiet">None were found.</p>}
      {found.slice(0, 300).map(({ path, label, lines, depth }) => (
        <label key={path} class="check" style={{ paddingInlineStart: `${depth * 18}px` }}>
          <input type="checkbox" checked={chosenPaths.value.has(path)} onChange={() => toggle({ path })} />
          <Name named="mono" of={label} /> <span class="quiet">{formatCount(lines, 'line')}</span>
        </label>
      ))}
    </fieldset>
  )
}
