import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { projectPrompt } from '../../packages/clada/src/api/project-prompt.ts'
import { Clada, type ExecutionResult } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import type { SyntaxName } from '@clada/reply/syntax/table.ts'
import { estimateTokens } from '@clada/reply/text/lines.ts'

/**
 * A task that a model worked through: `task.json`, its replies `1.md`, `2.md`, …, and the reports that it got,
 * `1.report.txt`, …. `/ROOT` stands for the project.
 */
export interface Task {
  readonly name: string
  readonly folder: string
  readonly task: string
  readonly syntax: SyntaxName
  /** `repository`: a real package; `exercise`: a few files. */
  readonly kind: 'repository' | 'exercise'
  /** A package of node_modules and the parts of it that are the project. */
  readonly package?: string
  readonly copy?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  readonly approve?: readonly string[]
  /** Texts that files must have in the end. */
  readonly wants: Readonly<Record<string, readonly string[]>>
}

export interface Turn {
  readonly reply: string
  readonly report: string
  readonly result: ExecutionResult
}

export interface Replayed {
  readonly turns: readonly Turn[]
  readonly tokens: { readonly prompt: number; readonly replies: number; readonly reports: number }
  /** The files of the project then. */
  readonly file: (name: string) => string
}

/** @param root The directory of clada itself, with `node_modules` and `test/models`. */
export function tasksIn(root: string): Task[] {
  const models = path.join(root, 'test/models')
  return fs
    .readdirSync(models, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const folder = path.join(models, name)
      const task: Omit<Task, 'name' | 'folder'> = JSON.parse(fs.readFileSync(path.join(folder, 'task.json'), 'utf8'))
      return { ...task, name, folder }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

export async function replay(task: Task, root: string): Promise<Replayed> {
  const project = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-model-')))
  try {
    makeProject(task, root, project)
    const approve = task.approve ?? []
    const options = { repoPath: project, git: 'off', matching: 'tolerant', evidence: 'diff', approve } as const
    const clada = new Clada({ ...options, syntaxCheck: 'lasting' })
    const prompt = projectPrompt({ ...options, syntaxes: [task.syntax] }, { task: task.task })
    const turns: Turn[] = []
    for (let turn = 1; fs.existsSync(path.join(task.folder, `${turn}.md`)); turn++) {
      const reply = fs.readFileSync(path.join(task.folder, `${turn}.md`), 'utf8')
      const result = await clada.execute(reply.replaceAll('/ROOT', project))
      turns.push({ reply, result, report: steady(formatReport(result, 'llm'), project) })
    }
    const sum = (part: 'reply' | 'report'): number =>
      turns.reduce((total, turn) => total + estimateTokens(turn[part]), 0)
    const texts = new Map(Object.keys(task.wants).map((name) => [name, textOf(path.join(project, name))]))
    return {
      turns,
      tokens: { prompt: estimateTokens(prompt.text), replies: sum('reply'), reports: sum('report') },
      file: (name) => texts.get(name) ?? '',
    }
  } finally {
    fs.rmSync(project, { recursive: true, force: true })
  }
}

const textOf = (file: string): string => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '')

function makeProject({ package: name, copy = [], files = {} }: Task, root: string, project: string): void {
  for (const part of copy) {
    const from = path.join(root, 'node_modules', name ?? '', part)
    fs.cpSync(from, path.join(project, part), { recursive: true })
  }
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(project, file)), { recursive: true })
    fs.writeFileSync(path.join(project, file), text)
  }
}

/** Without what differs from run to run. */
const steady = (report: string, project: string): string =>
  report
    .replaceAll(project, '/ROOT')
    .replace(/duration_ms:? [\d.]+/g, 'duration_ms 0')
    .replace(/\([\d.]+ms\)/g, '(0ms)')
    .replace(/^ +at .*node:internal.*\n(?: +\.\.\. \d+ more frames outside the project\n)?/gm, '')
    .replace(/^( +at .*) \{$/gm, '$1')
    .replace(/node:internal\/\S+|Node\.js v[\d.]+/g, 'node')
