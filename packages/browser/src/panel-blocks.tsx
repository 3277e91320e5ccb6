import { useEffect, useState } from 'preact/hooks'
import type { ReviewedFile } from '../../clada/src/core/review.ts'
import type { BlockDetail, PlanBlock } from '../../clada/src/ui/protocol.ts'
import { CodeDiff } from '../../page/src/diff/code-diff.tsx'
import { Nearby, NotText } from '../../page/src/diff/diffs.tsx'
import { StateIcon } from '../../page/src/icons.tsx'
import { Counts, isolateParts, Name } from '../../page/src/parts.tsx'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { labelOf, type BlockMark } from '../../page/src/labels.ts'
import { spellOutCommand } from '../../clada/src/report/words.ts'
import { readDetail, done } from './panel-state.ts'

/** Every block of the reply, each with its whole diff, command or text. */
export function Blocks({ blocks }: { blocks: readonly PlanBlock[] }) {
  return (
    <ol class="blocks">
      {blocks.map((block) => (
        <li key={block.key}>
          <BlockCard block={block} />
        </li>
      ))}
    </ol>
  )
}

function BlockCard({ block }: { block: PlanBlock }) {
  const { key, action, target, state, why, runs, files, syntax, proposed } = block
  const result = done.value?.results.find((one) => one.key === key)
  const mark: BlockMark = result === undefined ? state : result.success ? 'done' : 'failed'
  // A command that is not approved says so by its state, and a block that cannot be read has its problems below.
  const reason = result !== undefined ? result.why : state === 'approval' || state === 'broken' ? undefined : why
  const lines = files.reduce((sum, { added, removed }) => sum + added + removed, 0)
  const [only] = files
  return (
    <article class={`block-card ${mark}`} aria-label={spellOut(`${action} ${target}`)}>
      <header>
        <StateIcon mark={mark} />
        <h2>{runs === undefined ? <Name of={target === '' ? action || syntax : target} /> : programs(runs).title}</h2>
        {files.length === 1 && only !== undefined && <Counts of={only} />}
      </header>
      <p class="about">
        {proposed && (
          <span class="tag edited" title="The reply shows this change, but not in an edit format">
            proposal
          </span>
        )}
        {only?.change === 'create' && <span class="tag create">new file</span>}
        {only?.from !== undefined && <span class="tag">moved</span>}
        {only?.change === 'delete' && <span class="tag delete">deleted</span>}
        <span class={`state-${mark}`}>{labelOf(mark)}</span>
        {target !== '' && <span>{spellOut(action)}</span>}
      </p>
      {reason !== undefined && <p class="why">{spellOut(reason)}</p>}
      {runs !== undefined && (
        <pre class="command" tabIndex={0}>
          {isolateParts(programs(runs).text)}
        </pre>
      )}
      <Nearby height={Math.min(600, 60 + 20 * lines)}>
        {() => <BlockDetails block={block} isDone={result !== undefined} />}
      </Nearby>
    </article>
  )
}

/** Code has lines, and a command is one. */
const programs = (runs: string): { readonly title: string; readonly text: string } =>
  runs.includes('\n')
    ? { title: 'Run code', text: spellOut(runs) }
    : { title: 'Run a command', text: spellOutCommand(runs) }

function BlockDetails({ block, isDone }: { block: PlanBlock; isDone: boolean }) {
  const [detail, setDetail] = useState<BlockDetail>()
  const [why, setWhy] = useState('')
  useEffect(() => {
    let isGone = false
    readDetail(block).then(
      (found) => !isGone && setDetail(found),
      (error: unknown) => !isGone && setWhy(error instanceof Error ? error.message : String(error)),
    )
    return () => void (isGone = true)
  }, [block, isDone])
  if (why !== '') return <p class="alert bad">{spellOut(why)}</p>
  if (detail === undefined) return null
  const { problems, warnings, explanation, files, raw } = detail
  // Before it runs, all that is known of a program is shown above.
  const output = isDone || block.runs === undefined ? detail.output : undefined
  return (
    <>
      {explanation !== undefined && <p class="say">{spellOut(explanation)}</p>}
      {problems.map(({ message, line }, index) => (
        <p key={index} class="alert bad">
          {line !== undefined && `Line ${line}. `}
          {spellOut(message)}
        </p>
      ))}
      {warnings.map((warning) => (
        <p key={warning} class="alert warn">
          {spellOut(warning)}
        </p>
      ))}
      {detail.result?.success === false && <NearestPlace places={detail.places} />}
      {files.map((file) => (
        <FileDiff key={file.path} file={file} isOnly={files.length === 1 && block.target === file.path} />
      ))}
      {output !== undefined && (
        <section class="output" aria-label="Output">
          <h3>Output</h3>
          <pre tabIndex={0}>{isolateParts(spellOut(output))}</pre>
        </section>
      )}
      <details class="raw" open={files.length === 0 && output === undefined && block.runs === undefined}>
        <summary>As written in the reply</summary>
        <pre tabIndex={0}>{isolateParts(spellOut(raw))}</pre>
      </details>
    </>
  )
}

/** What the file has where the block expected something else. */
function NearestPlace({ places: [place] }: Pick<BlockDetail, 'places'>) {
  if (place?.diff === undefined) return null
  const { line, endLine, diff, similarity = 0, why = `${Math.round(similarity * 100)}% similar` } = place
  return (
    <figure class="nearest">
      <figcaption>
        In the file, {line === endLine ? `line ${line}` : `lines ${line}–${endLine}`} ({spellOut(why)}); − expected, +
        there
      </figcaption>
      <pre tabIndex={0}>
        {diff.split('\n').map((row, index) => (
          <span key={index} class={`code ${row.startsWith('+') ? 'added' : row.startsWith('-') ? 'removed' : ''}`}>
            {isolateParts(spellOut(row))}
            {'\n'}
          </span>
        ))}
      </pre>
      <p class="quiet">Open in clada to use this place, or give the model the report: it shows these lines.</p>
    </figure>
  )
}

function FileDiff({ file, isOnly }: { file: ReviewedFile; isOnly: boolean }) {
  const { path, from, binary, result } = file
  return (
    <section class="file" aria-label={spellOut(path)}>
      {(!isOnly || from !== undefined) && (
        <p class="file-name">
          {from !== undefined && (
            <>
              <Name named="mono" of={from} /> →{' '}
            </>
          )}
          <Name named="mono" of={path} />
          <Counts of={file} />
        </p>
      )}
      {binary ? <NotText of={file} /> : <CodeDiff change={{ ...file, after: result }} mode="unified" lines="whole" />}
    </section>
  )
}
