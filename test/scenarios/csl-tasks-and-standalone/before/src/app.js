export function start(port) {
  console.log('starting')
  listen(port)
}

export function stop() {
  console.log('stopping')
}
