import http from 'node:http'
import { greet } from './greet.js'

const port = 3000

export function start() {
  return http.createServer(handle).listen(port)
}

function handle(request, response) {
  response.end(greet())
}
