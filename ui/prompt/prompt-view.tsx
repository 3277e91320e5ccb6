import { useEffect } from 'preact/hooks'
import type { PromptRequest } from '../../src/ui/protocol.ts'
import { Button } from '../button.tsx'
import { Path } from '../parts.tsx'
import { page } from '../store.ts'
import { VirtualList } from '../virtual-list.tsx'
import { plural, shown } from '../words.ts'
import {
  at,
  chosenPaths,
  context,
  copyPrompt,
  facts,
  load,
  made,
  promptOpen,
  search,
  showStructures,
  shownFiles,
  structures,
  toggle,
  toggleAction,
  wanted,
} from './prompt.ts'

/** What to tell a model so that it writes blocks for this project: how, and about which files. */
export function PromptView() {
  const changed = page.value?.context
  useEffect(() => void load(), [changed])
  const files = shownFiles.value
  return (
    <div class={`panes ${promptOpen.value ? 'shows-detail' : ''}`}>
      <section class="side" aria-label="Files of the project">
        <header class="side-head">
          <input
            type="search"
            id="search-files"
            aria-label="Look for files"
            placeholder="Look for files"
            value={search.value}
            onInput={(event) => {
              search.value = event.currentTarget.value
              at.value = 0
            }}
          />
        </header>
        <VirtualList
          id="project-files"
          label="Files"
          count={files.length}
          rowHeight={rowHeight}
          current={at.value}
          multiselectable
          row={(index) => <FileRow key={files[index]} path={files[index] ?? ''} index={index} total={files.length} />}
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
              Copy prompt and files
            </Button>
            <span class="back">
              <Button act={() => (promptOpen.value = true)}>Look at it</Button>
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
              {shown(path)}: {shown(error)}
            </p>
          ))}
          <pre class="prompt">{shown(made.value?.text ?? '')}</pre>
        </div>
      </section>
    </div>
  )
}

const rowHeight = 32

function FileRow({ path, index, total }: { path: string; index: number; total: number }) {
  const chosen = chosenPaths.value.has(path)
  const current = at.value === index
  return (
    <div
      id={`project-files-${index}`}
      class={`block file-row ${current ? 'current' : ''}`}
      role="option"
      aria-selected={chosen}
      aria-posinset={index + 1}
      aria-setsize={total}
      style={{ height: `${rowHeight}px` }}
      onClick={() => {
        at.value = index
        void showStructures(path)
      }}
    >
      <span
        class={`box ${chosen ? 'on' : ''}`}
        onClick={(event) => {
          event.stopPropagation()
          at.value = index
          void toggle(path)
        }}
      />
      <Path path={path} />
    </div>
  )
}

function Chosen() {
  const entries = context.value
  if (entries.length === 0) return null
  return (
    <details class="files" open>
      <summary>
        <span>{plural(entries.length, 'file or structure', 'files and structures')} to show</span>
      </summary>
      <ul class="tree">
        {entries.map(({ path, tokens, problem }) => (
          <li key={path} class="entry">
            <span class="mono" title={problem}>
              <bdi>{shown(path)}</bdi>
            </span>
            <span class="quiet nowrap">{problem === undefined ? `${tokens ?? 0}` : 'cannot be read'}</span>
            <Button quiet act={() => toggle(path)}>
              <span aria-hidden="true">×</span>
              <span class="unseen">Leave out {shown(path)}</span>
            </Button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Choices() {
  const { syntax, include, actions, show } = wanted.value
  const change = (part: Partial<PromptRequest>): void => {
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
      <legend>Actions that the model is told of</legend>
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
        Structures of <span class="mono">{shown(file)}</span>
      </legend>
      {found.length === 0 && <p class="quiet">None were found.</p>}
      {found.slice(0, 300).map(({ path, label, lines, depth }) => (
        <label key={path} class="check" style={{ paddingInlineStart: `${depth * 18}px` }}>
          <input type="checkbox" checked={chosenPaths.value.has(path)} onChange={() => toggle(path)} />
          <bdi class="mono">{shown(label)}</bdi> <span class="quiet">{plural(lines, 'line')}</span>
        </label>
      ))}
    </fieldset>
  )
}
