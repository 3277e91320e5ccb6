import { isUtf8 } from 'node:buffer'
import { binaryType } from '../../core/binary-type.ts'
import { forEachOperand, type ReadingRun } from './reading-run.ts'

/** file: what kind of content a file has, by its first bytes. */
export async function runFile(reader: ReadingRun): Promise<void> {
  const width = Math.max(...reader.operands.map(({ given }) => given.length)) + 1
  const isBrief = reader.has('-b', '--brief')
  await forEachOperand(reader, async (operand) => {
    const kind = operand.found.type === 'directory' ? directory : await fileTypeOf(operand, reader)
    reader.print(`${isBrief ? '' : `${`${operand.given}:`.padEnd(width)} `}${describeKind(kind, reader)}\n`)
  })
}

interface FileType {
  readonly described: string
  readonly mime: string
  readonly charset: string
}

const directory: FileType = { described: 'directory', mime: 'inode/directory', charset: 'binary' }

function describeKind({ described, mime, charset }: FileType, reader: ReadingRun): string {
  if (reader.has('--mime-type')) return mime
  if (reader.has('--mime-encoding')) return charset
  return reader.has('-i', '--mime') ? `${mime}; charset=${charset}` : described
}

/** As much as is looked at. */
const sampleBytes = 1 << 20

async function fileTypeOf(operand: Parameters<ReadingRun['files']['open']>[0], reader: ReadingRun): Promise<FileType> {
  const file = await reader.files.open(operand)
  try {
    if (file.size === 0) return { described: 'empty', mime: 'inode/x-empty', charset: 'binary' }
    const bytes = file.read(0, sampleBytes)
    const whole = bytes.length < file.size ? bytes.subarray(0, bytes.lastIndexOf(10) + 1) : bytes
    if (whole.includes(0) || !isUtf8(whole)) return binaryKind(bytes)
    const isAscii = whole.every((byte) => byte < 128)
    const described = isAscii ? 'ASCII text' : 'Unicode text, UTF-8 text'
    return { described: described + lineEnds(whole), mime: 'text/plain', charset: isAscii ? 'us-ascii' : 'utf-8' }
  } finally {
    file.close()
  }
}

function binaryKind(bytes: Buffer): FileType {
  const { name, mime } = binaryType(bytes)
  return { described: name ?? 'data', mime: mime ?? 'application/octet-stream', charset: 'binary' }
}

function lineEnds(text: Buffer): string {
  const [crlf, lf] = [text.includes('\r\n'), /(?:^|[^\r])\n/.test(text.toString('latin1'))]
  if (crlf) return lf ? ', with CRLF, LF line terminators' : ', with CRLF line terminators'
  return lf ? '' : ', with no line terminators'
}
