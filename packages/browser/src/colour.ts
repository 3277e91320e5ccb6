/** Red, green and blue from 0 to 255, and alpha from 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number, alpha: number]

/** A computed colour; undefined in a notation that no browser computes for the usual ones. */
export function parseColour(text: string): Colour | undefined {
  const known = parsed.get(text)
  if (known !== undefined || parsed.has(text)) return known
  const [, name = '', inner = ''] = /^([a-z]+)\((.*)\)$/.exec(text) ?? []
  const [first = 0, second = 0, third = 0, alpha = 1] = (inner.match(/-?[\d.]+(?:e-?\d+)?%?/g) ?? []).map(channelOf)
  const found = readColour(name, inner, [first, second, third], alpha)
  parsed.set(text, found)
  return found
}

const parsed = new Map<string, Colour | undefined>()

const channelOf = (text: string): number => (text.endsWith('%') ? parseFloat(text) / 100 : Number(text))

function readColour(
  name: string,
  inner: string,
  [a, b, c]: readonly [number, number, number],
  alpha: number,
): Colour | undefined {
  if (name === 'rgb' || name === 'rgba') return [a, b, c, alpha]
  if (name === 'color' && inner.startsWith('srgb ')) return [a * 255, b * 255, c * 255, alpha]
  if (name === 'oklab') return fromOklab(a, b, c, alpha)
  if (name === 'oklch') {
    const hue = (c * Math.PI) / 180
    return fromOklab(a, b * Math.cos(hue), b * Math.sin(hue), alpha)
  }
  return undefined
}

/** By the definition of the colour space in CSS Color 4. */
function fromOklab(lightness: number, a: number, b: number, alpha: number): Colour {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
    alpha,
  ]
}

function channel(linear: number): number {
  const value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055
  return Math.min(255, Math.max(0, value * 255))
}

/** A colour painted over an opaque one. */
export const paintOver = ([red, green, blue, alpha]: Colour, below: Colour): Colour => [
  red * alpha + below[0] * (1 - alpha),
  green * alpha + below[1] * (1 - alpha),
  blue * alpha + below[2] * (1 - alpha),
  1,
]

/** The largest difference in one of red, green and blue. */
export const largestDifference = (one: Colour, other: Colour): number =>
  Math.max(Math.abs(one[0] - other[0]), Math.abs(one[1] - other[1]), Math.abs(one[2] - other[2]))

/** From 0 to 255; unknown is light. */
export const brightness = (colour: Colour | undefined): number =>
  colour === undefined ? 255 : 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2]
