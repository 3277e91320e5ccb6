import { CDATA, type TaskName } from './cml-open.ts'
import type { Misplaced } from './cml-tags.ts'
import type { Unknown } from './cml-task.ts'
import { attributeAt, tagAt, type Element } from './cml-xml.ts'

/** What `<tasks>` holds. A mistake here costs all of it; mistakes inside a member are that member's. */
export interface Members {
  readonly members: readonly (readonly [TaskName, Element])[]
  readonly mistakes: readonly Misplaced[]
  readonly warnings: readonly string[]
}

export function membersOf(text: string, tasks: Element, unknown: Unknown): Members {
  const members: [TaskName, Element][] = []
  const mistakes: Misplaced[] = []
  const warnings: string[] = []
  for (const [key, value] of Object.entries(tasks.attributes)) {
    if (key === 'version') continue
    if (key !== 'atomic') warnings.push(`<tasks> has no attribute ${key}; it was ignored`)
    else if (value !== 'true' && value !== 'false') {
      const message = `Invalid value for 'atomic': must be 'true' or 'false'`
      const hint = 'Write <tasks atomic="true">, or leave it out.'
      mistakes.push({ code: 'malformed_block', ...attributeAt(text, tasks, key), message, hint })
    }
  }
  for (const node of tasks.nodes) {
    if (node.kind !== 'element') {
      const at = node.kind === 'text' ? node.at : node.section.from - CDATA.length
      mistakes.push({ code: 'malformed_xml', at, length: 1, message: 'Text directly in <tasks>', hint: inTasks })
      continue
    }
    const name = taskNames.find((one) => one === node.name)
    if (name !== undefined) members.push([name, node])
    else if (node.name !== 'tasks' && unknown === 'lenient') {
      warnings.push(`<tasks> holds no <${node.name}>; it was passed over`)
    } else {
      const message = node.name === 'tasks' ? '<tasks> cannot be nested' : `Unknown element: <${node.name}>`
      mistakes.push({ code: 'malformed_xml', ...tagAt(node), message, hint: inTasks })
    }
  }
  return { members, mistakes, warnings }
}

const inTasks = '<tasks> holds <write>, <edit>, <run>, <move> and <remove>, nothing else.'
const taskNames: readonly TaskName[] = ['write', 'edit', 'run', 'move', 'remove']
