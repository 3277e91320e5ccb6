/** Code in which line breaks end statements, and in which a line may go on from the one before if that changes. */
export const texts: Readonly<Record<string, string>> = {
  'iife.js': `const xs = 1

;(function () { go() })()

const ys = 2
;[1, 2].forEach(function (x) {
  go(x)
})

let zs
;\`a\${zs}\`.trim()
`,
  'lines.js': `import a from 'a'

var one = 1
var two = one
;(a || one).run(function named () {
  two()
})
;[one, two].map(x => x + 1)

function three () {
  const inner = one
  ;[inner].forEach(run)
  return inner
}
;/re/.test(one) && three()

one = three
;(function () {
  two = 2
}())
;+function () { one() }()
`,
  'ends.js': `let a = 1;
[1, 2].forEach(go)
let b = 2; // two
(function () { go() })()
const c = 3;

\`text\`.trim()
let d = a;
/re/g.exec(d)
let e = d /* five */;
(b)
`,
  'inline.js': `const a = 1; const b = 2; go(a)
let c = 3; [a, b].forEach(go)
function f () { let x = 1; let y = 2; return x }
if (a) { run = 1; stop = 2 } else { c = 4 }
`,
  'nested.js': `module.exports = function () {
  var self = this

  var list = []
  ;['a', 'b'].forEach(function (name) {
    self[name] = function () { return name }
  })

  var timer = null
  ;(async () => {
    timer = await go()
  })()

  if (timer) {
    list = timer
    ;[timer].concat(list)
  } else {
    list = null
    ;(list || timer)
  }

  switch (list) {
    case 1:
      timer = 1
      ;[list].map(go)
      break
    default:
      timer = 2
      ;(go)
  }

  return self
}
`,
  'restricted.js': `let i = 0
let j = i
++i
let k
--k
function f () {
  let r = 1
  return
  r
}
const fn = function () {}
;(fn)()
const o = { a: 1 }
;[o.a].map(fn)
const t = fn
;\`x\`
`,
  'fields.ts': `class A {
  x = 1
  ;['computed'] = 2
  y: number;
  ['other'] () { return 1 }
  z = this.x
  ;*gen () { yield 1 }
  static s = 3;
  *both () {}
  get
  ;name2 = 4
  set = 5;
  w = 6
  method () {}
  private readonly v: string = 'v'
  constructor (private q: number) {}
}

type T = { a: 1 }
;(function () { go() })()

let u: T = { a: 1 }
;[u].map(go)

interface I {
  a: string
  (b: number): void
  [key: string]: unknown
}

enum E { One, Two }
;(E.One)

abstract class B {
  abstract m (): void
  n!: number
  ;[Symbol.iterator] () {}
  declare o: string
}
`,
  'element.tsx': `const a = 1
;<div>{a}</div>

const b = <p />
;(function () { go(b) })()

function C () {
  const c = a
  ;[c].map(b)
  return <C />
}
`,
  'inline.py': `a = 1; b = 2
c = 3; d = 4; e = 5
def f(): x = 1; y = 2; return x
def g():
    p = 1; q = 2
    r = 3
    return r
if a: s = 1; t = 2
class K: u = 1; v = 2
class L:
    m = 1; n = 2;
    def o(self): pass; pass
`,
  'inline.sh': `a=1; b=2
c=3 ; export d=4; e=5
f() { x=1; y=2; echo "$x"; }
if [ "$a" ]; then p=1; q=2; fi
for i in 1 2; do r=1; s=2; done
case "$a" in 1) t=1; u=2 ;; *) v=1 ;; esac
w=1 && z=2; echo done
`,
}
