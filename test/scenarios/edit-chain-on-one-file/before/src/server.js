import http from 'node:http'

const port = 3000

export function start() {
  return http.createServer(handle).listen(port)
}

function handle(request, response) {
  response.end(request.url)
  console.log('hello')
}
