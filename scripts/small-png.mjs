// Writes screenshots with a palette, in a third of the bytes: they are part of the package.
import fs from 'node:fs'
import zlib from 'node:zlib'

/** Replaces a PNG as browsers write it, 8 bits for each channel, by one of at most 256 colours. */
export function shrinkPng(file) {
  const { width, height, pixels } = read(fs.readFileSync(file))
  const counts = new Map()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const palette = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, 256)
  const known = new Map(palette.map((colour, at) => [colour, at]))
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = pixels[y * width + x]
      if (!known.has(colour)) known.set(colour, nearest(palette, colour))
      rows[y * (width + 1) + 1 + x] = known.get(colour)
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  const parts = [
    ['IHDR', header],
    ['PLTE', colours],
    ['IDAT', zlib.deflateSync(rows, { level: 9, memLevel: 9 })],
    ['IEND', Buffer.alloc(0)],
  ]
  fs.writeFileSync(file, Buffer.concat([signature, ...parts.map(([type, data]) => chunk(type, data))]))
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

function crc(bytes) {
  let sum = ~0
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}

const channels = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]

function nearest(palette, colour) {
  const wanted = channels(colour)
  const distances = palette.map((other) =>
    channels(other).reduce((sum, channel, at) => sum + (channel - wanted[at]) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}

/** The colours of a picture, row by row. */
function read(bytes) {
  const width = bytes.readUInt32BE(16)
  const height = bytes.readUInt32BE(20)
  const [depth, type, , , interlace] = bytes.subarray(24, 29)
  const size = { 2: 3, 6: 4 }[type]
  if (depth !== 8 || size === undefined || interlace !== 0) throw new Error('not a PNG as browsers write it')
  const data = []
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)))
  }
  const rows = unfiltered(zlib.inflateSync(Buffer.concat(data)), width * size, height, size)
  const pixels = new Uint32Array(width * height)
  for (let at = 0; at < pixels.length; at++) pixels[at] = rows.readUIntBE(at * size, 3)
  return { width, height, pixels }
}

function unfiltered(raw, length, height, size) {
  const rows = Buffer.alloc(length * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (length + 1)]
    for (let x = 0; x < length; x++) {
      const at = y * length + x
      const left = x < size ? 0 : rows[at - size]
      const above = y === 0 ? 0 : rows[at - length]
      const corner = x < size || y === 0 ? 0 : rows[at - length - size]
      const expected = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter]
      rows[at] = raw[y * (length + 1) + 1 + x] + expected
    }
  }
  return rows
}

function paeth(left, above, corner) {
  const sum = left + above - corner
  const [a, b, c] = [left, above, corner].map((each) => Math.abs(sum - each))
  return a <= b && a <= c ? left : b <= c ? above : corner
}
