import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { barSaying } from './companion-browser.ts'
import { blockWriting, type Case, type Env, opened } from './env.ts'

/** Ways to hide a text from the eye and not from a script: each styles `box`, which holds a `pre` with a block. */
export const hidings: Readonly<Record<string, string>> = {
  'display: none': `box.style.display = 'none'`,
  'visibility: hidden': `box.style.visibility = 'hidden'`,
  'visibility: collapse': `box.style.visibility = 'collapse'`,
  'opacity 0': `box.style.opacity = '0'`,
  'opacity 0.3 three times': `box.style.opacity = '0.3'; pre.style.opacity = '0.3'; pre.firstChild.style.cssText = 'opacity:0.3;display:block'`,
  'an opacity filter': `box.style.filter = 'opacity(0.01)'`,
  'a blur': `box.style.filter = 'blur(30px)'`,
  'a filter without contrast': `box.style.filter = 'contrast(0)'`,
  'a mask': `box.style.maskImage = 'linear-gradient(transparent, transparent)'`,
  'font size 0': `pre.style.fontSize = '0'; pre.firstChild.style.fontSize = 'inherit'`,
  'font size 1': `pre.style.fontSize = '1px'; pre.firstChild.style.fontSize = 'inherit'`,
  'a transparent colour': `pre.style.color = 'transparent'`,
  'an almost transparent colour': `pre.style.color = 'rgba(0, 0, 0, 0.05)'`,
  'the colour of the page': `pre.style.color = 'white'`,
  'the colour of its background, inherited': `box.style.cssText = 'color:#111;background:#0d0d0d'`,
  'the colour of its background in another notation': `box.style.cssText = 'color:oklch(1 0 0);background:white'`,
  'a transparent fill': `pre.style.webkitTextFillColor = 'transparent'`,
  'left of the page': `box.style.cssText = 'position:absolute;left:-9999px'`,
  'above the page': `box.style.cssText = 'position:absolute;top:-5000px'`,
  'a margin that pushes it out': `box.style.marginLeft = '-5000px'; box.style.width = '800px'`,
  'fixed outside of the window': `box.style.cssText = 'position:fixed;top:-600px'`,
  'moved away by a transform': `box.style.transform = 'translateX(-300vw)'`,
  'an indent': `pre.replaceChildren(...pre.textContent.split('\\n').map((line) => el('div', '', line))); pre.style.cssText = 'text-indent:-9999px;overflow:hidden'`,
  'no height': `box.style.cssText = 'height:0;overflow:hidden'`,
  'no width': `box.style.cssText = 'width:0;overflow:hidden'`,
  'a scroller without height': `box.style.cssText = 'height:0;overflow:auto'`,
  'above what a scroller can show': `box.style.cssText = 'height:80px;overflow:auto'; pre.style.cssText = 'position:relative;top:-700px'`,
  'paint containment': `box.style.cssText = 'contain:strict;height:0;width:300px'`,
  clip: `box.style.cssText = 'position:absolute;clip:rect(0,0,0,0)'`,
  'an empty clip path': `box.style.clipPath = 'inset(50%)'`,
  'a circle as a clip path': `box.style.clipPath = 'circle(0)'`,
  'content-visibility: hidden': `box.style.contentVisibility = 'hidden'`,
  'hidden until found': `box.setAttribute('hidden', 'until-found')`,
  'a closed details': `const details = document.createElement('details'); details.append(Object.assign(document.createElement('summary'), { textContent: 'More' })); box.replaceWith(details); details.append(box)`,
  'a closed shadow that does not show its children': `box.attachShadow({ mode: 'closed' }).append('Nothing')`,
  'scale 0': `box.style.transform = 'scale(0)'`,
  'the scale property': `box.style.scale = '0.01'`,
  zoom: `box.style.zoom = '0.02'`,
  'turned to its edge': `box.style.transform = 'rotateX(90deg)'`,
  'turned to its back': `box.style.cssText = 'transform:rotateY(180deg) translateZ(0);backface-visibility:hidden'`,
  'letters on top of each other': `pre.style.letterSpacing = '-2em'; pre.style.whiteSpace = 'pre-wrap'`,
  'discs in place of letters': `pre.style.setProperty('-webkit-text-security', 'disc')`,
}

/** Ways to hide pieces of a line of code, so that the rest would mean something else. */
const pieces: Readonly<Record<string, string>> = {
  'a sign without size': `piece.style.fontSize = '0'`,
  'a sign that is transparent': `piece.style.opacity = '0'`,
  'a sign outside of the page': `piece.style.cssText = 'position:absolute;left:-9999px'`,
  'a sign in the colour of its background': `piece.style.color = 'white'`,
}

