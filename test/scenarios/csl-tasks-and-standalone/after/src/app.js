import { log } from './log.js'

export function start(port) {
  log('starting')
  listen(port)
}

export function stop() {
  log('stopping')
}
