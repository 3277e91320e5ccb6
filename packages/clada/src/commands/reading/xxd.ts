import { forEachOperand, type ReadingRun } from './reading-run.ts'

/** xxd: a hex dump; `-p` without places and text, `-b` in bits, `-i` as a C array. */
export async function runXxd(reader: ReadingRun): Promise<void> {
  await forEachOperand(reader, async (operand) => {
    const from = Number(reader.valueOf('-s') ?? 0)
    const length = Number(reader.valueOf('-l') ?? Infinity)
    const file = await reader.files.open(operand)
    try {
      const layout = dumpLayout(reader)
      const print = reader.has('-i') ? arrayPrinter(operand.given, layout, reader) : linePrinter(from, layout, reader)
      let rest: Buffer = Buffer.alloc(0)
      for (const chunk of reader.chunksOf(file, from, from + length)) {
        const bytes = Buffer.concat([rest, chunk])
        const whole = bytes.length - (bytes.length % layout.columns)
        for (let at = 0; at < whole; at += layout.columns) print(bytes.subarray(at, at + layout.columns))
        rest = bytes.subarray(whole)
      }
      if (rest.length > 0) print(rest)
      print(undefined)
    } finally {
      file.close()
    }
  })
}

interface DumpLayout {
  readonly columns: number
  /** How many bytes stand together. */
  readonly group: number
  /** One byte. */
  digits(byte: number): string
}

function dumpLayout(reader: ReadingRun): DumpLayout {
  const isBits = reader.has('-b')
  const usual = reader.has('-p') ? 30 : reader.has('-i') ? 12 : isBits ? 6 : 16
  const columns = Number(reader.valueOf('-c')) || usual
  return {
    columns,
    group: Number(reader.valueOf('-g') ?? (isBits ? 1 : 2)) || columns,
    digits: (byte) => {
      if (isBits) return byte.toString(2).padStart(8, '0')
      const hex = byte.toString(16).padStart(2, '0')
      return reader.has('-u') ? hex.toUpperCase() : hex
    },
  }
}

/** Prints one line, or what comes after the last. */
type PrintLine = (bytes: Buffer | undefined) => void

function linePrinter(from: number, { columns, group, digits }: DumpLayout, reader: ReadingRun): PrintLine {
  const widthOf = (count: number): number => count * digits(0).length + Math.ceil(count / group) - 1
  let at = from
  return (bytes) => {
    if (bytes === undefined) return
    const shown = [...bytes].map(digits)
    if (reader.has('-p')) return reader.print(`${shown.join('')}\n`)
    const groups = shown.map((one, nth) => (nth > 0 && nth % group === 0 ? ` ${one}` : one)).join('')
    const text = bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.')
    reader.print(`${at.toString(16).padStart(8, '0')}: ${groups.padEnd(widthOf(columns))}  ${text}\n`)
    at += bytes.length
  }
}

function arrayPrinter(given: string, { digits }: DumpLayout, reader: ReadingRun): PrintLine {
  const name = given.replace(/[^A-Za-z0-9]/g, '_').replace(/^(?=\d)/, '__')
  let count = 0
  reader.print(`unsigned char ${name}[] = {\n`)
  return (bytes) => {
    if (bytes === undefined) return reader.print(`${count === 0 ? '' : '\n'}};\nunsigned int ${name}_len = ${count};\n`)
    reader.print(`${count === 0 ? '' : ',\n'}  ${[...bytes].map((byte) => `0x${digits(byte)}`).join(', ')}`)
    count += bytes.length
  }
}