/** A reply with a block that can be seen, and `script` to do something with another one. */
async function reply(env: Env, shown: string, bait: string, script: string) {
  const tab = await env.browser.open(`${env.site.origin}/empty`)
  const block = blockWriting(path.join(env.root, shown), 'seen')
  const hidden = blockWriting(path.join(env.root, bait), 'not seen', 'h1d')
  await tab.evaluate(`(() => {
    const pre = el('pre', '', el('code', 'language-sham', ${JSON.stringify(`${hidden}\n`)}))
    const box = el('div', 'box', pre)
    document.getElementById('log').append(el('div', 'message', el('p', '', 'I will write it.'), plainCode(${JSON.stringify(`${block}\n`)}, 'sham'), el('p', '', 'And:'), box, el('p', '', 'Done.')))
    ;${script}
  })()`)
  return tab
}

export const hiddenTexts: readonly Case[] = [
  ...Object.entries(hidings).map(([name, script], at) => ({
    name: `hidden text: ${name}`,
    run: async (env: Env) => {
      const [shown, bait] = [`seen-${at}.txt`, `bait-${at}.txt`]
      const tab = await reply(env, shown, bait, script)
      await barSaying(tab, /^1 edit in 1 file$/)
      const panel = await opened(env, tab, new RegExp(`seen-${at}\\.txt[^]*Apply`))
      const text = await panel.text()
      assert.match(text, /1 text that the page does not show was left out/)
      // Named, but not among the blocks.
      assert.equal(await panel.evaluate('document.querySelectorAll(".block-card").length'), 1)
      await panel.press('left out')
      await panel.saying(new RegExp(`bait-${at}\\.txt`))
      if (!/only a part of a code block/.test(text)) {
        await panel.press('^Apply$')
        await panel.saying(/1 applied/)
        assert.equal(fs.readFileSync(path.join(env.root, shown), 'utf8'), 'seen')
      }
      assert.equal(fs.existsSync(path.join(env.root, bait)), false)
      await tab.close()
    },
  })),
  ...Object.entries(pieces).map(([name, script], at) => ({
    name: `hidden text: ${name} is not part of the code`,
    run: async (env: Env) => {
      const file = `piece-${at}.txt`
      const tab = await env.browser.open(`${env.site.origin}/empty`)
      const [before = '', after = ''] = blockWriting(path.join(env.root, file), 'x = §1').split('§')
      await tab.evaluate(`(() => {
        const piece = el('span', '', '-')
        document.getElementById('log').append(el('div', 'message', el('p', '', 'I will write it.'), el('pre', '', el('code', '', ${JSON.stringify(before)}, piece, ${JSON.stringify(`${after}\n`)}))))
        ;${script}
      })()`)
      await barSaying(tab, /^1 edit in 1 file$/)
      const panel = await opened(env, tab, new RegExp(`${file}[^]*x = 1[^]*Apply`))
      const text = await panel.text()
      assert.match(text, /1 text that the page does not show was left out/)
      if (!/only a part of a code block/.test(text)) {
        await panel.press('^Apply$')
        await panel.saying(/1 applied/)
        assert.equal(fs.readFileSync(path.join(env.root, file), 'utf8'), 'x = 1')
      }
      await tab.close()
    },
  })),
  ...[
    ['cut off by a height', `pre.style.cssText = 'max-height:50px;overflow:hidden'`],
    ['cut off by a width', `pre.style.cssText = 'width:60px;overflow:hidden'`],
    [
      'drawn in part',
      `pre.replaceChildren(...[...${JSON.stringify(blockWriting('FILE', 'a\nb'))}.split('\\n').map((line) => el('div', '', line)), Object.assign(el('div'), { style: 'height:900px' })])`,
    ],
  ].map(([name = '', script = '']) => ({
    name: `hidden text: code that is ${name} cannot be applied`,
    run: async (env: Env) => {
      const tab = await reply(env, 'part.txt', 'cut.txt', script)
      await barSaying(tab, /edit/)
      const panel = await opened(env, tab, /only a part of a code block[^]*part\.txt/)
      await tab.waitForTimeout(1000)
      assert.equal(await panel.evaluate('document.querySelector(".apply .primary").disabled'), true)
      assert.equal(fs.existsSync(path.join(env.root, 'part.txt')), false)
      await tab.close()
    },
  })),
]
