import { lookUp } from '@clada/reply/core/look-up.ts'
import type { Parser, Tree } from '@lezer/common'
import { classHighlighter, highlightTree } from '@lezer/highlight'

type Load = () => Promise<Parser>

/** The grammar of a file, by its name. Each is loaded when its first file is shown. */
export function findGrammar(path: string): Load | undefined {
  return lookUp(grammars, path.slice(path.lastIndexOf('.') + 1).toLowerCase())
}

const script =
  (dialect: string): Load =>
  async () =>
    (await import('@lezer/javascript')).parser.configure({ dialect })
const cpp: Load = async () => (await import('@lezer/cpp')).parser
const css: Load = async () => (await import('@lezer/css')).parser
const html: Load = async () => (await import('@lezer/html')).parser
const jsonParser: Load = async () => (await import('@lezer/json')).parser
const markdown: Load = async () => (await import('@lezer/markdown')).parser
const python: Load = async () => (await import('@lezer/python')).parser
const xml: Load = async () => (await import('@lezer/xml')).parser
const yaml: Load = async () => (await import('@lezer/yaml')).parser

const grammars: Readonly<Record<string, Load>> = {
  js: script('jsx'),
  mjs: script(''),
  cjs: script(''),
  jsx: script('jsx'),
  ts: script('ts'),
  mts: script('ts'),
  cts: script('ts'),
  tsx: script('jsx ts'),
  c: cpp,
  h: cpp,
  cc: cpp,
  cpp,
  hpp: cpp,
  css,
  html,
  htm: html,
  vue: html,
  svelte: html,
  json: jsonParser,
  md: markdown,
  markdown,
  py: python,
  pyi: python,
  svg: xml,
  xml,
  yaml,
  yml: yaml,
  go: async () => (await import('@lezer/go')).parser,
  java: async () => (await import('@lezer/java')).parser,
  php: async () => (await import('@lezer/php')).parser,
  rs: async () => (await import('@lezer/rust')).parser,
}

/** Beyond this a text is shown without colours. */
const largest = 1_000_000

/** Reads a text in small steps, so that the page goes on answering. */
export async function parseTree(path: string, text: string, gone: AbortSignal): Promise<Tree | undefined> {
  const load = text.length > largest ? undefined : findGrammar(path)
  if (load === undefined) return undefined
  const parse = (await load()).startParse(text)
  while (!gone.aborted) {
    const until = performance.now() + 10
    while (performance.now() < until) {
      const tree = parse.advance()
      if (tree !== null) return tree
    }
    await new Promise((resolve) => setTimeout(resolve))
  }
  return undefined
}

export interface Coloured {
  readonly from: number
  readonly to: number
  readonly classes: string
}

/** The coloured parts of a stretch of text, with offsets from its beginning. */
export function listColours(tree: Tree | undefined, from: number, to: number): Coloured[] {
  const found: Coloured[] = []
  if (tree === undefined) return found
  const put = (start: number, end: number, classes: string): void => {
    found.push({ from: Math.max(start, from) - from, to: Math.min(end, to) - from, classes })
  }
  highlightTree(tree, classHighlighter, put, from, to)
  return found
}
