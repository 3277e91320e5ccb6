import { describe, expect, test } from 'vitest'
import { readCml, runnable } from './cml-read.ts'

const before = '<run><![CDATA[first]]></run>\n'
const evil = '<run><![CDATA[evil]]></run>\n'
const after = '<run><![CDATA[last]]></run>\n'

interface Cut {
  readonly text: string
  /** The commands that may run. */
  readonly runs: readonly string[]
}

/** A text in which something is not closed where it should be, and what of it may still run. */
const cuts: Record<string, Cut> = {
  'CDATA is open at the end': { text: `${before}<write path="a"><![CDATA[text\n`, runs: ['first'] },
  'CDATA is open, and tags follow': { text: `<write path="a"><![CDATA[text\n</write>\n<run>ls</run>\n`, runs: [] },
  'CDATA ends escaped': { text: `<write path="a"><![CDATA[x]]&gt;</write>\n<remove path="b"/>\n`, runs: [] },
  'CDATA ends without >': { text: `<write path="a"><![CDATA[x]]</write>\n<remove path="b"/>\n`, runs: [] },
  'a comment is open in an element': { text: `${before}<tasks>\n<!--\n${evil}</tasks>\n${evil}`, runs: ['first'] },
  'a comment is open around elements': { text: `${before}<!--\n${evil}<tasks>\n${evil}</tasks>\n`, runs: ['first'] },
  'a start tag is open': { text: `${before}<write path="a`, runs: ['first'] },
  'a start tag is open, and elements follow': { text: `<write path="a\n${evil}`, runs: [] },
  'content lacks CDATA and the end tag': { text: `<write path="a">\n${evil}${evil}`, runs: [] },
  'content lacks CDATA': { text: `<write path="a">\n${evil}</write>\n${after}`, runs: ['last'] },
  'a part lacks CDATA and its end tag': { text: `<edit path="a"><search>\n${evil}`, runs: [] },
  'a part lacks CDATA': { text: `<edit path="a"><search>\n${evil}</search></edit>\n${after}`, runs: ['last'] },
  'tasks are open': { text: `${before}<tasks>\n${evil}${evil}`, runs: ['first'] },
  'tasks are open, and prose follows': { text: `<tasks>\n${evil}\nThen:\n\n${evil}`, runs: [] },
  'a member is open': {
    text: `<tasks>\n${evil}<write path="a"><![CDATA[x]]>\n${evil}</tasks>\n${after}`,
    runs: ['last'],
  },
  'CDATA ends early': { text: `<write path="a"><![CDATA[a[b[0]]>1\n${evil}]]></write>\n${after}`, runs: ['last'] },
  'CDATA ends early, and the text': { text: `<write path="a"><![CDATA[a[b[0]]>1\n${evil}`, runs: [] },
  'CDATA ends early at a line end': { text: `<write path="a"><![CDATA[<a><![CDATA[\n]]>\n</a>\n${evil}`, runs: [] },
  'an example is not escaped': {
    text: `<write path="a.md"><![CDATA[Like so:\n<write path="b"><![CDATA[x]]></write>\n${evil}]]></write>\n${after}`,
    runs: ['last'],
  },
  'an example is not escaped, and the text ends': {
    text: `<write path="a.md"><![CDATA[Like so:\n<write path="b"><![CDATA[x]]></write>\n${evil}`,
    runs: [],
  },
  'an example is escaped in part': {
    text: `<write path="a.md"><![CDATA[<run><![CDATA[a]]&gt;</run>\n${evil}${evil}]]></write>\n${after}`,
    runs: ['last'],
  },

  // What follows cannot be content: reading goes on there.
  'the end tag of a write is missing': { text: `<write path="a"><![CDATA[x]]>\n${after}`, runs: ['last'] },
  'the end tag of a run is missing, and prose follows': {
    text: `<run><![CDATA[x]]>\n\nThen:\n\n${after}`,
    runs: ['last'],
  },
  'the end tag of an edit is missing': {
    text: `<edit path="a"><search><![CDATA[x]]></search>\n${after}`,
    runs: ['last'],
  },
  'the end tag of tasks is missing': { text: `<tasks>\n${evil}\n<tasks>\n${after}</tasks>\n`, runs: ['last'] },
  'the slash of a remove is missing': { text: `<remove path="a">\n${after}`, runs: ['last'] },
  'an element begins on the line of another': { text: `<remove path="a">${evil}${after}`, runs: ['last'] },
}

describe('something is not closed', () => {
  test.each(Object.entries(cuts))('%s', (_, { text, runs }) => {
    expect(runnable(text).map((block) => block.params['command'])).toEqual(runs)
    expect(readCml(text).flatMap((block) => block.diagnostics).length).toBeGreaterThan(0)
  })

  test('wherever a good document is cut, only elements that were complete before the cut run', () => {
    const document = [
      before,
      '<write path="a.md"><![CDATA[\n<run><![CDATA[evil]]&gt;</run>\n<remove path="evil"/>\n]]></write>\n',
      `<tasks version="1.0">\n  ${evil}  <move from="a" to="b"/>\n</tasks>\n`,
      '<edit path="a">\n  <search><![CDATA[<remove path="b"/>]]></search>\n  <replace/>\n</edit>\n',
      '<remove path="c"></remove>\n',
    ]
    const text = document.join('Then:\n\n')
    const ends = document.map((part) => [text.indexOf(part) + part.trimEnd().length, runnable(part).length] as const)
    for (let cut = 0; cut <= text.length; cut++) {
      const complete = ends.filter(([end]) => end <= cut).reduce((sum, [, count]) => sum + count, 0)
      expect(runnable(text.slice(0, cut))).toHaveLength(complete)
    }
  })
})
