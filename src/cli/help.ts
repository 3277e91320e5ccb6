import { commandFlags } from './command-flags.ts'

export interface CommandHelp {
  readonly name: string
  readonly usage: string
  readonly summary: string
  readonly about?: string
  readonly flags: readonly string[]
  /** What may follow its name, for completion; files where nothing is said. */
  readonly words?: 'actions' | 'keys' | readonly string[]
  readonly examples: readonly (readonly [command: string, what: string])[]
}

export const shells = ['bash', 'zsh', 'fish'] as const

export const commands: readonly CommandHelp[] = [
  {
    name: 'run',
    usage: 'clada [run] [FILE…|-]',
    summary: 'carry out what is in FILE or stdin',
    about:
      'Finds the action blocks in a reply, carries them out one after another, and prints a report.\nOne failure stops nothing; --atomic makes it all or nothing.',
    flags: commandFlags.run,
    examples: [
      ['clada reply.md', 'carry out a saved reply'],
      ['pbpaste | clada', 'carry out what is on the clipboard'],
      ['clada --atomic --json < reply.md', 'all or nothing, with a report for a program'],
    ],
  },
  {
    name: 'check',
    usage: 'clada check [FILE…|-]',
    summary: 'parse and validate only',
    about: 'Lists every block with its place, its action and what is wrong with it. The disk is not looked at.',
    flags: commandFlags.check,
    examples: [['clada check reply.md', 'is this reply well written?']],
  },
  {
    name: 'convert',
    usage: 'clada convert --to SYNTAX [FILE…|-]',
    summary: 'the same document in another syntax',
    about:
      'Writes the blocks of a document in one of clada’s own syntaxes. What that syntax cannot say exactly is left out\nand listed on stderr.',
    flags: commandFlags.convert,
    examples: [
      ['clada convert --to cml reply.md', 'write it in CML'],
      ['clada convert --to sham < changes.diff', 'what a diff means to clada'],
    ],
  },
  {
    name: 'diff',
    usage: 'clada diff [FILE…|-]',
    summary: 'show what would change, as a unified diff; nothing is touched',
    flags: commandFlags.diff,
    examples: [
      ['clada diff reply.md', 'look first'],
      ['clada diff reply.md | git apply', 'and apply it yourself'],
    ],
  },
  {
    name: 'watch',
    usage: 'clada watch [FILE]',
    summary: 'carry out what is saved into FILE, and put the results on top of it',
    about:
      'Watches a file (clada_input.md in the project, made if it is missing). Paste a reply into it and save: what is new\nruns, the results stand on top, the whole output is in .clada/output.md. Nothing runs twice. ? shows the keys.',
    flags: commandFlags.watch,
    examples: [
      ['clada watch', 'paste replies into clada_input.md'],
      [
        'clada watch --clipboard',
        'copy a reply, press Enter (not needed with the token); the answer is on the clipboard',
      ],
      ['clada watch notes.md --git shadow', 'another file, and no commits on the branch'],
    ],
  },
  {
    name: 'ui',
    usage: 'clada ui [FILE]',
    summary: 'the page: see what a reply would do before it does it',
    about:
      'Serves a page on this machine: paste a reply, look at its blocks and their diffs, apply all or some, undo.\nThe printed address works once, for whoever opens it first.',
    flags: commandFlags.ui,
    examples: [
      ['clada ui', 'open the page on this project'],
      ['clada ui reply.md', 'with a saved reply'],
      ['clada ui --port 8017 --no-open', 'on a port of your own, without a browser'],
    ],
  },
  {
    name: 'do',
    usage: 'clada do ACTION name=value…',
    summary: 'one action',
    about: 'Calls one action by hand. Paths may be relative to the root.',
    flags: commandFlags.do,
    words: 'actions',
    examples: [
      ['clada do file_read_numbered path=src/a.ts lines=10-20', 'read some lines'],
      ['clada do file_write path=notes.md --stdin content < notes', 'take a parameter from stdin'],
    ],
  },
  {
    name: 'approve',
    usage: 'clada approve CMD',
    summary: 'let a command run in this project from now on',
    about:
      'Approves one command line, by its exact words, for this project and this user. When what it runs changes\n(the script behind npm test), it is asked again.',
    flags: commandFlags.approve,
    examples: [
      ['clada approve "npm test"', 'let models run the tests'],
      ['clada approve --network "npm install"', 'with the network'],
    ],
  },
  {
    name: 'approvals',
    usage: 'clada approvals [remove CMD…]',
    summary: 'what is approved in this project',
    flags: commandFlags.approvals,
    words: ['remove'],
    examples: [
      ['clada approvals', 'list them'],
      ['clada approvals remove "npm test"', 'take one back'],
    ],
  },
  {
    name: 'trust',
    usage: 'clada trust [remove]',
    summary: 'look at what a project brings along, and vouch for it',
    about:
      'Shows what the clada.yml of the project asks for beyond what you allow, hooks included, and asks whether that file\ncounts as it is until it changes. Then shows the commands that the project lists as approved and you have not, one\nafter another, and asks.',
    flags: commandFlags.trust,
    words: ['remove'],
    examples: [
      ['clada trust', 'after cloning'],
      ['clada trust remove', 'take it back'],
    ],
  },
  {
    name: 'init',
    usage: 'clada init',
    summary: 'write clada.yml with every key and its default',
    about: 'Writes a config file for this project in which every key stands behind a #. Never takes the place of one.',
    flags: commandFlags.init,
    words: [],
    examples: [['clada init', 'then uncomment what should be otherwise']],
  },
  {
    name: 'config',
    usage: 'clada config [KEY]',
    summary: 'the effective values, and where they come from',
    about:
      'Shows what flags, the clada.yml of the project, your own ~/.config/clada/config.yml and the defaults come to, key by\nkey, and what of the project does not count because you do not trust it.',
    flags: commandFlags.config,
    words: 'keys',
    examples: [
      ['clada config', 'everything'],
      ['clada config limits', 'some keys'],
      ['clada config exec --json', 'one, for a program'],
    ],
  },
  {
    name: 'doctor',
    usage: 'clada doctor',
    summary: 'what is installed, which sandbox is active, what is missing',
    flags: commandFlags.doctor,
    examples: [['clada doctor', 'why is exec refused?']],
  },
  {
    name: 'history',
    usage: 'clada history [N]',
    summary: 'what was executed; with a number, one execution and its diff',
    flags: commandFlags.history,
    examples: [
      ['clada history', 'one line for each execution'],
      ['clada history 12', 'what execution 12 changed'],
    ],
  },
  {
    name: 'undo',
    usage: 'clada undo [N]',
    summary: 'take back the last execution, or execution N',
    about:
      'Puts every file back that the execution changed, all of them or none. It refuses when one changed since;\n--force merges instead. An undo is an execution itself: no commit is lost, and redo brings everything back.',
    flags: commandFlags.undo,
    examples: [
      ['clada undo', 'take back what was done last'],
      ['clada undo 12 --action 3', 'only the third action of execution 12'],
    ],
  },
  {
    name: 'redo',
    usage: 'clada redo',
    summary: 'bring back what was undone last',
    flags: commandFlags.redo,
    examples: [['clada redo', 'after one undo too many']],
  },
  {
    name: 'back',
    usage: 'clada back',
    summary: 'check out the commit before; what is uncommitted waits',
    about:
      'Checks out the first parent. The branch is remembered and uncommitted work is put aside until clada forward\nis back where it was. Until then nothing is executed.',
    flags: commandFlags.back,
    examples: [['clada back', 'look at the project one step earlier']],
  },
  {
    name: 'forward',
    usage: 'clada forward',
    summary: 'one step towards where clada back began',
    about:
      'One step towards where clada back began, as long as nothing was changed here. Who has checked out the branch with\ngit meanwhile gets back with it what was put aside there; what was put aside on the way is named, for git stash apply.',
    flags: commandFlags.forward,
    examples: [['clada forward', 'and at the end on the branch again, with the uncommitted work']],
  },
  {
    name: 'squash',
    usage: 'clada squash [--auto | --messages]',
    summary: 'make one commit of several',
    about:
      'Makes one commit of the AI: commits that follow each other, without touching files or what is staged.\nWhat was pushed, or another branch or a tag holds, stays unless --force; a merge ends the search. Where commits\nof yours become part of one, you stay its author. The old commits stay in the reflog.',
    flags: commandFlags.squash,
    examples: [
      ['clada squash --dry-run', 'what would become one commit?'],
      ['clada squash --messages', 'every run of AI: commits'],
      ["clada squash --hours 8 --containing ''", 'everything of the last eight hours'],
    ],
  },
  {
    name: 'prompt',
    usage: 'clada prompt [--syntax NAME] [--files]',
    summary: 'what to paste to a model so that it writes blocks for this project',
    about:
      'Prints the instructions for a chat model: how to write blocks, where the project is, what it may do, what comes\nback. Its length is said on stderr.',
    flags: commandFlags.prompt,
    examples: [
      ['clada prompt --copy', 'and paste it at the start of a chat'],
      ['clada prompt --syntax csl', 'teach another syntax'],
      ['clada prompt --files --budget 20000', 'with the files of clada context behind it'],
      ['clada prompt --all', 'every action'],
    ],
  },
  {
    name: 'context',
    usage: 'clada context [add|remove|list|prune|clear|print] [PATH…]',
    summary: 'the files that you and the model keep in view; print: as one text to paste',
    about:
      'A list of files, and of structures in files as PATH@@Class@@method, that is kept for this project. print shows\nthem as they are now, under a line === path === each; sizes go to stderr. prune takes out what does not exist any\nmore, and what the last 20 executions neither changed nor named.',
    flags: commandFlags.context,
    examples: [
      ['clada context add src/cart.ts README.md', 'keep two files in view'],
      ['clada context add src/shop.ts@@Shop@@checkout', 'only one method'],
      ['clada context print --budget 8000 --copy', 'to paste them to a model'],
    ],
  },
  {
    name: 'outline',
    usage: 'clada outline FILE',
    summary: 'the structures of a file',
    about:
      'Lists classes, functions, methods, types, fields, sections, keys, and the constants at the top. What is only a step\ninside of code, a local, a loop, a condition, is a structure too, and can be named as one: --all shows everything.',
    flags: commandFlags.outline,
    examples: [
      ['clada outline src/cart.ts', 'classes, functions and what is in them'],
      ['clada outline src/cart.ts --all', 'everything that an action can name'],
    ],
  },
  {
    name: 'mcp',
    usage: 'clada mcp',
    summary: 'the MCP server, on stdio',
    about:
      'Speaks MCP on standard input and output: a tool for each action, and one for whole documents. An MCP client\nstarts it; docs/mcp.md has the lines that common clients need.',
    flags: commandFlags.mcp,
    examples: [['clada mcp --root ~/project', 'what a client is told to start']],
  },
  {
    name: 'tools',
    usage: 'clada tools [ACTION…] [--format table|yaml|json|md]',
    summary: 'the actions',
    flags: commandFlags.tools,
    words: 'actions',
    examples: [
      ['clada tools', 'a table'],
      ['clada tools file_edit --format json', 'the JSON schema of one action'],
    ],
  },
  {
    name: 'completion',
    usage: 'clada completion bash|zsh|fish',
    summary: 'a script that completes commands and flags in a shell',
    flags: commandFlags.completion,
    words: shells,
    examples: [
      ['source <(clada completion bash)', 'in ~/.bashrc; zsh alike'],
      ['clada completion fish | source', 'in ~/.config/fish/config.fish'],
    ],
  },
  {
    name: 'version',
    usage: 'clada version',
    summary: 'which clada this is',
    flags: commandFlags.version,
    words: [],
    examples: [['clada version', 'for a report about a mistake; -v and --version say the same']],
  },
]
