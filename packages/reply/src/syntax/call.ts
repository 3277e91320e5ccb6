import { isCount } from './reader.ts'
/** What the renderers have in common: the syntaxes below say the same few things, each in its own words. */

/** A call to be written: an action by its own name, never an alias, and its texts. */
export interface Call {
  readonly action: string
  readonly params: Readonly<Record<string, string>>
  /** Why the model makes the change. */
  readonly explanation?: string | undefined
}

/** Either reading the text gives the call back, or there is no text. */
export type Rendered = { readonly text: string } | Refused

/** Why a call cannot be written, as the rest of a sentence that begins with the name of the syntax. */
export interface Refused {
  readonly refused: string
}

export const refuse = (refused: string): Refused => ({ refused })

export type Meaning =
  | { readonly kind: 'write'; readonly path: string; readonly content: string; readonly append: boolean }
  | Edit
  | { readonly kind: 'run'; readonly command: string; readonly dir: string | undefined }
  | { readonly kind: 'read'; readonly path: string; readonly lines: string | undefined }
  | {
      readonly kind: 'exec'
      readonly lang: string
      readonly code: string
      readonly dir: string | undefined
      readonly timeout: string | undefined
    }
  | { readonly kind: 'move'; readonly from: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }

export interface Edit {
  readonly kind: 'edit'
  readonly path: string
  /** The whole text, or where it begins and ends. */
  readonly old: readonly [whole: string] | readonly [beginning: string, end: string]
  readonly replacement: string
  /** A number from 1, or `all`. */
  readonly count: string
}

/** What a call means to CSL, CML and the replacer. Several actions say the same; most say something they cannot. */
export function interpretCall({ action, params }: Call): Meaning | Refused {
  const shape = shapes.get(action)
  if (shape === undefined) return refuse(`cannot write ${action === '' ? 'a block without an action' : action}`)
  const missing = shape.needs.find((name) => params[name] === undefined)
  if (missing !== undefined) return refuse(`cannot write ${action} without ${missing}`)
  const extra = Object.keys(params).find((name) => !shape.needs.includes(name) && !shape.takes?.includes(name))
  if (extra !== undefined) return refuse(`has no parameter ${extra}`)
  return shape.means((name) => params[name] ?? '', params)
}

interface CallRule {
  readonly needs: readonly string[]
  readonly takes?: readonly string[]
  means(text: (name: string) => string, params: Call['params']): Meaning | Refused
}

const edited = ['path', 'old_text', 'new_text']

const shapes: ReadonlyMap<string, CallRule> = new Map<string, CallRule>([
  [
    'file_write',
    {
      needs: ['path', 'content'],
      means: (text) => ({ kind: 'write', path: text('path'), content: text('content'), append: false }),
    },
  ],
  [
    'file_append',
    {
      needs: ['path', 'content'],
      takes: ['new_line'],
      means: (text) =>
        text('new_line') === 'true'
          ? { kind: 'write', path: text('path'), content: text('content'), append: true }
          : refuse('appends on a new line only, so new_line must be "true"'),
    },
  ],
  ['file_edit', { needs: edited, takes: ['count'], means: (text, { count }) => wholeEdit(text, count ?? '1') }],
  ['file_replace_text', { needs: edited, means: (text) => wholeEdit(text, '1') }],
  [
    'file_replace_all_text',
    {
      needs: edited,
      takes: ['count'],
      means: (text, { count }) =>
        count === undefined ? refuse('needs the number of occurrences: give count') : wholeEdit(text, count),
    },
  ],
  [
    'file_replace_text_range',
    {
      needs: ['path', 'old_text_beginning', 'old_text_end', 'new_text'],
      takes: ['count'],
      means(text, { count }) {
        if (count === undefined) return refuse('needs the number of occurrences: give count')
        return editOf(text, [text('old_text_beginning'), text('old_text_end')], count)
      },
    },
  ],
  [
    'run',
    {
      needs: ['command'],
      takes: ['dir'],
      means: (text, { dir }) => ({ kind: 'run', command: text('command'), dir }),
    },
  ],
  ['file_read', { needs: ['path'], means: (text) => ({ kind: 'read', path: text('path'), lines: undefined }) }],
  [
    'file_read_numbered',
    { needs: ['path', 'lines'], means: (text) => ({ kind: 'read', path: text('path'), lines: text('lines') }) },
  ],
  [
    'exec',
    {
      needs: ['code', 'lang'],
      takes: ['cwd', 'timeout'],
      means: (text, { cwd, timeout }) => ({ kind: 'exec', lang: text('lang'), code: text('code'), dir: cwd, timeout }),
    },
  ],
  [
    'file_move',
    {
      needs: ['old_path', 'new_path'],
      means: (text) => ({ kind: 'move', from: text('old_path'), to: text('new_path') }),
    },
  ],
  ['file_delete', { needs: ['path'], means: (text) => ({ kind: 'remove', path: text('path') }) }],
])

const wholeEdit = (text: (name: string) => string, count: string): Edit | Refused =>
  editOf(text, [text('old_text')], count)

function editOf(text: (name: string) => string, old: Edit['old'], count: string): Edit | Refused {
  if (!isCount(count)) return refuse(`accepts a positive integer or all for count, not ${JSON.stringify(count)}`)
  return { kind: 'edit', path: text('path'), old, replacement: text('new_text'), count }
}

/**
 * What keeps a text from standing on lines of its own between two marker lines, if anything does. Lines are read as
 * LF whatever they were, and a carriage return before a marker's line break would go with it.
 */
export function whyUnfitForLines(text: string): string | undefined {
  if (/\r(?:\n|$)/.test(text))
    return 'reads every line break as LF, but this text has a CR before a line break or at its end'
  return whyUnfitForUtf8(text)
}

export const whyUnfitForUtf8 = (text: string): string | undefined =>
  text.isWellFormed() ? undefined : 'is UTF-8, which cannot encode lone surrogates'

/** Text between two marker lines: no line at all when it is empty. */
export const betweenMarkers = (text: string): string => (text === '' ? '' : `${text}\n`)
